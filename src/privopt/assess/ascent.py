"""From one pair of neighbours to a pair further apart, on a map whose pieces are known.

With v on one piece (matrix D, constant a) and v + t e_j on another (D', a'), the released values
differ by D'(v + t e_j) + a' - D v - a, which is affine in (v, t): the farthest pair on these two
pieces, in the direction the pair differs in, is the answer of a linear program. Both norms are
convex, so the distance grows with each step. The pieces just beyond the answer come next.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Sparse, Vector
from privopt.assess.pieces import FloatPieces
from privopt.assess.regions import conditions
from privopt.errors import SolverError
from privopt.solving.distance import LeastDistance
from privopt.solving.highs import WarmLP

__all__ = ["Ascent"]

_STEPS = 20
_BEYOND = 1e-3  # of the last step: far enough to be on the next piece


class Ascent:
    """Pairs of the map v -> S z of a form, whose ends differ in one v_j by up to reach_j."""

    def __init__(self, form: LeastDistance, S: Sparse, reach: Vector, order: int) -> None:
        self._form, self._reach, self._order = form, reach, order
        self._fixed, self._through = np.asarray(S @ form.along), np.asarray(S @ form.through)
        self._pieces = FloatPieces(form, S, order)

    def moved(self, v: Vector, j: int, t: float) -> Vector:
        """Released values at v + t e_j minus those at v."""
        other = _moved(v, j, t)
        return self._value(other) - self._value(v)

    def _value(self, v: Vector) -> Vector:
        law = self._form.binding(v)
        return self._fixed @ v + self._through[:, list(law.rows)] @ law.at(v)

    def climb(self, v: Vector, j: int, t: float) -> tuple[Vector, float]:
        """A pair at least as far apart: v and t > 0."""
        best = self.moved(v, j, t)
        seen = v, t
        for _ in range(_STEPS):
            if not best.any():
                break
            found = self._program(seen, j, best)
            if found is None:
                break
            gained = self.moved(found[0], j, found[1])
            if self._length(gained) <= 1.0001 * self._length(best):
                break
            # Where the next pieces are: a little beyond.
            v, t = found
            further = np.clip(v + _BEYOND * (v - seen[0]), -1.0, 1.0)
            best, seen = gained, (further, min(t, 1.0 - float(further[j])))
        return v, t

    def _length(self, moved: Vector) -> float:
        return float(np.linalg.norm(moved, ord=self._order))

    def _program(
        self, pair: tuple[Vector, float], j: int, moved: Vector
    ) -> tuple[Vector, float] | None:
        """The farthest pair, in the direction of `moved`, on the two pieces of a pair."""
        v, t = pair
        first, second = self._form.binding(v), self._form.binding(_moved(v, j, t))
        here, there = (
            conditions(self._pieces.piece(frozenset(law.rows))) for law in (first, second)
        )
        if here is None or there is None:
            return None
        (g, c), (h, e) = (here.g, here.c), (there.g, there.c)
        slope = first.slopes(self._fixed, self._through)
        other = second.slopes(self._fixed, self._through)
        towards = np.sign(moved) if self._order == 1 else moved
        wall = np.append(np.eye(len(v))[j], 1.0)[None, :]  # v_j + t <= 1
        lp = WarmLP(
            c=-np.append(towards @ (other - slope), towards @ other[:, j]),
            M=np.vstack(
                [np.column_stack([g, np.zeros(len(g))]), np.column_stack([h, h[:, j]]), wall]
            ),
            row_lower=np.concatenate([-c, -e, [-np.inf]]),
            row_upper=np.append(np.full(len(g) + len(h), np.inf), 1.0),
            lower=np.append(-np.ones(len(v)), 0.0),
            upper=np.append(np.ones(len(v)), self._reach[j]),
        )
        try:
            answer = lp.solve()
        except SolverError:
            return None
        if answer is None or len(answer.x) == 0:
            return None
        return np.clip(answer.x[:-1], -1.0, 1.0), float(answer.x[-1])


def _moved(v: Vector, j: int, t: float) -> Vector:
    other = v.copy()
    other[j] = min(other[j] + t, 1.0)
    return other
