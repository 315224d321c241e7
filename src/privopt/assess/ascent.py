"""From one pair of neighbours to a pair further apart, on a map whose pieces are known.

With v on one piece (matrix D, constant a) and v + t e_j on another (D', a'), the released values
differ by D'(v + t e_j) + a' - D v - a, which is affine in (v, t): the farthest pair on these two
pieces, in the direction the pair differs in, is the answer of a linear program. Both norms are
convex, so the distance grows with each step. The pieces just beyond the answer come next.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.assess.regions import conditions
from privopt.conic.distance import LeastDistance
from privopt.conic.highs import WarmLP
from privopt.errors import SolverError

__all__ = ["Ascent"]

_STEPS = 20
_BEYOND = 1e-3  # of the last step: far enough to be on the next piece


class Ascent:
    """Pairs of a map y = fixed v + through x, whose ends differ in one v_j by up to reach_j."""

    def __init__(
        self, form: LeastDistance, fixed: Dense, through: Dense, reach: Vector, order: int
    ) -> None:
        self._form, self._fixed, self._through = form, fixed, through
        self._reach, self._order = reach, order

    def moved(self, v: Vector, j: int, t: float) -> Vector | None:
        """Released values at v + t e_j minus those at v."""
        other = _moved(v, j, t)
        laws = self._form.binding(v), self._form.binding(other)
        if laws[0] is None or laws[1] is None:
            return None
        ends = laws[1].at(other) - laws[0].at(v)
        return self._fixed @ (other - v) + self._through @ ends

    def climb(self, v: Vector, j: int, t: float) -> tuple[Vector, float]:
        """A pair at least as far apart: v and t > 0."""
        best = self.moved(v, j, t)
        seen = v, t
        for _ in range(_STEPS):
            if best is None or not best.any():
                break
            found = self._program(seen, j, best)
            gained = None if found is None else self.moved(found[0], j, found[1])
            if (
                found is None
                or gained is None
                or self._length(gained) <= 1.0001 * self._length(best)
            ):
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
        if first is None or second is None:
            return None
        here, there = conditions(self._form, first), conditions(self._form, second)
        if here is None or there is None:
            return None
        (g, c, _), (h, e, _) = here, there
        slope = self._fixed + self._through @ first.x[:, 1:]
        other = self._fixed + self._through @ second.x[:, 1:]
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
