"""Analytic margins: each row by itself, A_i z~ <= b_i - q_i.

q_i is the (1 - eta_i) quantile of A_i Z xi. margin="exact": the quantile of that very noise, a
multiple of the 2-norm for Gaussian noise, a norm of its own for Laplace (see `noise.laplace_sum`).
margin="unimodal": sqrt(2 / (9 eta_i)) sqrt(A_i Z Sigma Z'A_i'), the paper's, valid for every
symmetric unimodal noise and eta_i <= 1/6.

scope="row" promises each row; scope="joint" splits eta over the rows (Bonferroni) and promises all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privopt.arrays import Dense, Vector, numbers, vector
from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms
from privopt.errors import CombinationError, InputError
from privopt.feasibility.protocol import Feasibility
from privopt.noise.law import Law
from privopt.scalars import probability
from privopt.solving.margins import Cuboid, Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.program import Rows

__all__ = ["Analytic"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Analytic(Feasibility):
    """Each row holds with probability at least 1 - eta (or all of them, with scope="joint").

    Parameters
    ----------
    eta
        A number, or one for each row of `program.rows` (A first, then lower, then upper bounds).
        Rows that the program takes for equalities, or that hold because those do, may have theirs
        too; they hold always.
    margin
        "exact" for the noise in use, or the paper's "unimodal" bound (eta <= 1/6).
    scope
        "row", or "joint": a number eta is split evenly over the rows, a vector is summed up.
    """

    name: ClassVar[str] = "analytic"
    kind: ClassVar[str] = "Analytic"

    eta: ArrayLike = field(metadata={"help": "Chance that a limit fails: 0.05 for 95%."})
    margin: Literal["exact", "unimodal"] = field(default="exact", metadata={"help": "Of analytic."})
    scope: Literal["row", "joint"] = field(
        default="row", metadata={"help": "Of analytic: each limit, or all."}
    )

    def __post_init__(self) -> None:
        if self.margin not in ("exact", "unimodal"):
            raise InputError(
                f"margin is {self.margin!r}.", '"exact" or "unimodal".', 'leave it at "exact".'
            )
        if self.scope not in ("row", "joint"):
            raise InputError(f"scope is {self.scope!r}.", '"row" or "joint".', "choose one.")
        given = numbers(self.eta)
        if given is None:
            raise InputError(
                "eta could not be read as numbers.", "a number or one for each row.", "use 0.025."
            )
        for value in given.ravel():
            probability(float(value), "eta", high=0.5)
        if self.margin == "unimodal" and self._shared is None and (given > 1 / 6).any():
            _refuse_unimodal(float(given.max()))
        if self.scope == "joint" and given.ndim and given.sum() >= 1:
            raise InputError(
                f"the entries of eta add up to {given.sum():g}.",
                "a sum below 1 for a joint promise.",
                "use smaller entries, or scope='row'.",
            )

    @property
    def _shared(self) -> float | None:
        """The number that is split over the rows, if it is."""
        return (
            float(np.asarray(self.eta))
            if self.scope == "joint" and np.ndim(self.eta) == 0
            else None
        )

    @property
    def total_eta(self) -> float | None:
        """Eta, summed up for a joint promise; None for rows with different ones."""
        given = np.asarray(self.eta, dtype=float)
        if self.scope != "joint" and given.ndim:
            return None
        return float(sum(Decimal(repr(float(value))) for value in given.ravel()))

    @property
    def largest_eta(self) -> float:
        """Of the unimodal margin 1/6, for each row."""
        return 1 / 6 if self.margin == "unimodal" and self.scope == "row" else 0.499

    def fitted(self, rows: Rows) -> Analytic:
        """The same without the entries of rows that hold always."""
        if not np.ndim(self.eta):
            return self
        given = vector(self.eta, np.size(self.eta), "eta")
        return replace(self, eta=rows.own(given))

    def row_eta(self, rows: int) -> Vector:
        """eta_i of every row."""
        if self._shared is not None:
            return np.full(rows, self._shared / max(rows, 1))
        if np.ndim(self.eta) and np.size(self.eta) != rows:
            raise InputError(
                f"eta has {np.size(self.eta)} entries.",
                f"one for each of the {rows} rows of program.rows (A, then bounds), or one number.",
                "see program.rows.names for their order.",
            )
        return vector(self.eta, rows, "eta")

    def margins(self, chance: NoisyProgram, rng: np.random.Generator) -> Margins:
        """A margin on each row."""
        rows = chance.program.rows
        eta = self.fitted(rows).row_eta(chance.rows)
        if self._shared is None:  # facets of a curved limit share what it may fail by
            eta = eta * rows.shares
        law, p = chance.calibration.law, chance.noise_dimensions
        if self.margin == "unimodal":
            if (eta > 1 / 6).any():
                _refuse_unimodal(float(eta.max()))
            return Margins(deviations=_unimodal(eta))
        if law.spherical:
            return Margins(deviations=law.cone(eta, p))
        single = law.quantile(np.eye(1, p), np.array([eta.max(initial=1e-9)]))[0]
        if float(single[0]) >= law.bound:
            # Heavy truncation: nothing lies beyond the support, which is nearer than the quantile.
            return Margins(box=Cuboid(np.full(p, -law.bound), np.full(p, law.bound)))
        norm, ceiling = partial(_quantile, law, eta), _unimodal(eta)
        return Margins(deviations=law.cone(eta, p), norm=norm, ceiling=ceiling)

    def claim(self, chance: NoisyProgram) -> Claim:
        """Each row, or all of them if their probabilities add up to eta."""
        fitted = self.fitted(chance.program.rows)
        given = np.asarray(fitted.eta, dtype=float)
        how = (
            "a bound on the quantile of every symmetric unimodal noise"
            if self.margin == "unimodal"
            else chance.calibration.law.margin
        )
        if self.scope == "joint":
            return Claim.of(
                FeasibilityTerms(chance.program.rows.limits, fitted.total_eta),
                Provenance.PROVEN,
                f"the margin of each row is {how}, and the probabilities add up (Bonferroni)",
                Scope.JOINT,
            )
        given = given if given.size else np.zeros(1)  # without rows, none can fail
        most = float(given.max()) if given.ndim else None
        return Claim.of(
            FeasibilityTerms(chance.program.rows.limits, float(given.min()), each=True, most=most),
            Provenance.PROVEN,
            f"the margin of each row is {how}; rows may fail at different draws, so some row may "
            "fail more often",
            Scope.ROW,
        )


def _unimodal(eta: Vector) -> Vector:
    """Deviations that bound the quantile of every symmetric unimodal noise.

    sqrt(2 / (9 eta)) up to eta = 1/6 (the paper's), sqrt(3) (1 - 2 eta) beyond (Gauss).
    """
    return np.where(eta <= 1 / 6, np.sqrt(2 / (9 * eta)), np.sqrt(3) * (1 - 2 * eta))


def _quantile(law: Law, eta: Vector, rows: NDArray[np.intp], a: Dense) -> tuple[Vector, Dense]:
    return law.quantile(a, eta[rows])


def _refuse_unimodal(eta: float) -> None:
    raise CombinationError(
        f"eta is {eta:g} with the unimodal margin.",
        "eta <= 1/6: the bound is proven only there.",
        'use a smaller eta, or margin="exact".',
    )
