"""Can released values be completed at d? A linear program by HiGHS, through scipy.

    t* = min t   subject to   A z <= b + t (1 + |b|),   lower - t (1 + |lower|) <= z <= ...,
                              G z = d,   S z = q,   t >= 0             completed if t* <= 1e-7

written from the program's own matrices; nothing of privopt solves, scales or judges it. The
solution is put into all rows again: a solver's word is not enough.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from privopt.arrays import Vector
from privopt.model.program import ConvexProgram

__all__ = ["completed"]

TOLERANCE = 1e-7  # relative
_INFEASIBLE = 2  # scipy's status


def completed(program: ConvexProgram, S: Any, d: Vector, q: Vector) -> bool | None:  # noqa: ANN401
    """Whether there is a completion; None where the solver does not say."""
    n = program.n
    eye: Any = sp.eye_array(n, format="csr")
    low, high = np.isfinite(program.lower), np.isfinite(program.upper)
    A: Any = sp.vstack([program.A, -eye[low], eye[high]], format="csr")
    b = np.concatenate([program.b, -program.lower[low], program.upper[high]])
    size = 1 + np.abs(b)
    E: Any = sp.vstack([program.G, S], format="csr")
    target = np.concatenate([d, q])
    solver: Any = linprog  # its types know no sparse matrices
    for method in ("highs-ds", "highs-ipm"):
        answer = solver(
            np.append(np.zeros(n), 1.0),
            A_ub=sp.hstack([A, sp.csr_array(-size[:, None])], format="csr"),
            b_ub=b,
            A_eq=sp.hstack([E, sp.csr_array((E.shape[0], 1))], format="csr"),
            b_eq=target,
            bounds=[(None, None)] * n + [(0, None)],
            method=method,
            options={"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9},
        )
        if answer.status == _INFEASIBLE:  # the equalities alone refuse q
            return False
        if answer.status == 0:
            if answer.fun > 2 * TOLERANCE:
                return False
            z = answer.x[:n]
            over = float(((A @ z - b) / size).max(initial=0.0))
            off = float((np.abs(E @ z - target) / (1 + np.abs(target))).max(initial=0.0))
            if max(over, off) <= TOLERANCE:
                return True
    return None
