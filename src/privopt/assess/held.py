"""The steepest pairs of the map with recourse and margins held at those of the middle.

That map is not the paper's, which optimises the recourse for each d, but near to it; and its pieces
are known (`regions`), thin and steep ones too, which no random point would meet. Pairs on them are
moved apart and handed to the search as a start:

With v on one piece (matrix D, constant a) and v + t e_j on another (D', a'), the released values
differ by D'(v + t e_j) + a' - D v - a, which is affine in (v, t): the farthest pair on these two
pieces, in the direction the pair differs in, is the answer of a linear program. Both norms are
convex, so the distance grows with each step. The pieces just beyond the answer come next.
"""

from __future__ import annotations

import math

import numpy as np

from privopt.arrays import Sparse, Vector
from privopt.assess.pairs import INSIDE, KEPT, Pair
from privopt.assess.pieces import FloatPieces
from privopt.assess.polytope import answered, chord, conditions
from privopt.assess.regions import enumerate_regions
from privopt.errors import PrivoptError, SolverError
from privopt.mechanisms.certified import Certified, form_of
from privopt.mechanisms.planning import planned
from privopt.mechanisms.private_data import PrivateData
from privopt.mechanisms.question import Question
from privopt.solving.distance import LeastDistance
from privopt.solving.highs import WarmLP

__all__ = ["Ascent", "steep_pairs"]

_PIECES = 3000  # that are looked at, over the number of private entries,
_MOST = 150  # or so many,
_ENTRIES = 3  # each along its steepest entries
_STEPS = 20
_BEYOND = 1e-3  # of the last step: far enough to be on the next piece


def steep_pairs(question: Question, data: PrivateData) -> list[Pair]:
    """Pairs on the steepest pieces of the map with recourse and margins held; none without it."""
    program, privacy, S = question.program, question.privacy, question.S
    try:
        form = form_of(program, data)
        certificate = privacy.sensitivity
        if question.feasibility is not None and isinstance(certificate, Certified):
            form = form.bounded(program.rows.bound - certificate.margins)
        elif question.feasibility is not None:
            plan = planned(question.at(data.whole(data.middle)))
            spread = plan.calibration.scale * plan.recourse.under(program.rows.matrix)
            deviation = math.sqrt(plan.calibration.law.variance)
            form = form.bounded(program.rows.bound - plan.margins.value(spread, deviation))
    except PrivoptError:  # linear cost, or no plan in the middle: the search goes on without
        return []
    half = 0.5 * (data.upper - data.lower)[data.moving]
    reach, unit = np.minimum(privacy.one_alpha, 2 * half) / half, np.eye(len(half))
    ascent = Ascent(form, S, reach, privacy.order)
    found: list[tuple[float, int, Vector, float]] = []
    try:
        limit = max(1, min(_MOST, _PIECES // form.size))
        pieces = enumerate_regions(FloatPieces(form, S, privacy.order), limit=limit)
        for piece, centre in zip(pieces.pieces, pieces.centres, strict=True):
            for j in np.argsort(-piece.slopes * reach)[:_ENTRIES].tolist():
                # Through the centre as far as the piece goes, and whole steps around it.
                low, high = chord(piece, centre, j)
                for start, length in [(low, high - low), (-reach[j], 2.0), (-reach[j] / 2, 2.0)]:
                    v = np.clip(centre + start * unit[j], -1.0, 1.0)
                    t = min(length, float(reach[j]), 1.0 - float(v[j]))
                    if t > 0:
                        size = float(np.linalg.norm(ascent.moved(v, j, t), ord=privacy.order))
                        found.append((size, j, v, t))
        found.sort(key=lambda item: -item[0])
        climbed = [(j, *ascent.climb(v, j, t)) for _, j, v, t in found[:KEPT]]
    except SolverError:
        return []
    pairs: list[Pair] = []
    for j, v, t in climbed:
        u = data.middle.copy()
        u[data.moving] += half * v
        pairs.append(Pair(u, int(data.moving[j]), INSIDE * t * float(half[j])))
    return pairs


class Ascent:
    """Pairs of the map v -> S z of a form, whose ends differ in one v_j by up to reach_j."""

    def __init__(self, form: LeastDistance, S: Sparse, reach: Vector, order: int) -> None:
        self._form, self._reach, self._order = form, reach, order
        self._pieces = FloatPieces(form, S, order)

    def moved(self, v: Vector, j: int, t: float) -> Vector:
        """Released values at v + t e_j minus those at v."""
        return self._pieces.moved(_moved(v, j, t)) - self._pieces.moved(v)

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
        slope, other = self._pieces.slopes(first), self._pieces.slopes(second)
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
        answer = answered(lp, len(g) + len(h) + 1)
        if answer is None:
            return None
        return np.clip(answer.x[:-1], -1.0, 1.0), float(answer.x[-1])


def _moved(v: Vector, j: int, t: float) -> Vector:
    other = v.copy()
    other[j] = min(other[j] + t, 1.0)
    return other
