"""How far the release can move over one step, from the pieces of its map.

On a segment of length t along entry j the release moves by at most the sum over pieces of (slope of
the piece) x (length of the segment in it). A line meets a piece, which is convex, in one interval,
of at most the length l_kj of the longest segment along j inside the piece. So

    ||y(v) - y(v + t e_j)|| <= max { sum_k s_kj t_k : sum_k t_k <= t,  0 <= t_k <= l_kj },

reached by filling t with the steepest pieces first. Steep pieces are often thin: the largest slope
times t, which is the same bound with every l_kj >= t, can be many times larger. Each l_kj is a
linear program, and is only asked for where it counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.assess.regions import TOLERANCE, conditions
from privopt.conic.distance import Law, LeastDistance
from privopt.conic.highs import WarmLP
from privopt.errors import SolverError

__all__ = ["chord", "farthest", "longest"]


def farthest(
    form: LeastDistance,
    laws: Sequence[Law],
    fixed: Dense,
    through: Dense,
    reach: Vector,
    order: int,
) -> float:
    """Largest move of y = fixed v + through x when one v_j changes by up to reach_j."""
    moves = [fixed + through @ law.x[:, 1:] for law in laws]
    slopes = np.array([np.linalg.norm(move, ord=order, axis=0) for move in moves])
    steepest = slopes.max(axis=0, initial=0.0) * reach
    best = 0.0
    for j in np.argsort(-steepest).tolist():
        if steepest[j] <= best:
            break
        left, total = float(reach[j]), 0.0
        steep_first: list[int] = np.argsort(-slopes[:, j]).tolist()
        for k in steep_first:
            if left <= 0 or total + slopes[k, j] * left <= best:
                total += float(slopes[k, j]) * max(left, 0.0)
                break
            part = min(left, longest(form, laws[k], j))
            left, total = left - part, total + part * float(slopes[k, j])
        best = max(best, total)
    return best


def longest(form: LeastDistance, law: Law, j: int) -> float:
    """Longest segment along v_j on which a law holds, rounded up; 2, the whole box, if unsure."""
    held = conditions(form, law)
    if held is None:
        return 0.0
    g, c, _ = held
    k, n = g.shape
    if k == 0:
        return 2.0
    both = np.vstack([np.column_stack([g, np.zeros(k)]), np.column_stack([g, g[:, j]])])
    end = np.zeros((1, n + 1))
    end[0, j] = end[0, n] = 1.0
    lp = WarmLP(
        c=np.append(np.zeros(n), -1.0),
        M=np.vstack([both, end]),
        row_lower=np.concatenate([-c - TOLERANCE, -c - TOLERANCE, [-np.inf]]),
        row_upper=np.append(np.full(2 * k, np.inf), 1.0),
        lower=np.append(-np.ones(n), 0.0),
        upper=np.append(np.ones(n), 2.0),
    )
    try:
        answer = lp.solve()
    except SolverError:
        return 2.0
    return 0.0 if answer is None else min(2.0, -answer.value + TOLERANCE)


def chord(form: LeastDistance, law: Law, v: Vector, j: int) -> tuple[float, float]:
    """How far v_j can go down and up, from a v where a law holds, until it ends."""
    low, high = -1.0 - float(v[j]), 1.0 - float(v[j])
    held = conditions(form, law)
    if held is not None and len(held[1]):
        slack, slope = np.maximum(held[0] @ v + held[1], 0.0), held[0][:, j]
        falls, rises = slope < -1e-12, slope > 1e-12
        high = min(high, float((slack[falls] / -slope[falls]).min(initial=np.inf)))
        low = max(low, -float((slack[rises] / slope[rises]).min(initial=np.inf)))
    return low, high
