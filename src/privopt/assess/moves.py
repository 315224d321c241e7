"""Factors of a piecewise affine map: from all of its pieces, or from pairs met at random.

    factor = (how far neighbours' releases lie apart) / (alpha x largest column norm of S)

rounded up. Released values are rounded once, to a grid 2^e on which every value of the map is a
float: p values of neighbours may move apart by p 2^e in the l1 norm, sqrt(p) 2^e in the l2 norm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from privopt.arrays import Sparse, Vector
from privopt.assess.farthest import farthest
from privopt.assess.pieces import UNIT, Piece
from privopt.mechanisms.private_data import PrivateData
from privopt.noise.calibration import Privacy
from privopt.noise.neighbours import widened
from privopt.noise.sensitivity import largest_column_norm, round_up
from privopt.solving.distance import LeastDistance, MultiplierLaw

__all__ = ["Moves"]

_POINTS = 60
_LEAST = 1e-9  # factors below it are raised to it


class Moves:
    """How far neighbours' releases lie apart, over alpha ||S||."""

    def __init__(self, form: LeastDistance, S: Sparse, privacy: Privacy, data: PrivateData) -> None:
        width = (data.upper - data.lower)[data.moving]
        # One step of a neighbour in the units of v, as floats see it; the domain may be narrower.
        step = np.minimum(widened(privacy.alpha, data.lower, data.upper), width) / (0.5 * width)
        self._step = np.minimum(step * (1 + 8 * UNIT), 2.0)
        self._unit = Fraction(privacy.alpha) * Fraction(largest_column_norm(S, privacy.order))
        self._order, self._count = privacy.order, S.shape[0]
        self._fixed, self._through = np.asarray(S @ form.along), np.asarray(S @ form.through)

    def factor(self, pieces: Sequence[Piece]) -> float:
        """A factor for all pairs, from all pieces."""
        return self._over(farthest(pieces, self._step) + self.rounding(pieces))

    def exponent(self, pieces: Sequence[Piece]) -> int:
        """E of the grid 2^e on which every value is a float."""
        largest = max((piece.values for piece in pieces), default=0.0)
        return math.frexp(largest)[1] - 53

    def rounding(self, pieces: Sequence[Piece]) -> float:
        """What rounding to the grid can add to the distance of neighbours."""
        most = self._count if self._order == 1 else math.sqrt(self._count) * (1 + 8 * UNIT)
        return math.ldexp(most, self.exponent(pieces))

    def steepest(self, pieces: Sequence[Piece]) -> float:
        """The factor of the steepest of some pieces, were it as long as a step."""
        slopes = [float((piece.slopes * self._step).max(initial=0.0)) for piece in pieces]
        return self._over(max(slopes, default=0.0))

    def sampled(self, form: LeastDistance) -> float:
        """The largest factor among pairs met at random: a start that costs little."""
        rng = np.random.default_rng(1)
        farthest = 0.0
        for k in range(_POINTS if len(self._step) else 0):
            v = rng.uniform(-1, 1, len(self._step))
            v = np.sign(v) if k % 2 else v
            law = form.binding(v)
            slopes = np.linalg.norm(law.slopes(self._fixed, self._through), self._order, axis=0)
            j = int(np.argmax(slopes * self._step)) if k % 3 else int(rng.integers(len(v)))
            other = v.copy()
            other[j] += self._step[j] if v[j] + self._step[j] <= 1 else -self._step[j]
            if other[j] >= -1:
                moved = self._value(law, v) - self._value(form.binding(other), other)
                farthest = max(farthest, float(np.linalg.norm(moved, ord=self._order)))
        return self._over(farthest)

    def _value(self, law: MultiplierLaw, v: Vector) -> Vector:
        return self._fixed @ v + self._through[:, list(law.rows)] @ law.at(v)

    def _over(self, distance: float) -> float:
        if not math.isfinite(distance):
            return math.inf
        return max(round_up(Fraction(distance) / self._unit), _LEAST)
