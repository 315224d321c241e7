"""The affine rule as one would write it down in CVXPY: z = z0 + K u + Z xi, S K = S Z W."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
from tests.certified.programs import Case
from tests.reference.plain import solve_tightly, square_root


@dataclass(frozen=True)
class Moments:
    """Mean and variances of the private data; and of the answers, mean and covariance with them."""

    mean: np.ndarray
    variance: np.ndarray
    answer: np.ndarray
    covariance: np.ndarray


def follow(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Right-hand side at private entries zero, and how it follows them."""
    start, F = case.d.copy(), np.zeros((len(case.G), len(case.low)))
    start[case.private] = 0.0
    F[case.private, np.arange(len(case.low))] = 1.0
    for row in case.balance:  # one entry that absorbs: all demands sum to zero
        start[row], F[row] = 0.0, -1.0
    return start, F


def objective(
    case: Case, moments: Moments, deviation: float, z: Any, K: Any, Z: Any, *, tool: Any
) -> Any:
    """Expected cost and fidelity at the mean z, up to a constant; numbers or expressions."""
    root = square_root(case.quadratic)
    spread = np.diag(np.sqrt(moments.variance))
    value = (
        case.linear @ z
        + tool.sum_squares(root @ z)
        + tool.sum_squares(root @ K @ spread)
        + deviation**2 * tool.sum_squares(root @ Z)
    )
    if case.fidelity:
        S = case.S
        off = tool.sum_squares(S @ z - moments.answer) + tool.sum_squares(S @ K @ spread)
        off = off + deviation**2 * tool.sum_squares(S @ Z)
        off = off - 2 * tool.sum(tool.multiply(S @ K, moments.covariance))
        value = value + case.fidelity * off
    return value


class Numbers:
    """What `objective` needs, of arrays."""

    @staticmethod
    def sum_squares(x: np.ndarray) -> float:
        """Of all entries."""
        return float(np.square(x).sum())

    sum, multiply = staticmethod(np.sum), staticmethod(np.multiply)


def reference_rule(
    case: Case,
    W: np.ndarray,
    moments: Moments,
    deviation: float,
    *,
    norm: float | None = None,
    box: float | None = None,
) -> float:
    """The optimum: margins of `norm` times the 2-norm of A_i Z, or of `box` times its 1-norm."""
    tool: Any = cp
    n, q, r = case.n, len(case.low), len(W)
    start, F = follow(case)
    z, K, Z = cp.Variable(n), cp.Variable((n, q)), cp.Variable((n, r))
    A, b = case.rows()
    middle, half = 0.5 * (case.low + case.high), 0.5 * (case.high - case.low)
    moving = half > 0
    conditions = [
        case.G @ z == start + F @ moments.mean,
        case.G @ K[:, moving] == F[:, moving],
        K[:, ~moving] == 0,
        case.G @ Z == 0,
        case.S @ K[:, moving] == case.S @ Z @ W[:, moving],
    ]
    if len(A):
        noise = (
            norm * tool.norm(A @ Z, 2, axis=1)
            if norm is not None
            else (box or 0.0) * tool.sum(tool.abs(A @ Z), axis=1)
        )
        worst = A @ K @ (middle - moments.mean) + tool.abs(A @ K) @ half
        conditions.append(A @ z + worst + noise <= b)
    value = objective(case, moments, deviation, z, K, Z, tool=tool)
    return solve_tightly(tool.Problem(tool.Minimize(value), conditions))
