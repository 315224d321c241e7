"""Factors of a piecewise affine map: from all of its pieces, or from pairs met at random.

    factor = (how far neighbours' releases lie apart) / (alpha x largest column norm of S)

rounded up. Released values are rounded once, to a grid 2^e on which every value of the map is a
float: p values of neighbours may move apart by p 2^e in the l1 norm, sqrt(p) 2^e in the l2 norm.

On a segment of length t along entry j the release moves by at most the sum over pieces of (slope of
the piece) x (length of the segment in it). A line meets a piece, which is convex, in one interval,
of at most the length l_kj of the longest segment along j inside the piece. So

    ||y(v) - y(v + t e_j)|| <= max { sum_k s_kj t_k : sum_k t_k <= t,  0 <= t_k <= l_kj },

reached by filling t with the steepest pieces first (`farthest`). Steep pieces are often thin: the
largest slope times t, which is the same bound with every l_kj >= t, can be many times larger. Each
l_kj is a linear program, bounded by its duals (`polytope.longest`), and is only asked for where it
counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from privopt.arrays import Sparse, Vector
from privopt.assess.pieces import UNIT, FloatPieces, Piece
from privopt.assess.polytope import longest
from privopt.mechanisms.private_data import PrivateData
from privopt.noise.calibration import Privacy
from privopt.noise.neighbours import widened
from privopt.noise.sensitivity import largest_column_norm, round_up
from privopt.solving.distance import LeastDistance

__all__ = ["Moves", "farthest"]

_POINTS = 60
_LEAST = 1e-9  # factors below it are raised to it


class Moves:
    """How far neighbours' releases lie apart, over alpha ||S||."""

    def __init__(self, S: Sparse, privacy: Privacy, data: PrivateData) -> None:
        width = (data.upper - data.lower)[data.moving]
        # One step of a neighbour in the units of v, as floats see it; the domain may be narrower.
        step = np.minimum(widened(privacy.one_alpha, data.lower, data.upper), width) / (0.5 * width)
        self._step = np.minimum(step * (1 + 8 * UNIT), 2.0)
        self._unit = Fraction(privacy.one_alpha) * Fraction(largest_column_norm(S, privacy.order))
        self._order, self._S = privacy.order, S

    def factor(self, pieces: Sequence[Piece]) -> float:
        """A factor for all pairs, from all pieces."""
        return self._over(farthest(pieces, self._step) + self.rounding(pieces))

    def exponent(self, pieces: Sequence[Piece]) -> int:
        """E of the grid 2^e on which every value is a float."""
        largest = max((piece.values for piece in pieces), default=0.0)
        return math.frexp(largest)[1] - 53

    def rounding(self, pieces: Sequence[Piece]) -> float:
        """What rounding to the grid can add to the distance of neighbours."""
        count = self._S.shape[0]
        most = count if self._order == 1 else math.sqrt(count) * (1 + 8 * UNIT)
        return math.ldexp(most, self.exponent(pieces))

    def steepest(self, pieces: Sequence[Piece]) -> float:
        """The factor of the steepest of some pieces, were it as long as a step."""
        slopes = [float((piece.slopes * self._step).max(initial=0.0)) for piece in pieces]
        return self._over(max(slopes, default=0.0))

    def sampled(self, form: LeastDistance) -> float:
        """The largest factor among pairs met at random: a start that costs little."""
        rng, pieces = np.random.default_rng(1), FloatPieces(form, self._S, self._order)
        best = 0.0
        for k in range(_POINTS if len(self._step) else 0):
            v = rng.uniform(-1, 1, len(self._step))
            v = np.sign(v) if k % 2 else v
            slopes = np.linalg.norm(pieces.slopes(form.binding(v)), self._order, axis=0)
            j = int(np.argmax(slopes * self._step)) if k % 3 else int(rng.integers(len(v)))
            other = v.copy()
            other[j] += self._step[j] if v[j] + self._step[j] <= 1 else -self._step[j]
            if other[j] >= -1:
                moved = pieces.moved(v) - pieces.moved(other)
                best = max(best, float(np.linalg.norm(moved, ord=self._order)))
        return self._over(best)

    def _over(self, distance: float) -> float:
        if not math.isfinite(distance):
            return math.inf
        return max(round_up(Fraction(distance) / self._unit), _LEAST)


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
