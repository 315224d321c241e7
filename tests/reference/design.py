"""The design program as one would write it down in CVXPY: the reference for `design`."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np

import privopt as po


def reference_cost(
    program: po.ConvexProgram,
    S: Any,
    *,
    lower: np.ndarray,
    upper: np.ndarray,
    alpha: float | np.ndarray,
    scale: float,
    variance: float,
    factor: float | None = None,
    half_width: float | None = None,
    order: int = 1,
    floor: float = 0.0,
    start: np.ndarray | None = None,
    F: np.ndarray | None = None,
    owners: list[list[int]] | None = None,
) -> tuple[float, float]:
    """Expected cost and s: `factor` deviations a row, or the box of that half-width (scale one)."""
    tool: Any = cp
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    n, q, p = program.n, len(lower), S.shape[0]
    G = program.equalities.matrix.toarray()
    follow = np.zeros((len(G), q)) if F is None else F
    if F is None:
        follow[program.private, np.arange(q)] = 1.0
    d0 = (program.equalities.bound if start is None else start) + follow @ middle
    z, K, Z, s = cp.Variable(n), cp.Variable((n, q)), cp.Variable((n, p)), cp.Variable()
    A, b = program.rows.matrix.toarray(), program.rows.bound
    noise = (
        factor * scale * np.sqrt(variance) * tool.norm(A @ Z, 2, axis=1)
        if factor is not None
        else scale * (half_width or 0.0) * tool.sum(tool.abs(A @ Z), axis=1)
    )
    reach = np.minimum(alpha, 2 * half) / np.max(alpha)
    moved = tool.multiply(S.toarray() @ K, np.tile(reach, (p, 1)))
    groups = [[j] for j in range(q)] if owners is None else owners
    together = [tool.norm(sum(tool.abs(moved[:, j]) for j in group), order) for group in groups]
    C2 = program.quadratic.toarray()
    root = np.linalg.cholesky(C2 + 1e-14 * np.eye(n)).T
    cost = (
        program.linear @ z
        + tool.quad_form(z, tool.psd_wrap(C2))
        + tool.sum_squares(root @ K @ np.diag(half / np.sqrt(3)))
        + scale**2 * variance * tool.sum_squares(root @ Z)
    )
    problem: Any = tool.Problem(
        tool.Minimize(cost),
        [
            G @ z == d0,
            follow == G @ K,
            G @ Z == 0,
            S.toarray() @ Z == s * np.eye(p),
            *(one <= s for one in together),
            s >= floor,
            A @ z + tool.abs(A @ K) @ half + noise <= b,
        ],
    )
    problem.solve(solver=tool.CLARABEL)
    if problem.status != "optimal":
        raise RuntimeError(problem.status)
    return float(problem.value), float(s.value)
