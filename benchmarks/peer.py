"""The peer: the model as a CVXPY user would write it down, vectorised as its manual advises.

Full z and Z, every row with its margin, Clarabel at its own settings. Bounds are rows like the
others, fixed variables are equalities.
"""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.programs import Matrices


def solve_plain(
    data: Matrices,
    deviation: float,
    *,
    factor: float = 0.0,
    box: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Expected cost, z and Z; margins of `factor` deviations, or over a box of noise."""
    n, p = len(data.linear), data.noise_dimensions
    free = data.lower < data.upper
    eye = sp.eye_array(n, format="csr")
    low, high = np.isfinite(data.lower) & free, np.isfinite(data.upper) & free
    A: Any = sp.vstack([data.A, -eye[low], eye[high]], format="csr")
    b = np.concatenate([data.b, -data.lower[low], data.upper[high]])
    G: Any = sp.vstack([data.G, eye[~free]], format="csr")
    d = np.concatenate([data.d, data.lower[~free]])
    z, Z = cp.Variable(n), cp.Variable((n, p))
    tool: Any = cp  # CVXPY's own types say little
    spread = A @ Z
    if box is not None:
        middle, half = (box[0] + box[1]) / 2, (box[1] - box[0]) / 2
        margin = spread @ middle + tool.abs(spread) @ half
    else:
        margin = factor * deviation * tool.norm(spread, 2, axis=1)
    cost = data.linear @ z + tool.sum(tool.multiply(data.quadratic, tool.square(z)))
    cost += deviation**2 * tool.sum(tool.multiply(data.quadratic[:, None], tool.square(Z)))
    problem: Any = tool.Problem(
        tool.Minimize(cost),
        [G @ z == d, G @ Z == 0, Z[data.released, :] == np.eye(p), A @ z + margin <= b],
    )
    problem.solve(solver=tool.CLARABEL)
    if problem.status != tool.OPTIMAL:
        raise RuntimeError(f"the plain model ended with {problem.status}")
    return float(problem.value), np.asarray(z.value), np.asarray(Z.value)
