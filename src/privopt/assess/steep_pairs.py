"""Pairs of neighbours that lie far apart under held margins: where the search begins.

    z(u) = argmin { c(z) : A z <= b - h,  G z = d(u) },     h the margins of the plan at one u

The paper optimises recourse and margins anew for each d, so this is not its map, but one near to
it; and a thousand of its values cost as much as a few plans (`solving.sweep`). It is affine in
pieces, steep ones among them that are too thin for a random point to meet. With the margins of the
middle, lines along each entry, through vertices and random points of the domain, are cut into steps
of alpha; the farthest step of each point is changed at random, less and less. Pairs that lie far
apart in truth are then changed with the margins of their own.
"""

from __future__ import annotations

import math

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.assess.pairs import KEPT, Pair, Pairs
from privopt.errors import PrivoptError
from privopt.mechanisms.planning import planned
from privopt.mechanisms.private_data import PrivateData
from privopt.mechanisms.question import Question
from privopt.model.program import ConvexProgram
from privopt.model.uniqueness import released_is_unique
from privopt.solving.deterministic import Ended, optimum
from privopt.solving.sweep import Sweep

__all__ = ["steep_pairs", "steeper_pairs"]

SCANNED = 6000  # pairs on lines, about
ROUNDS, CHANGES = 24, 12  # rounds of random changes, and changes of each pair in a round
HALVED = 3  # rounds after which changes are halved
ALONE = 20  # optima that are solved by themselves; the rest follow from their factorisation


def steep_pairs(question: Question, data: PrivateData, pairs: Pairs) -> list[Pair]:
    """Pairs that lie far apart with the margins of the middle, from lines all over the domain."""
    held = _Held.of(question, data, data.middle)
    if held is None:
        return []
    best: list[Pair] = []  # the farthest on the lines through each point
    scanned = 0
    while scanned < SCANNED:
        u, lines = pairs.point(), list[Pair]()
        for j in data.moving.tolist():
            ends = np.arange(data.lower[j], data.upper[j], abs(pairs.pair(u, j).step))
            lines += [pairs.pair(_with(u, j, float(end)), j) for end in ends]
        scanned += len(lines)
        best.append(lines[int(held.apart(lines).argmax())])
    first = np.argsort(-held.apart(best))[:KEPT]
    return held.climbed([best[i] for i in first], pairs)


def steeper_pairs(question: Question, data: PrivateData, pairs: Pairs, start: Pair) -> list[Pair]:
    """A pair that was climbed to with the margins at `start`; none where these are not known."""
    held = _Held.of(question, data, start.u)
    return [] if held is None else held.climbed([start], pairs)


class _Held:
    """The map from private entries to released values with margins held."""

    def __init__(self, question: Question, data: PrivateData, margins: Vector) -> None:
        program, rows = question.program, question.program.rows
        self._program = ConvexProgram(
            linear=program.linear,
            quadratic=program.quadratic,
            A=rows.matrix,
            b=rows.bound - margins,
            G=program.equalities.matrix,
        )
        self._settings, self._S, self._order = question.settings, question.S, question.privacy.order
        self._sweep, self._data, self._left = Sweep(self._program), data, ALONE

    @classmethod
    def of(cls, question: Question, data: PrivateData, u: Vector) -> _Held | None:
        """The map, if there is a plan at u and the optimum is known to be unique."""
        program = question.program
        known = released_is_unique(program, question.S, question.objective)
        if len(program.cones) or not known:
            return None
        if question.feasibility is None:
            return cls(question, data, np.zeros(len(program.rows)))
        try:
            plan = planned(question.at(data.whole(u)))
        except PrivoptError:
            return None
        spread = plan.calibration.scale * plan.recourse.under(program.rows.matrix)
        deviation = math.sqrt(plan.calibration.law.variance)
        return cls(question, data, plan.margins.value(spread, deviation))

    def climbed(self, started: list[Pair], pairs: Pairs) -> list[Pair]:
        """Pairs after many random changes, each of which took it farther; the farthest first."""
        best = list(zip(self.apart(started).tolist(), started, strict=True))
        for k in range(ROUNDS):
            size = 0.5 ** (k // HALVED)
            changed = [pairs.changed(pair, size) for _, pair in best for _ in range(CHANGES)]
            apart = self.apart(changed).reshape(len(best), CHANGES)
            for i, (distance, _) in enumerate(best):
                first = int(apart[i].argmax())
                if apart[i, first] > distance:
                    best[i] = (float(apart[i, first]), changed[i * CHANGES + first])
        return [pair for distance, pair in sorted(best, key=lambda one: -one[0]) if distance > 0]

    def apart(self, pairs: list[Pair]) -> Vector:
        """The distance of each pair's released values; -1 where an end has none."""
        ends = np.array([[pair.u, pair.other] for pair in pairs])
        first, second = self._released(ends[:, 0]), self._released(ends[:, 1])
        distances = np.linalg.norm(first - second, ord=self._order, axis=1)
        return np.where(np.isnan(distances), -1.0, distances)

    def _released(self, u: Dense) -> Dense:
        """Released values at private entries, one a row; NaN where they are not known."""
        z = self._sweep.at(self._data.target(u.T).T, self._alone)
        return np.asarray(self._S @ z.T).T

    def _alone(self, target: Vector) -> Ended | None:
        """The optimum at one right-hand side, while there are solves left."""
        self._left -= 1
        ended = optimum(self._program, target, self._settings) if self._left >= 0 else None
        return ended if isinstance(ended, Ended) else None


def _with(u: Vector, j: int, value: float) -> Vector:
    moved = u.copy()
    moved[j] = value
    return moved
