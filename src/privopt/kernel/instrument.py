"""An instrument: which sums of the private data are measured, and with what noise. A public type.

    y = W u + xi          u = private entries of d, clamped to the box of the domain

evaluated in exact integers (`kernel.noisy_map`): that is all that ever touches d. Noise of scale
Delta/epsilon (Delta the largest change of W u that one neighbour can make, as an exact fraction)
makes y private for every pair of neighbours: PROVEN, charged once. Whatever is computed from y
afterwards costs nothing more.

An instrument without rows measures nothing and costs nothing: what it leads to is a constant.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from privopt import arrays
from privopt.arrays import Vector
from privopt.claims import facts
from privopt.claims.privacy import measurement_guarantee
from privopt.claims.units import UnitLabels, unit_of
from privopt.errors import InputError
from privopt.kernel.fixed import FixedMap
from privopt.kernel.measurement import Measurement
from privopt.kernel.noisy_map import NoisyMap, calibrated, checked
from privopt.kernel.wire import Public
from privopt.labels import check_weights, summed
from privopt.ledger.ledger import Ledger, checked_ledger
from privopt.noise import registry
from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.calibration_file import calibration_from_dict, calibration_to_dict
from privopt.noise.rounding import rounding
from privopt.plain import entries_from_dict, listed, texts
from privopt.record import digest
from privopt.show.comparison import comparison_from_dict
from privopt.show.sums import SumsToMeasure

__all__ = ["Instrument"]


class Instrument(Public, SumsToMeasure):
    """What is measured of the private data, with what noise.

    Parameters
    ----------
    W
        What is summed: a dict from a name to its private entries of d (names, or positions among
        them), or a matrix with a column for each private entry (a DataFrame is aligned by their
        names). An empty dict or a matrix without rows measures nothing.
    program
        Names the entries of d and says which are private; nothing else of it is looked at.
    privacy
        The noise; it takes no `sensitivity`, which is that of W.
    domain
        `Box(lower, upper)`: data outside are clamped. Rows of a `Domain` go with the measurement:
        decisions use them, the noise does not.
    names
        Names of the sums of a matrix.

    Attributes
    ----------
    domain
        Lower and upper bounds of the private entries, as they were given.
    rows
        W, low and high of the rows of the domain beside its box.
    """

    kind: ClassVar[str] = "instrument"
    version: ClassVar[int] = 2

    kernel: NoisyMap
    domain: facts.Ends
    rows: facts.Slabs

    def __init__(
        self,
        W: Any,  # noqa: ANN401 -- the edge
        *,
        program: facts.NamedEntries,
        privacy: Privacy,
        domain: facts.Possible,
        names: Any = None,  # noqa: ANN401 -- the edge
    ) -> None:
        if not isinstance(privacy, Privacy):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                f"privacy is a {type(privacy).__name__}.",
                "the noise of a measurement.",
                "pass privacy=privopt.Laplace(epsilon=1.0, alpha=0.1).",
            )
        facts.check_entries(program)
        facts.check_possible(domain)
        own = tuple(program.data_names[int(i)] for i in program.private)
        matrix, labels = summed(W, own, names)
        privacy = privacy.aligned(own)
        lower, upper = domain.ends(own)
        exact = FixedMap.of(matrix, np.zeros(len(matrix)), lower, upper, privacy.neighbours.grain)
        exact = replace(exact, offset=np.zeros(len(matrix), dtype=object))
        check_weights(labels, exact.matrix)
        if np.array_equal(exact.low, exact.high):
            facts.check_width(lower, upper, privacy.neighbours.grain)
        noise = _noise(privacy, exact)
        self.domain, self.rows = (lower, upper), domain.slabs(own)
        entries = program.data_names, program.private
        self._take(_kernel(labels, *entries, privacy, exact, noise, unit_of(program)))

    @property
    def rounding(self) -> Vector:
        """What to add to a half-width of the noise so that y - W u keeps it: `noise.rounding`."""
        exact, noise = self.kernel.map, self.calibration
        if noise is None:
            return np.zeros(0)
        ends = max(float(np.abs(end).max()) for end in (*exact.box, *self.domain))
        return rounding(self.W, noise, exact.coarse, exact.coarsest, ends, exact.bound())

    def with_epsilon(self, epsilon: float) -> Self:
        """The same sums, measured with the noise of another epsilon; delta stays."""
        other, privacy = copy.copy(self), replace(self.privacy, epsilon=epsilon)
        other.comparison = None  # it is about this epsilon
        other._take(
            replace(
                self.kernel,
                privacy=privacy,
                calibration=(noise := _noise(privacy, self.kernel.map)),
                guarantee=measurement_guarantee(privacy, noise),
            )
        )
        return other

    def _take(self, kernel: NoisyMap) -> None:
        """What reads d, which a ledger knows by the digest of the whole record."""
        self.kernel = kernel
        for made in {"headed", "digest"} & vars(self).keys():  # of another kernel
            delattr(self, made)
        self.kernel = replace(kernel, subject=self.digest)

    def measure(self, d: Any, ledger: Ledger | None = None, key: str | None = None) -> Measurement:  # noqa: ANN401
        """Measure the private data d: clamp, add up, add noise.

        The epsilons of all measurements and releases about the same data add up; what is decided
        from this measurement costs nothing more. Only the private entries of d are read.

        Parameters
        ----------
        d
            The data: with the labels or in the order of `program.data_names`, or in their shapes.
        ledger
            Counts the measurement against a limit: charged on disk before d is read. Without one
            nothing counts it, and a warning says so.
        key
            Names it in the ledger: asked again under the same key it is replayed, free.
        """
        if self.calibration is None:
            arrays.check_length(d, len(self.kernel.data_names), "d", labels=self.kernel.data_names)
            checked_ledger(ledger, key)
            return Measurement(self, None)
        if ledger is None:
            warnings.warn(
                "no ledger counts this: epsilons about the same data add up. It is counted by "
                "measure(d, ledger=privopt.Ledger(path, limit=...), key=...).",
                stacklevel=2,
            )
        return Measurement(self, self.kernel.release(d, ledger, key))

    def record(self) -> dict[str, Any]:
        """Plain data: all but how it was chosen."""
        kernel, noise = self.kernel, self.calibration
        known = facts.facts_to_dict(self.domain, self.rows, kernel.map.box)
        return {
            "names": list(kernel.names),
            "noise": kernel.privacy.to_dict(),
            "map": kernel.map.to_dict(),
            "calibration": None if noise is None else calibration_to_dict(noise),
            "data_names": list(kernel.data_names),
            "private": [int(i) for i in kernel.private],
            **({"domain": known} if known else {}),
            **({} if self.unit is None else {"unit": self.unit}),
        }

    @property
    def beside(self) -> dict[str, Any]:
        """How it was chosen."""
        return {} if self.comparison is None else {"comparison": self.comparison}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The instrument that `to_dict` wrote; its claim is made anew from map and noise."""
        privacy, exact = registry.from_dict(data["noise"]), FixedMap.from_dict(data["map"])
        r, given = len(listed(data["names"])), data["calibration"]
        data_names, private = entries_from_dict(data)
        whole = (
            exact.matrix.shape == (r, len(private))
            and not any(int(v) for v in exact.offset)
            and data["private"] == private.tolist()
            and len(set(data["names"])) == r
            and (given is None) == (r == 0)
        )
        if not whole:
            raise ValueError
        noise = None if given is None else calibration_from_dict(privacy, given, r, exact.bound())
        made = cls.__new__(cls)
        if "comparison" in data:
            made.comparison = comparison_from_dict(data["comparison"])
        made.domain, made.rows = facts.facts_from_dict(data.get("domain", {}), exact.box)
        if not exact.clamps_to(*made.domain):
            raise ValueError
        unit = texts([data["unit"]], 1)[0] if "unit" in data else None
        noise = checked(privacy, exact, noise)
        made._take(
            _kernel(texts(data["names"], r), data_names, private, privacy, exact, noise, unit)
        )
        return made


def _kernel(
    names: tuple[str, ...],
    data_names: tuple[str, ...],
    private: NDArray[np.int64],
    privacy: Privacy,
    exact: FixedMap,
    noise: Calibration | None,
    unit: str | None,
) -> NoisyMap:
    """The part that reads d; its subject is for `Instrument._take`."""
    return NoisyMap(
        names=names,
        data_names=data_names,
        private=private,
        privacy=privacy,
        map=exact,
        calibration=noise,
        guarantee=measurement_guarantee(privacy, noise),
        subject="",
        query=digest([[int(v) for v in row] for row in exact.matrix]),
        units=None if unit is None else UnitLabels(unit, (unit,) * len(names)),
    )


def _noise(privacy: Privacy, exact: FixedMap) -> Calibration | None:
    if not len(exact.offset):
        return None
    size = exact.sensitivity(privacy.neighbours, privacy.order, -2000)
    return calibrated(privacy, exact, privacy.calibrate(len(exact.offset), size))
