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
from privopt.ledger.request import digest
from privopt.noise import registry
from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.calibration_file import calibration_from_dict, calibration_to_dict
from privopt.noise.rounding import rounding
from privopt.plain import entries_from_dict, listed, texts
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
    version: ClassVar[int] = 1

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
        self.kernel = _kernel(labels, *entries, privacy, exact, noise, unit_of(program))

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
        kernel, privacy = self.kernel, replace(self.privacy, epsilon=epsilon)
        noise = _noise(privacy, kernel.map)
        other = copy.copy(self)
        other.comparison = None  # it is about this epsilon
        other.kernel = _kernel(
            self.names, kernel.data_names, kernel.private, privacy, kernel.map, noise, self.unit
        )
        return other

    def measure(self, d: Any, ledger: Ledger | None = None, key: str | None = None) -> Measurement:  # noqa: ANN401
        """Measure the private data d: clamp, add up, add noise.

        The epsilons of all measurements and releases about the same data add up; what is decided
        from this measurement costs nothing more. Only the private entries of d are read.

        Parameters
        ----------
        d
            The data: with the labels or in the order of `program.data_names`, or in their shapes.
        ledger
            Counts the measurement against a limit: charged on disk before d is read.
        key
            Names it in the ledger: asked again under the same key it is replayed, free.
        """
        if self.calibration is None:
            arrays.check_length(d, len(self.kernel.data_names), "d", labels=self.kernel.data_names)
            checked_ledger(ledger, key)
            return Measurement(self._made_by(), self.W, self.domain, self.rows, None)
        release = self.kernel.release(d, ledger, key)
        return Measurement(self._made_by(), self.W, self.domain, self.rows, release)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        made_by = self._made_by()
        return made_by if self.comparison is None else {**made_by, "comparison": self.comparison}

    def _made_by(self) -> dict[str, Any]:
        """What a measurement says of it: all but how it was chosen."""
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
        made.kernel = _kernel(
            texts(data["names"], r), data_names, private, privacy, exact,
            checked(privacy, exact, noise), *(texts([data["unit"]], 1) if "unit" in data else ()),
        )  # fmt: skip
        return made


def _kernel(
    names: tuple[str, ...],
    data_names: tuple[str, ...],
    private: NDArray[np.int64],
    privacy: Privacy,
    exact: FixedMap,
    noise: Calibration | None,
    unit: str | None = None,
) -> NoisyMap:
    """The part that reads d; a ledger knows it by its map, noise, names and unit."""
    labelled = [] if unit is None else [unit]
    subject = digest([list(names), privacy.to_dict(), exact.to_dict(), *labelled])
    return NoisyMap(
        names=names,
        data_names=data_names,
        private=private,
        privacy=privacy,
        map=exact,
        calibration=noise,
        guarantee=measurement_guarantee(privacy, noise),
        subject=subject,
        query=digest([[int(v) for v in row] for row in exact.matrix]),
        units=None if unit is None else UnitLabels(unit, (unit,) * len(names)),
    )


def _noise(privacy: Privacy, exact: FixedMap) -> Calibration | None:
    if not len(exact.offset):
        return None
    size = exact.sensitivity(privacy.neighbours, privacy.order, -2000)
    return calibrated(privacy, exact, privacy.calibrate(len(exact.offset), size))
