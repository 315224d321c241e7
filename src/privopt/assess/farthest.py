"""How far the release can move over one step, from the pieces of its map.

On a segment of length t along entry j the release moves by at most the sum over pieces of (slope of
the piece) x (length of the segment in it). A line meets a piece, which is convex, in one interval,
of at most the length l_kj of the longest segment along j inside the piece. So

    ||y(v) - y(v + t e_j)|| <= max { sum_k s_kj t_k : sum_k t_k <= t,  0 <= t_k <= l_kj },

reached by filling t with the steepest pieces first. Steep pieces are often thin: the largest slope
times t, which is the same bound with every l_kj >= t, can be many times larger. Each l_kj is a
linear program, bounded by its duals (`duality`), and is only asked for where it counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privopt.arrays import Vector
from privopt.assess.duality import ceiling
from privopt.assess.pieces import UNIT, Piece
from privopt.assess.regions import TOLERANCE, conditions
from privopt.errors import SolverError
from privopt.solving.highs import WarmLP

__all__ = ["chord", "farthest", "longest"]


def farthest(pieces: Sequence[Piece], reach: Vector) -> float:
    """Largest move of the release when one v_j changes by up to reach_j, rounded up."""
    slopes = np.array([piece.slopes for piece in pieces]).reshape(len(pieces), len(reach))
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
            part = min(left, longest(pieces[k], j))
            left = float(np.nextafter(left - part, np.inf))
            total += part * float(slopes[k, j])
        best = max(best, total)
    return best * (1 + 8 * (len(pieces) + 8) * UNIT)


def longest(piece: Piece, j: int) -> float:
    """Longest segment along v_j inside a piece, rounded up; 2, the whole box, if unsure."""
    held = conditions(piece)
    if held is None:
        return 0.0
    g, c = held.g, held.c
    k, n = len(c), int(g.shape[1])
    if k == 0:
        return 2.0
    # In (v, s), t = 1 + s the length: at v, at v + t e_j, and v_j + t <= 1; all within -1 and 1.
    end = np.zeros((1, n + 1))
    end[0, j] = end[0, n] = -1.0
    both = np.vstack([np.column_stack([g, np.zeros(k)]), np.column_stack([g, g[:, j]]), end])
    right = np.concatenate([c, c + g[:, j], [0.0]])
    doubt = np.concatenate([held.doubt, held.doubt + 4 * UNIT * (1 + np.abs(c)), [0.0]])
    cost = np.append(np.zeros(n), 1.0)
    lp = WarmLP(
        c=-cost,
        M=both,
        row_lower=-right - doubt - TOLERANCE,  # a thin piece has a length too
        row_upper=np.full(2 * k + 1, np.inf),
        lower=-np.ones(n + 1),
        upper=np.ones(n + 1),
        tolerance=1e-10,
    )
    try:
        answer = lp.solve()
    except SolverError:
        answer = None
    # Where the solver finds no such segment at all, no duals come with it.
    if answer is None or len(answer.dual) != 2 * k + 1:
        return 2.0
    length = 1 + ceiling(cost, both, right, doubt, answer.dual)
    return max(0.0, length) if length < 2.0 else 2.0  # 2 of what is no number, too


def chord(piece: Piece, v: Vector, j: int) -> tuple[float, float]:
    """How far v_j can go down and up, from a v in a piece, until it ends."""
    low, high = -1.0 - float(v[j]), 1.0 - float(v[j])
    held = conditions(piece)
    if held is not None and len(held.c):
        slack, slope = np.maximum(held.g @ v + held.c, 0.0), held.g[:, j]
        falls, rises = slope < -1e-12, slope > 1e-12
        high = min(high, float((slack[falls] / -slope[falls]).min(initial=np.inf)))
        low = max(low, -float((slack[rises] / slope[rises]).min(initial=np.inf)))
    return low, high
