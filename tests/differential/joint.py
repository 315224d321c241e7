"""A decision as one plain CVXPY program: values, certificate and completions together.

    minimise   mean_k c(x_k) + fidelity mean_k ||q - S z*(u_k)||^2      over q, z0, K, m, x_k
    subject to M x_k = start + F u_k,  A x_k <= b + B u_k,  norms,  S x_k = q      for each draw u_k
               M z0 = start,  M K = F,  S z0 = q,  S K = 0
               A_i z0 + max { (A_i K - B_i) u } <= b_i        over the region, by its dual
               ||C z(v) + e|| <= f'z(v) + g                   at its vertices v

In the certificate, u is counted from the middle of the region.
"""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import cvxpy as cp
import numpy as np
from tests.differential.nice import Matrix, Vector
from tests.differential.questions import Question
from tests.reference.plain import square_root

NOTHING = 1e-3  # of the usual size of a variable: costs that are zero are not divided by


class Where:
    """A question, draws of its private entries, and where these lie: its box, and slabs W u."""

    def __init__(self, one: Question, draws: Matrix, W: Matrix, low: Vector, high: Vector) -> None:
        self.one, self.draws, self.W, reach = one, draws, W, abs(W) @ one.half
        self.low = np.maximum(low - W @ one.u, -reach)
        self.high = np.minimum(high - W @ one.u, reach)

    @property
    def vertices(self) -> Any:
        """The corners of the region from its middle, a column each."""
        q = len(self.one.u)
        rows = np.vstack([np.eye(q), -np.eye(q), self.W, -self.W])
        ends = np.concatenate([self.one.half, self.one.half, self.high, -self.low])
        sets = [list(at) for at in combinations(range(len(rows)), q)]
        found = [np.linalg.solve(rows[at], ends[at]) for at in sets if _regular(rows[at])]
        return np.array([v for v in found if (rows @ v <= ends + 1e-9).all()]).T


class Model:
    """The programs of one question over one region; limits are less by `tight` of their size."""

    def __init__(self, where: Where, tight: float = 0.0) -> None:
        self.where, self.one, self.tight = where, where.one, tight
        (self.A, b, self.B), (self.M, self.start, self.F) = (
            self.one.inequalities,
            self.one.equalities,
        )
        reach = np.maximum(abs(self.one.lower), abs(self.one.upper))
        sizes = abs(self.A) * np.where(np.isfinite(reach), reach, 1.0)
        self.b = b - tight * (sizes.max(axis=1, initial=0.0) + abs(b + self.B @ self.one.u))
        self.answers: Any = None

    def optimum(self, gain: Matrix | None = None) -> float | None:
        """The least mean cost of values that have a certificate, with any K or with this one."""
        one, where, n = self.one, self.where, len(self.one.c1)
        z0, q = cp.Variable(n), cp.Variable(len(one.S))
        K = cp.Variable((n, len(one.u))) if gain is None else cp.Constant(gain)
        rows: list[Any] = [self.M @ z0 == one.d, one.S @ z0 == q]
        if gain is None:
            rows += [self.M @ K == self.F, one.S @ K == 0]
        up, down = (cp.Variable((len(self.A), max(1, len(where.W))), nonneg=True) for _ in range(2))
        slopes, margin = self.A @ K - self.B, 0
        if len(where.W):
            slopes = slopes - (up - down) @ where.W
            margin = up @ where.high - down @ where.low
        worst = self.A @ z0 + cp.abs(slopes) @ one.half + margin
        rows.append(worst <= self.b + self.B @ one.u)
        if one.norms:
            corners = where.vertices
            rows += self._norms(cp.outer(z0, np.ones(corners.shape[1])) + K @ corners)
        return self._solved(q, rows)[0]

    def value(self, q: Vector) -> tuple[float | None, float]:
        """The mean cost of given values, completed at its best at each draw, and its size."""
        one, (cost, x) = self.one, self._solved(q, [])
        z = np.abs(x) + NOTHING * np.abs(x).mean(axis=0)
        size = np.mean(abs(one.c1) @ z + (z * (abs(one.C2) @ z)).sum(axis=0))
        return cost, float(size) or 1.0

    def _solved(self, q: Any, rows: list[Any]) -> tuple[float | None, Matrix]:
        """The objective with what each draw keeps, and completions; without q their optima."""
        one, u = self.one, self.where.draws
        x, ones = cp.Variable((len(one.c1), u.shape[1])), np.ones(u.shape[1])
        rows = [*rows, self.M @ x == self.start[:, None] + self.F @ u, *self._norms(x)]
        rows.append(self.A @ x <= self.b[:, None] + self.B @ u)
        cost = cp.sum(one.c1 @ x)
        if one.C2.any():
            cost = cost + cp.sum_squares(square_root(one.C2) @ x)
        if q is not None:
            rows.append(one.S @ x == cp.outer(q, ones))
        if q is not None and one.fidelity:
            if self.answers is None:
                self.answers = one.S @ self._solved(None, [])[1]
            if np.isnan(self.answers).any():
                return None, self.answers
            cost = cost + one.fidelity * cp.sum_squares(cp.outer(q, ones) - self.answers)
        value = solved(cp.Problem(cp.Minimize(cost / u.shape[1]), rows))
        return value, np.full(x.shape, np.nan) if value is None else np.asarray(x.value)

    def _norms(self, x: Any) -> list[Any]:
        return [
            cp.norm(C @ x + np.outer(e, np.ones(x.shape[1])), 2, axis=0)
            <= f @ x + g - self.tight * (1 + abs(g))
            for C, e, f, g in self.one.norms
        ]


def _regular(M: Matrix) -> bool:
    return abs(np.linalg.det(M)) > 1e-9


def solved(problem: Any) -> float | None:
    """The optimal value; None if the program is infeasible."""
    for tolerance in (1e-10, 1e-8):
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
