"""A decision as one plain CVXPY program: values, certificate and completions together.

    minimise   mean_k c(x_k) + fidelity mean_k ||q - S z*(u_k)||^2      over q, z0, K, m, x_k
    subject to M x_k = start + F u_k,  A x_k <= b + B u_k,  norms,  S x_k = q      for each draw u_k
               M z0 = start,  M K = F,  S z0 = q,  S K = 0
               A_i z0 + max { (A_i K - B_i) u } <= b_i        over the region, by its dual
               ||C z(v) + e|| <= f'z(v) + g                   at its vertices v

Coordinates of u are from the middle of the region.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import cvxpy as cp
import numpy as np
from tests.differential.nice import Matrix, Vector
from tests.differential.questions import Question
from tests.reference.plain import square_root

TIGHT = 1e-10
NOTHING = 1e-3  # of the usual size of a variable


@dataclass(frozen=True)
class Where:
    """Draws of the private entries, a column each, and their region: a box and slabs."""

    draws: Matrix
    middle: Vector
    half: Vector
    W: Matrix
    low: Vector
    high: Vector

    @property
    def vertices(self) -> Matrix:
        """The corners of the region from its middle, a column each."""
        q = len(self.half)
        rows = np.vstack([np.eye(q), -np.eye(q), self.W, -self.W])
        ends = np.concatenate([self.half, self.half, self.high, -self.low])
        found: list[Vector] = []
        for at in map(list, combinations(range(len(rows)), q)):
            if abs(np.linalg.det(rows[at])) > 1e-9:
                v = np.linalg.solve(rows[at], ends[at])
                if (rows @ v <= ends + 1e-9).all():
                    found.append(v)
        return np.array(found).T


@dataclass(frozen=True)
class Joint:
    """The optimal mean cost (None: infeasible), and the size that errors are relative to."""

    cost: float | None
    size: float = 1.0


class Model:
    """The programs of one question over one region; limits are less by `tight` of their size."""

    def __init__(self, one: Question, where: Where, tight: float = 0.0) -> None:
        self.one, self.where, self.tight = one, where, tight
        self.A, self.b, self.B = one.inequalities
        reach = np.maximum(np.abs(one.lower), np.abs(one.upper))
        sizes = np.abs(self.A) * np.where(np.isfinite(reach), reach, 1.0)
        self.b = self.b - tight * (sizes.max(axis=1, initial=0.0) + np.abs(self.b))
        self.M, self.start, self.F = one.equalities
        self._answers = self._completed(None)[1] if one.fidelity else np.zeros((0, 0))

    def optimum(self, gain: Matrix | None = None) -> Joint:
        """The least mean cost of values that have a certificate, with any K or with this one."""
        one, where = self.one, self.where
        if np.isnan(self._answers).any():  # some draw has no solution whatever is released
            return Joint(None)
        n, p, r = one.n, len(where.half), len(where.W)
        z0, K, q = cp.Variable(n), cp.Variable((n, p)), cp.Variable(len(one.S))
        due = self.start + self.F @ where.middle
        rows: list[Any] = [self.M @ z0 == due, one.S @ z0 == q]
        if gain is None:
            rows += [self.M @ K == self.F, one.S @ K == 0]
        else:
            K = cp.Constant(gain)
        if len(self.A):
            slopes, margin = self.A @ K - self.B, 0
            if r:
                up, down = (cp.Variable((len(self.A), r), nonneg=True) for _ in range(2))
                margin = up @ where.high - down @ where.low
                slopes = slopes - (up - down) @ where.W
            worst = cp.abs(slopes) @ where.half + margin
            rows.append(self.A @ z0 + worst <= self.b + self.B @ where.middle)
        if one.norms:
            corners = where.vertices
            rows += self._curved(cp.outer(z0, np.ones(corners.shape[1])) + K @ corners)
        cost, more, x = self._costs(q)
        problem = cp.Problem(cp.Minimize(cost), [*rows, *more])
        value = solved(problem)
        return Joint(value) if value is None else Joint(value, self._size(x.value))

    def value(self, q: Vector) -> float | None:
        """The mean cost of given values, completed at its best at each draw."""
        return self._completed(q)[0]

    def _completed(self, q: Vector | None) -> tuple[float | None, Matrix]:
        cost, rows, x = self._costs(q)
        return solved(cp.Problem(cp.Minimize(cost), rows)), one_value(x)

    def _costs(self, q: Any) -> tuple[Any, list[Any], Any]:
        """The objective, what each draw keeps, and its completions; without q its optimum."""
        one, u = self.one, self.where.draws
        count = u.shape[1]
        x = cp.Variable((one.n, count))
        rows: list[Any] = [self.M @ x == self.start[:, None] + self.F @ u, *self._curved(x)]
        if len(self.A):
            rows.append(self.A @ x <= self.b[:, None] + self.B @ u)
        cost = cp.sum(one.c1 @ x) / count
        if one.C2.any():
            cost = cost + cp.sum_squares(square_root(one.C2) @ x) / count
        if q is not None:
            rows.append(one.S @ x == cp.outer(q, np.ones(count)))
        if q is not None and one.fidelity:
            off = cp.outer(q, np.ones(count)) - one.S @ self._answers
            cost = cost + one.fidelity * cp.sum_squares(off) / count
        return cost, rows, x

    def _curved(self, x: Any) -> list[Any]:
        ones = np.ones(x.shape[1])
        return [
            cp.norm(norm.C @ x + np.outer(norm.e, ones), 2, axis=0)
            <= norm.f @ x + norm.g - self.tight * (1 + abs(norm.g))
            for norm in self.one.norms
        ]

    def _size(self, x: Matrix) -> float:
        """The mean of |c|'|x| + |x|'|C2| |x|; costs that are next to nothing are not divided by."""
        one, z = self.one, np.abs(x) + NOTHING * np.abs(x).mean(axis=0)
        return float(np.mean(np.abs(one.c1) @ z + (z * (np.abs(one.C2) @ z)).sum(axis=0))) or 1.0


def one_value(x: Any) -> Matrix:
    """The value of a variable; NaN where there is none."""
    return np.full(x.shape, np.nan) if x.value is None else np.asarray(x.value)


def solved(problem: Any) -> float | None:
    """The optimal value; None if the program is infeasible."""
    for tolerance in (TIGHT, 1e2 * TIGHT):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            options = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), tolerance)
            problem.solve(solver=cp.CLARABEL, max_iter=200, **options)
        if problem.status in (cp.OPTIMAL, cp.INFEASIBLE):
            break
    if problem.status in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
        return float(problem.value)
    if problem.status == cp.INFEASIBLE:
        return None
    raise cp.SolverError(problem.status)
