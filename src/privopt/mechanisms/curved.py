"""A program with a curved cost or curved limits, as plans see it.

    minimise   E[ c1'z + z'C2 z + phi(z) ],   z = z~ + Z xi                 (phi: `solving.price`)
    subject to margins on the rows of `solving.limits`

Plans know linear rows and quadratic costs. Curved limits are polygons inside of them;
phi is replaced by a quadratic function that has its mean slope, and the mean change of its slope,
over draws of z: for each part of phi, with x the few variables it depends on,

    slope(x) ~ g + H (x - mean),     g = E[slope],  H = Cov(x)^-1 Cov(x, slope)

For Gaussian noise the expected cost then has the same slope over z~ and Z as with phi itself
(Stein), so that a solution which gives rise to its own g and H is the optimum; for other noise it
is nearly so. The program is solved again with the g and H of its last solution, and the best
solution by true cost over the same draws is kept. What a plan states as its cost is the mean
of the true cost, with phi at its best for each draw (`expected_cost`): over fresh draws, where
it is not exact.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.model.program import ConvexProgram
from privopt.solving.directions import Positions
from privopt.solving.limits import Limits
from privopt.solving.price import Price
from privopt.solving.problem import Outcome
from privopt.solving.program import Program

__all__ = ["Curved", "improved"]

_ROUNDS = 10
_STILL = 1e-6  # of the cost: an improvement below this, twice, is the end
_FIRST, _SMALLER = 0.05, 0.35  # of the size of a variable: draws reach this far at least, and less
_RIDGE = 1e-9

T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class Curved:
    """A program and a query; solutions are over the variables `limits.kept` unless said otherwise.

    Attributes
    ----------
    limits
        What must be kept, as rows.
    near
        An optimum, over all variables.
    """

    program: ConvexProgram
    S: Sparse
    near: Vector
    limits: Limits

    @classmethod
    def of(cls, program: ConvexProgram, S: Sparse, near: Callable[[], Vector]) -> Curved | None:
        """None where rows and a quadratic cost are all there is."""
        limits = Limits.of(program, S)
        if limits.same and not len(program.auxiliary):
            return None
        z = near()
        return cls(program, S, z, Limits.of(program, S, z[None]))

    @cached_property
    def price(self) -> Price:
        """The cost of what is chosen last."""
        last = self.limits.pricing.variables.copy()
        last[self.program.auxiliary] = True
        last[self.S.indices] = False
        return Price(self.program, np.flatnonzero(last))

    @cached_property
    def own(self) -> Sparse:
        """The query over the variables of a solution."""
        return sp.csr_array(self.S[:, self.limits.kept])

    @cached_property
    def _first(self) -> Vector:
        """One for each variable that is not chosen last, zero for the others."""
        first = np.ones(self.program.n)
        first[self.price.t] = 0.0
        return first

    @cached_property
    def early(self) -> Sparse:
        """The quadratic cost of what is not chosen last."""
        first = sp.diags_array(self._first)
        return sp.csr_array(first @ self.program.quadratic @ first)

    def model(self, fit: tuple[Vector, Sparse]) -> Program:
        """The limits with the cost that a fit makes of phi."""
        kept, whole = self.limits.kept, self.program
        linear = self._first * whole.linear + fit[0]
        quadratic = sp.csr_array(self.early + fit[1])
        model = copy.copy(self.limits.program)
        model.linear, model.quadratic = linear[kept], sp.csr_array(quadratic[kept][:, kept])
        return model

    def lifted(self, part: Dense) -> Dense:
        """Rows for all variables, from those of a solution; zero for what only prices."""
        whole = np.zeros((self.program.n, *part.shape[1:]))
        whole[self.limits.kept] = part
        return whole

    def completed(self, z: Dense) -> Dense:
        """Solutions (rows, of all variables) with what is chosen last at its best."""
        whole = z.copy()
        whole[:, self.price.t] = self.price.at(z).t
        return whole

    def costs(self, z: Dense) -> Vector:
        """The true cost of each solution (row, of all variables); NaN where it is infinite."""
        found = self.known(z) + self.price.at(z).values
        return np.where(np.isfinite(found), found, np.nan)

    def known(self, z: Dense) -> Vector:
        """The linear and quadratic cost of each solution (row), without what is chosen last."""
        straight = self.program.constant + z @ (self._first * self.program.linear)
        return straight + (z * np.asarray(self.early @ z.T).T).sum(axis=1)

    def whole(self, z: Dense) -> Dense:
        """Solutions (rows) with a column for every variable."""
        return self.lifted(z.T).T

    def fit(self, z: Dense, reach: float) -> tuple[Vector, Sparse]:
        """Linear and quadratic cost that stand for phi about draws of z (rows, all variables).

        The draws are spread out to at least a part `reach` of the size of each variable.
        """
        rng = np.random.default_rng(5)
        size = np.maximum(np.abs(self.near), np.abs(z).mean(axis=0))
        spread = np.sqrt(np.maximum((reach * size) ** 2 - z.var(axis=0), 0.0))
        wide = z + spread * rng.normal(size=z.shape)
        priced = self.price.at(wide)
        good = np.isfinite(priced.values)
        if not good.any():
            priced = self.price.at(self.near[None] + 0.0 * wide)
            good = np.ones(len(wide), dtype=bool)
        n = self.program.n
        linear = np.zeros(n)
        rows: list[Positions] = []
        columns: list[Positions] = []
        values: list[Vector] = []
        for used, slopes in priced.parts:
            if not len(used):
                continue
            x, y = wide[good][:, used], slopes[good]
            g, mean = y.mean(axis=0), x.mean(axis=0)
            x, y = x - mean, y - g
            cov = x.T @ x
            ridge = _RIDGE * float(np.trace(cov)) / len(used) + 1e-300
            weighed: Dense = cov + ridge * np.eye(len(used))
            H: Dense = np.asarray(la.solve(weighed, x.T @ y, assume_a="pos"), dtype=float)
            weight, basis = np.linalg.eigh(0.5 * (H + H.T))
            H = (basis * np.maximum(weight, 0.0)) @ basis.T
            linear[used] += g - H @ mean
            rows.append(np.repeat(used, len(used)))
            columns.append(np.tile(used, len(used)))
            values.append(0.5 * H.ravel())
        if not rows:
            return linear, sp.csr_array((n, n), dtype=float)
        place: Any = (np.concatenate(rows), np.concatenate(columns))
        return linear, sp.csr_array(sp.coo_array((np.concatenate(values), place), shape=(n, n)))


def improved(
    curved: Curved,
    solve: Callable[[Program], T | Outcome],
    draws: Callable[[T], Dense],
) -> T | Outcome:
    """The best of the solutions that fits lead to.

    Parameters
    ----------
    solve
        Solves a program of limits with a quadratic cost.
    draws
        Solutions (rows, all variables) of what that came to: the same draws in every round.
    """
    z = np.tile(curved.near, (64, 1))
    best: T | Outcome = Outcome.STALLED
    least, calm, reach = np.inf, 0, _FIRST
    fit = curved.fit(z, reach)
    for _ in range(_ROUNDS):
        found = solve(curved.model(fit))
        if isinstance(found, Outcome):
            return found if isinstance(best, Outcome) else best
        z = draws(found)
        costs = curved.costs(z)
        cost = float(np.nanmean(costs)) if np.isfinite(costs).any() else np.inf
        gained = least - cost if np.isfinite(least) else np.inf
        if cost < least or isinstance(best, Outcome):
            best, least = found, cost
        calm = calm + 1 if gained <= _STILL * (1e-9 + abs(cost)) else 0
        if calm > 1 and reach < 1e-3:
            break
        reach *= _SMALLER
        new = curved.fit(z, reach)
        fit = 0.5 * (fit[0] + new[0]), sp.csr_array(0.5 * (fit[1] + new[1]))
    return best
