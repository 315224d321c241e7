"""Factors of a piecewise affine map: from all of its pieces, or from pairs met at random.

    factor = (how far neighbours' releases lie apart) / (alpha x largest column norm of S)

rounded up: slopes by a millionth, and a part set aside for the rounding of the values themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privopt.arrays import Sparse, Vector
from privopt.assess.farthest import farthest
from privopt.assess.regions import Regions
from privopt.conic.distance import Law, LeastDistance
from privopt.errors import NotCertifiedError
from privopt.noise.calibration import Privacy
from privopt.noise.sensitivity import largest_column_norm
from privopt.private_data import PrivateData

__all__ = ["Moves", "check_points"]

_ROUNDING = 1e-6  # relative: what rounding may add to a slope
_DIGITS = 2e-10  # of the released values, for the same
_POINTS = 60
_SAME = 1e-7  # relative: two laws agree at a point


class Moves:
    """How far neighbours' releases lie apart, over alpha ||S||, with room for rounding."""

    def __init__(self, form: LeastDistance, S: Sparse, privacy: Privacy, data: PrivateData) -> None:
        width = (data.upper - data.lower)[data.moving]
        # One step of a neighbour in the units of v; the domain may be narrower than alpha.
        self._step = np.minimum(privacy.alpha, width) / (0.5 * width)
        self._unit = privacy.alpha * largest_column_norm(S, privacy.order)
        self._order = privacy.order
        self._fixed, self._through = np.asarray(S @ form.along), np.asarray(S @ form.spread)
        # Set aside for rounding: by the response where no row binds, and by the values themselves.
        reach = np.asarray(abs(S) @ np.abs(form.along)) * self._step
        moved = np.linalg.norm(reach, ord=self._order, axis=0).max(initial=0.0)
        law = form.binding(np.zeros(len(self._step)))
        z = form.offset if law is None else form.point(law.x[:, 0], np.zeros(len(self._step)))
        values = np.linalg.norm(np.asarray(abs(S) @ np.abs(z)), ord=self._order)
        self.room = _ROUNDING * float(moved) + _DIGITS * float(values)

    def factor(self, form: LeastDistance, laws: Sequence[Law]) -> float:
        """A factor for all pairs, from all pieces."""
        found = farthest(form, laws, self._fixed, self._through, self._step, self._order)
        return self._rounded(found)

    def steepest(self, laws: Sequence[Law]) -> float:
        """The factor of the steepest of some pieces, were it as long as a step."""
        slopes = [self._slopes(law).max(initial=0.0) for law in laws]
        return self._rounded(float(max(slopes, default=0.0)))

    def sampled(self, form: LeastDistance) -> float:
        """The largest factor among pairs met at random: a start that costs little."""
        rng = np.random.default_rng(1)
        farthest = 0.0
        for k in range(_POINTS):
            v = rng.uniform(-1, 1, len(self._step))
            v = np.sign(v) if k % 2 else v
            law = form.binding(v)
            if law is None:
                continue
            j = int(np.argmax(self._slopes(law))) if k % 3 else int(rng.integers(len(v)))
            other = v.copy()
            other[j] += self._step[j] if v[j] + self._step[j] <= 1 else -self._step[j]
            beyond = form.binding(other) if other[j] >= -1 else None
            if beyond is not None:
                moved = self._fixed @ (v - other) + self._through @ (law.at(v) - beyond.at(other))
                farthest = max(farthest, float(np.linalg.norm(moved, ord=self._order)))
        return self._rounded(farthest)

    def _slopes(self, law: Law) -> Vector:
        moved = (self._fixed + self._through @ law.x[:, 1:]) * self._step
        return np.linalg.norm(moved, ord=self._order, axis=0)

    def _rounded(self, distance: float) -> float:
        return max((distance * (1 + _ROUNDING) + self.room) / self._unit, 1e-9)


def check_points(form: LeastDistance, seen: Regions) -> None:
    """A test of the enumeration: at random points, some piece that was seen is the solution."""
    if seen.end != "complete":
        return
    known = {law.rows for law in seen.laws}
    rng = np.random.default_rng(3)
    for _ in range(_POINTS):
        v = rng.uniform(-1, 1, form.size)
        law = form.binding(v)
        if law is None or law.rows in known:
            continue
        x = law.at(v)
        nearest = min(float(np.abs(other.at(v) - x).max(initial=0.0)) for other in seen.laws)
        if nearest > _SAME * (1 + float(np.abs(x).max(initial=0.0))):
            raise NotCertifiedError(
                "the sensitivity is not certified: a point was met whose piece was not enumerated.",
                "pieces that rounding can tell apart.",
                "rescale the data, or use design.",
                len(seen.laws),
            )
