"""The nice program in plain CVXPY, by two solvers: the value that any form of it must have.

A plan:     minimise E[c]  over z, Z          G z = d, G Z = 0, S Z = I, A z + h(A Z) <= b

h(a) is `factor` deviations sigma ||a||_2, or a box: half-width ||a||_1. Nothing of privopt is used.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
from tests.differential.nice import Matrix, Nice
from tests.reference.plain import square_root

AGREE = 1e-9
TIGHT = 1e-11


@dataclass(frozen=True)
class Margin:
    """Noise of deviation sigma; margins of `factor` deviations, or a box of that half-width."""

    sigma: float
    factor: float | None = None
    half: float | None = None


@dataclass(frozen=True)
class Value:
    """The optimal cost (None: no point), the size it is relative to, how far two solvers differ."""

    cost: float | None
    size: float
    apart: float

    @property
    def agreed(self) -> bool:
        """Whether both found it."""
        return self.apart <= AGREE


def plain_value(nice: Nice) -> Value:
    """The program without noise."""
    z = cp.Variable(nice.n)
    (A, b), (G, d) = nice.inequalities, nice.equalities
    constraints = [d == G @ z, A @ z <= b] if len(A) else [d == G @ z]
    return _two(_cost(nice, z), constraints, nice, z)


def plan_value(nice: Nice, margin: Margin) -> Value:
    """A plan."""
    p = len(nice.S)
    z, Z = cp.Variable(nice.n), cp.Variable((nice.n, p))
    (A, b), (G, d) = nice.inequalities, nice.equalities
    constraints: list[Any] = [d == G @ z, G @ Z == 0, np.eye(p) == nice.S @ Z]
    if len(A):
        constraints.append(A @ z + _noise(A, Z, margin) <= b)
    cost = _cost(nice, z) + margin.sigma**2 * _energy(nice, Z)
    return _two(cost, constraints, nice, z)


def _cost(nice: Nice, z: Any) -> Any:
    return nice.c1 @ z + _energy(nice, z)


def _energy(nice: Nice, Z: Any) -> Any:
    return cp.sum_squares(square_root(nice.C2) @ Z) if nice.C2.any() else 0.0


def _noise(A: Matrix, Z: Any, margin: Margin) -> Any:
    if margin.factor is not None:
        return margin.factor * margin.sigma * cp.norm(A @ Z, 2, axis=1)
    return float(margin.half or 0.0) * cp.norm(A @ Z, 1, axis=1)


def _two(cost: Any, constraints: list[Any], nice: Nice, z: Any) -> Value:
    """Solve by Clarabel, and by another solver or, where none of them gets far, by its dual."""
    problem = cp.Problem(cp.Minimize(cost), constraints)
    first = _solved(problem, cp.CLARABEL)
    if first is None:
        return Value(None, 1.0, np.inf if problem.status != cp.INFEASIBLE else 0.0)
    size = max(abs(first), nice.size(np.asarray(z.value))) or 1.0
    others = [lambda: _solved(problem, cp.HIGHS)] if problem.is_qp() else []
    apart = np.inf
    for other in [*others, lambda: _dual(problem), lambda: _solved(problem, cp.SCS)]:
        second = other()
        if second is not None:
            apart = min(apart, abs(second - first) / size)
        if apart <= AGREE:
            break
    return Value(first, size, apart)


def _dual(problem: Any) -> float | None:
    """max -x'P x / 2 - b'y  subject to  P x + A'y = -q,  y in the dual cone: a bound from below."""
    data, _, _ = problem.get_problem_data(cp.CLARABEL)
    A, b, q, dims = data["A"], data["b"], data["c"], data["dims"]
    P = data.get("P")
    y, x = cp.Variable(len(b)), cp.Variable(len(q))
    energy, pull = 0.0, A.T @ y
    if P is not None and P.nnz:
        full = np.asarray((P + P.T).toarray() - np.diag(P.diagonal()))
        # cvxpy may hand over the upper half or the whole.
        full = P.toarray() if np.abs(P - P.T).max() == 0 else full
        energy, pull = 0.5 * cp.sum_squares(square_root(full) @ x), pull + full @ x
    start = dims.zero
    constraints: list[Any] = [pull == -q]
    if dims.nonneg:
        constraints.append(y[start : start + dims.nonneg] >= 0)
        start += dims.nonneg
    for length in dims.soc:
        constraints.append(cp.norm(y[start + 1 : start + length]) <= y[start])
        start += length
    bound = cp.Problem(cp.Maximize(-energy - b @ y), constraints)
    return _solved(bound, cp.CLARABEL)


_OPTIONS: dict[str, dict[str, Any]] = {
    cp.CLARABEL: {
        "tol_gap_abs": TIGHT, "tol_gap_rel": TIGHT, "tol_feas": TIGHT, "max_iter": 200,
    },
    cp.HIGHS: {
        "highs_options": {
            "primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10,
            "simplex_iteration_limit": 20_000, "qp_iteration_limit": 5_000,
        }
    },
    cp.SCS: {"eps_abs": 1e-11, "eps_rel": 1e-11, "max_iters": 5000},
}  # fmt: skip


def _solved(problem: Any, solver: str) -> float | None:
    """The optimal value; None where the solver says that there is none, or nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "may be inaccurate": the two values are compared
        try:
            problem.solve(solver=solver, **_OPTIONS[solver])
        except cp.SolverError:
            return None
    found = problem.status in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE)
    return float(np.asarray(problem.value).item()) if found else None
