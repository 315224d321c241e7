"""An instrument: which sums of the private data are measured, and with what noise. A public type.

    y = W u + xi          u = private entries of d, clamped to the box of the domain

evaluated in exact integers like the map of a policy, by the same code (`kernel.policy`): that is
all that ever touches d. Noise of scale Delta/epsilon (Delta the largest change of W u that one
neighbour can make, as an exact fraction) makes y private for every pair of neighbours: PROVEN,
charged once. Whatever is computed from y afterwards costs nothing more.

An instrument without rows measures nothing and costs nothing: what it leads to is a constant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from privopt import arrays
from privopt.arrays import Dense, Vector
from privopt.claims.guarantee import Claim, Guarantee, Provenance, Scope
from privopt.claims.privacy import policy_claim
from privopt.digits import up
from privopt.errors import InputError
from privopt.kernel.fixed import FixedMap
from privopt.kernel.measurement import Measurement
from privopt.kernel.policy import (
    PolicyKernel,
    calibrated,
    calibration_from_dict,
    calibration_to_dict,
    charged,
)
from privopt.kernel.wire import Public
from privopt.labels import check_names, positions
from privopt.ledger.ledger import Ledger
from privopt.ledger.request import digest
from privopt.noise import registry
from privopt.noise.calibration import Calibration, Privacy
from privopt.plain import integers, listed, texts
from privopt.show.figures import Dots, spans
from privopt.show.result import Result
from privopt.show.view import Fact, Table, View

__all__ = ["Instrument"]

_NOTHING = Claim(
    "nothing is claimed about feasibility",
    Provenance.ASSUMED,
    "a measurement has no inequalities; decisions that rest on it claim their own",
    Scope.NONE,
)


class Data(Protocol):
    """What an instrument needs of a program: names of the entries of d, and which are private."""

    data_names: tuple[str, ...]
    private: NDArray[np.int64]


class Domain(Protocol):
    """What an instrument needs of a domain: a box."""

    def ends(self, size: int) -> tuple[Vector, Vector]:
        """Lower and upper bounds of the private entries."""
        ...


class Instrument(Public, Result):
    """What is measured of the private data, with what noise.

    Parameters
    ----------
    W
        What is summed: a dict from a name to its entries of d (names or positions), or a matrix
        with a column for each private entry (a DataFrame is aligned by their names). An empty dict
        or a matrix without rows measures nothing.
    program
        Names the entries of d and says which are private; nothing else of it is looked at.
    privacy
        The noise; it takes no `sensitivity`, which is that of W.
    domain
        `Box(lower, upper)`: data outside are clamped.
    names
        Names of the sums of a matrix.
    """

    kind: ClassVar[str] = "instrument"
    version: ClassVar[int] = 1

    kernel: PolicyKernel

    def __init__(
        self,
        W: Any,  # noqa: ANN401 -- the edge
        *,
        program: Data,
        privacy: Privacy,
        domain: Domain,
        names: Any = None,  # noqa: ANN401 -- the edge
    ) -> None:
        if not isinstance(privacy, Privacy):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                f"privacy is a {type(privacy).__name__}.",
                "the noise of a measurement.",
                "pass privacy=privopt.Laplace(epsilon=1.0, alpha=0.1).",
            )
        own = tuple(program.data_names[int(i)] for i in program.private)
        matrix, labels = _rows(W, names, own)
        privacy = privacy.aligned(own)
        lower, upper = domain.ends(len(own))
        exact = FixedMap.of(
            matrix, matrix @ (0.5 * (lower + upper)), lower, upper, privacy.neighbours.grain
        )
        exact = replace(exact, offset=np.zeros(len(matrix), dtype=object))
        noise = _noise(privacy, exact)
        self.kernel = _kernel(labels, program.data_names, program.private, privacy, exact, noise)

    @property
    def W(self) -> Dense:
        """The sums that are measured, one a row, over the private entries."""
        return self.kernel.map.gain

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sums."""
        return self.kernel.names

    @property
    def privacy(self) -> Privacy:
        """The noise that was asked for."""
        return self.kernel.privacy

    @property
    def calibration(self) -> Calibration | None:
        """Noise scale, grid and charge; None where nothing is measured."""
        return self.kernel.calibration

    @property
    def domain(self) -> tuple[Vector, Vector]:
        """Ends of the box that data are clamped to."""
        return self.kernel.map.box

    @property
    def rounding(self) -> Vector:
        """How far y - W u can be from the noise that was added: what grids and floats moved."""
        exact, noise = self.kernel.map, self.calibration
        if noise is None:
            return np.zeros(0)
        ends = max(float(np.abs(end).max(initial=0.0)) for end in exact.box)
        entry = 2 * math.ldexp(1.0, -exact.coarse) + math.ulp(ends)
        cell = math.ldexp(1.0, max(noise.exponent, exact.coarsest))
        return 2 * (np.abs(self.W).sum(axis=1) * entry + cell)

    def measure(self, d: Any, ledger: Ledger | None = None, key: str | None = None) -> Measurement:  # noqa: ANN401
        """Measure the private data d: clamp, add up, add noise.

        The epsilons of all measurements and releases about the same data add up; what is decided
        from this measurement costs nothing more. Only the private entries of d are read.

        Parameters
        ----------
        d
            The data, in the order or with the labels of `program.data_names`.
        ledger
            Counts the measurement against a limit: charged on disk before d is read.
        key
            Names it in the ledger: asked again under the same key it is replayed, free.
        """
        if self.calibration is None:
            arrays.check_length(d, len(self.kernel.data_names), "d", labels=self.kernel.data_names)
            return Measurement(self.to_dict(), self.W, self.domain, None)
        release = self.kernel.release(d, ledger, key)
        return Measurement(self.to_dict(), self.W, self.domain, release)

    def __repr__(self) -> str:
        if self.calibration is None:
            return "Instrument(nothing is measured; epsilon 0)"
        noise = self.calibration
        return (
            f"Instrument({len(self.names)} sums of {len(self.kernel.private)} private entries; "
            f"noise of scale {noise.scale:.4g} on each; {self.privacy.describe()})"
        )

    def view(self) -> View:
        """What is measured, and with what noise."""
        noise = self.calibration
        scale = 0.0 if noise is None else noise.scale
        lower, upper = self.domain
        reach = np.abs(self.W) @ (0.5 * (upper - lower))
        entries = [int(np.count_nonzero(row)) for row in self.W]
        return View(
            "Instrument",
            Table(
                "sum",
                self.names,
                {
                    "entries": entries,
                    "can vary by": reach,
                    "noise": np.full(len(self.names), scale),
                },
                "what is measured",
            ),
            (
                Fact("charge", self.privacy.describe() if noise is not None else "none"),
                Fact("hides", self.privacy.neighbours.hidden),
                Fact("sensitivity", "0" if noise is None else up(noise.sensitivity, 10)),
            ),
            guarantee=self.kernel.guarantee,
            notes=("can vary by: the most that a sum moves over the domain, either way.",),
        )

    def plot(self) -> Any:  # noqa: ANN401 -- a plotly figure; plotly has no types
        """How far each sum can vary over the domain, beside its noise (the extra `report`)."""
        lower, upper = self.domain
        middle = self.W @ (0.5 * (lower + upper))
        reach = np.abs(self.W) @ (0.5 * (upper - lower))
        scale = 0.0 if self.calibration is None else self.calibration.scale
        marks = [
            Dots("over the domain", middle, middle - reach, middle + reach),
            Dots("noise", middle, middle - 3 * scale, middle + 3 * scale),
        ]
        return spans(self.names, marks, "What is measured", self.privacy.describe(), "sum")

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        kernel, noise = self.kernel, self.calibration
        return {
            "names": list(kernel.names),
            "noise": kernel.privacy.to_dict(),
            "map": kernel.map.to_dict(),
            "calibration": None if noise is None else calibration_to_dict(noise),
            "data_names": list(kernel.data_names),
            "private": [int(i) for i in kernel.private],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The instrument that `to_dict` wrote; its claim is made anew from map and noise."""
        privacy, exact = registry.from_dict(data["noise"]), FixedMap.from_dict(data["map"])
        r, given = len(listed(data["names"])), data["calibration"]
        data_names = texts(data["data_names"], len(listed(data["data_names"])))
        private = integers(data["private"])
        whole = (
            exact.matrix.shape == (r, len(private))
            and not any(int(v) for v in exact.offset)
            and len(set(data_names)) == len(data_names)
            and private == sorted(set(private))
            and len(private) > 0
            and 0 <= private[0] <= private[-1] < len(data_names)
            and (given is None) == (r == 0)
        )
        if not whole:
            raise ValueError
        noise = None if given is None else calibration_from_dict(privacy, given, r, exact.bound())
        made = cls.__new__(cls)
        made.kernel = _kernel(
            texts(data["names"], r), data_names, np.array(private, dtype=np.int64), privacy, exact,
            charged(privacy, exact, noise),
        )  # fmt: skip
        return made


def _kernel(
    names: tuple[str, ...],
    data_names: tuple[str, ...],
    private: NDArray[np.int64],
    privacy: Privacy,
    exact: FixedMap,
    noise: Calibration | None,
) -> PolicyKernel:
    """The part that reads d; a ledger knows it by its map, noise and names."""
    subject = digest([list(names), privacy.to_dict(), exact.to_dict()])
    return PolicyKernel(
        names=names,
        data_names=data_names,
        private=private,
        privacy=privacy,
        map=exact,
        calibration=noise,
        guarantee=Guarantee(policy_claim(privacy, noise, "W e_j"), _NOTHING),
        identity=(subject, digest([[int(v) for v in row] for row in exact.matrix])),
        mechanism="measurement",
    )


def _noise(privacy: Privacy, exact: FixedMap) -> Calibration | None:
    r = len(exact.offset)
    if not r:
        return None
    size = exact.sensitivity(privacy.neighbours, privacy.order, -2000)
    return calibrated(privacy, exact, privacy.calibrate(r, size), 0.0)


def _rows(W: Any, names: Any, own: tuple[str, ...]) -> tuple[Dense, tuple[str, ...]]:  # noqa: ANN401
    """W as a matrix over the private entries, and the names of its rows."""
    if isinstance(W, Mapping):
        if names is not None:
            raise InputError("names were given with a dict.", "one of them.", "leave names out.")
        groups = cast("Mapping[Any, Any]", W)
        matrix = np.zeros((len(groups), len(own)))
        for k, group in enumerate(groups.values()):
            chosen = positions(group, own, "private entries of d")
            if len(set(chosen)) != len(chosen):
                raise InputError(
                    f"the sum {str(list(groups)[k])!r:.40} has an entry twice.",
                    "each entry once.",
                    "take one out, or pass a matrix with the weights you mean.",
                )
            matrix[k, chosen] = 1.0
        labels = check_names(groups, len(groups), "sums")
    else:
        matrix = arrays.matrix(W, "W", columns=own).toarray()
        if matrix.shape[1] != len(own):
            raise InputError(
                f"W has {matrix.shape[1]} columns.",
                f"{len(own)}: one for each private entry of d.",
                "the private entries are those of program.private, in their order.",
            )
        given = [f"sum[{k}]" for k in range(len(matrix))] if names is None else names
        labels = check_names(given, len(matrix), "sums")
    empty = np.flatnonzero(~matrix.any(axis=1))
    if len(empty):
        raise InputError(
            f"the sum {labels[int(empty[0])]!r} has no entry.",
            "sums of some private entries.",
            "leave it out.",
        )
    return matrix, labels
