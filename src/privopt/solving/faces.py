"""Programs without a point inside the cones: on the face that contains them, they have one.

    the least t with b - A x + t e in K,   e inside K

t < 0 is a point inside, t > 0 says that there is none at all. Where t = 0 its multipliers y, with
A'y = 0 and b'y = 0, are orthogonal to every feasible slack s = b - A x. So rows with y_i > 0
are equalities; a second-order cone with y inside it holds s = 0 alone, one with y = y_0 (1, u) on
its boundary the ray s = s_0 (1, -u). What remains of the cones may again have nothing inside.

An interior-point method stalls where nothing lies inside, as with a row that the equalities, or the
worst data of a domain, hold at its limit. On the face it does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Vector
from privopt.solving.problem import Cone, ConicAnswer, ConicProblem, Kind, Outcome
from privopt.solving.solver import ACCEPTABLE, Settings, solve_conic

__all__ = ["face_of", "solve_faced"]

_ROUNDS = 10
_HELD = 1e-4  # of the largest multiplier: above it a row is held
_ROUND = 1e-3  # a multiplier this near to the boundary of its cone is on it


def solve_faced(problem: ConicProblem, settings: Settings) -> ConicAnswer:
    """Solve on the face that contains the program. Multipliers are not given."""
    face = face_of(problem, settings)
    if isinstance(face, Outcome):
        return ConicAnswer(face, np.zeros(len(problem.q)))
    answer = solve_conic(face, settings)
    # Equalities that are off by rounding may contradict each other: no proof of anything.
    contradiction = face is not problem and answer.outcome is Outcome.INFEASIBLE
    return ConicAnswer(Outcome.STALLED if contradiction else answer.outcome, answer.x)


def face_of(problem: ConicProblem, settings: Settings) -> ConicProblem | Outcome:
    """The program with rows that are at their limit at every feasible point as equalities."""
    for _ in range(_ROUNDS):
        answer = solve_conic(problem.deepest, settings)
        if answer.outcome is not Outcome.OPTIMAL:
            return answer.outcome
        t = float(answer.x[-1])
        if t > ACCEPTABLE:
            return Outcome.INFEASIBLE
        if t < -ACCEPTABLE or answer.dual is None:
            return problem
        smaller = _on_face(problem, answer.dual[:-1])
        if smaller is None:
            return problem
        problem = smaller
    return problem


def _on_face(problem: ConicProblem, y: Vector) -> ConicProblem | None:
    """The program on the face orthogonal to y; None if that is the whole cone."""
    least = _HELD * float(np.abs(y).max(initial=0.0))
    equal: list[Any] = []  # matrices that combine rows of the program, by what they become
    above: list[Any] = []
    unchanged: list[tuple[Any, Cone]] = []
    unit: Any = sp.eye_array(len(y), format="csr")
    start, smaller = 0, False
    for cone in problem.cones:
        rows: Any = unit[start : start + cone.size]
        own = y[start : start + cone.size]
        start += cone.size
        if cone.kind is Kind.ZERO:
            equal.append(rows)
        elif cone.kind is Kind.NONNEGATIVE:
            equal.append(rows[own > least])
            above.append(rows[own <= least])
            smaller |= bool((own > least).any())
        elif own[0] <= least:
            unchanged.append((rows, cone))
        else:
            smaller = True
            size = float(np.linalg.norm(own[1:]))
            if size < (1 - _ROUND) * own[0]:
                equal.append(rows)
            else:
                u: Any = sp.csr_array(own[1:, None] / size)
                equal.append(rows[1:] + u @ rows[:1])
                above.append(rows[:1])
    if not smaller:
        return None
    parts = [
        (part, Cone(kind, part.shape[0]))
        for kind, many in ((Kind.ZERO, equal), (Kind.NONNEGATIVE, above))
        for part in many
    ]
    parts += unchanged
    T: Any = sp.vstack([part for part, _ in parts], format="csr")
    return ConicProblem(
        problem.P,
        problem.q,
        sp.csc_array(T @ problem.A),
        np.asarray(T @ problem.b),
        tuple(cone for _, cone in parts),
    )
