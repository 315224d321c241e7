"""Where the law of a piece holds: a polytope in the box, and what is proven of it.

    max { cost'v : G v + c >= 0,  |v_j| <= 1 }  <=  y'c + sum_j |cost + G'y|_j     for every y >= 0

(weak duality). The solver is not believed: any y >= 0 gives a bound (`ceiling`), a good y a good
one. What holds up to `doubt` is taken so; the rounding of the sums is bounded by the usual (count)
2^-53 (sum of sizes), four times, and added. What is no number bounds nothing: it is infinite. So
emptiness, an interior, limits on multipliers and the longest segment along an entry are proven.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.assess.pieces import UNIT, Piece
from privopt.errors import SolverError
from privopt.solving.highs import LinearAnswer, WarmLP

__all__ = [
    "TOLERANCE",
    "Conditions",
    "Polytope",
    "alike",
    "answered",
    "ceiling",
    "chord",
    "conditions",
    "longest",
    "polytope_of",
]

TOLERANCE = 1e-9  # of the half-width of the domain: a condition so near to zero counts as zero


def ceiling(cost: Vector, G: Dense, c: Vector, doubt: Vector, y: Vector) -> float:
    """An upper bound on cost'v over the polytope; conditions hold up to their doubt."""
    y = np.maximum(np.nan_to_num(y, nan=0.0, posinf=0.0), 0.0)
    rest = cost + y @ G
    found = float(y @ c + y @ doubt + np.abs(rest).sum())
    sizes = float(np.abs(cost).sum() + y @ (np.abs(c) + doubt + np.abs(G).sum(axis=1)))
    bound = found + 4 * (sum(G.shape) + 8) * UNIT * sizes + 1e-290
    return math.inf if math.isnan(bound) else bound


def answered(lp: WarmLP, rows: int, cost: Vector | None = None) -> LinearAnswer | None:
    """What the solver offers, with a dual for each row; None where it fails, or finds no point."""
    with suppress(SolverError):
        answer = lp.solve() if cost is None else lp.minimise(cost)
        if answer is not None and len(answer.x) and len(answer.dual) == rows:
            return answer
    return None


@dataclass(frozen=True, eq=False)
class Conditions:
    """g v + c >= 0 up to doubt, |g| = 1: those of a piece that may fail in the box.

    `row` is the row behind each.
    """

    g: Dense
    c: Vector
    doubt: Vector
    row: NDArray[np.intp]


def conditions(piece: Piece) -> Conditions | None:
    """Multipliers and slacks of a piece as g v + c >= 0, |g| = 1; None if one holds nowhere.

    Those that are proven positive all over the box are left out.
    """
    reach = np.abs(piece.g).sum(axis=1)
    if (piece.c + reach + piece.doubt < 0).any():
        return None
    row = np.flatnonzero(~(piece.c - reach - piece.doubt > 0))
    size = np.maximum(np.linalg.norm(piece.g[row], axis=1), piece.doubt[row])
    g, c = piece.g[row] / size[:, None], piece.c[row] / size
    doubt = piece.doubt[row] / size
    sizes = np.abs(c) + np.abs(g).sum(axis=1)
    return Conditions(g, c, doubt * (1 + 8 * UNIT) + 8 * UNIT * sizes, row)


def alike(held: Conditions, a: int, b: int) -> bool:
    """Whether two conditions may have the same hyperplane: where numbers fail, they may."""
    apart = float(np.abs(np.append(held.g[a] - held.g[b], held.c[a] - held.c[b])).max())
    sizes = 1 + abs(float(held.c[a])) + abs(float(held.c[b]))
    return not apart > sizes * (64 * UNIT + 2 * float(held.doubt[a] + held.doubt[b]))


@dataclass(frozen=True, eq=False)
class Polytope:
    """Where a law holds: its conditions, a centre, how far the nearest of them is from it."""

    piece: Piece
    held: Conditions
    centre: Vector
    radius: float = 1.0
    lp: WarmLP | None = None

    @property
    def has_interior(self) -> bool:
        """Whether all conditions are proven positive at the centre, which lies in the box."""
        g, c, doubt = self.held.g, self.held.c, self.held.doubt
        sizes = np.abs(c) + np.abs(g).sum(axis=1)
        rounding = 4 * (len(self.centre) + 8) * UNIT * sizes
        inside = bool((np.abs(self.centre) <= 1).all())
        return inside and bool((g @ self.centre + c > doubt + rounding).all())

    def keeps(self, room: Vector) -> bool:
        """Whether every multiplier is proven to be within its room."""
        piece, held = self.piece, self.held
        k = np.array(piece.rows, dtype=np.intp)
        box = piece.c[k] + np.abs(piece.g[k]).sum(axis=1) + piece.doubt[k]
        for i in k[~(box <= room[k])].tolist():
            size = max(float(np.linalg.norm(piece.g[i])), 1e-300)
            y = size * self._duals(-piece.g[i] / size)
            most = ceiling(piece.g[i], held.g, held.c, held.doubt, y)
            if not piece.c[i] + most + piece.doubt[i] <= room[i]:
                return False
        return True

    def _duals(self, cost: Vector) -> Vector:
        """Duals of the least cost over the polytope; from a fresh start if the solver needs it."""
        count, towards = len(self.held.c), np.append(cost, 0.0)
        answer = None
        if self.lp is not None:
            answer = answered(self.lp, count, towards) or answered(
                _program(self.held, 1e-9), count, towards
            )
        return np.zeros(count) if answer is None else answer.dual


def polytope_of(piece: Piece, n: int) -> Polytope | None:
    """Where a law holds, and a centre of it; None if that is proven empty."""
    held = conditions(piece)
    if held is None:
        return None
    if not len(held.c):
        return Polytope(piece, held, np.zeros(n))
    lp = _program(held)
    answer = answered(lp, len(held.c))
    if answer is None:  # counted, to be on the safe side
        return Polytope(piece, held, np.zeros(n), 0.0, lp)
    radius = -answer.value
    nowhere = np.zeros(n)
    if radius < 0 and ceiling(nowhere, held.g, held.c, held.doubt, answer.dual) < 0:
        return None
    return Polytope(piece, held, np.clip(answer.x[:-1], -1.0, 1.0), radius, lp)


def _program(held: Conditions, below: float | None = None) -> WarmLP:
    """Maximise t such that g v + c >= t; with `below`, t is held at -below."""
    k, n = len(held.c), int(held.g.shape[1])
    lp = WarmLP(
        c=np.append(np.zeros(n), -1.0),
        M=np.column_stack([held.g, -np.ones(k)]),
        row_lower=-held.c,
        row_upper=np.full(k, np.inf),
        lower=np.append(-np.ones(n), -np.inf),
        upper=np.ones(n + 1),
        tolerance=1e-10,
    )
    if below is not None:
        lp.fix(n, -below)
    return lp


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
    answer = answered(lp, 2 * k + 1)
    if answer is None:  # also where the solver finds no such segment at all
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
