"""The margin h(a) = max_s a'xi_s over draws: cuts with the worst draws, in their own terms.

Solve under some cuts, cut with the worst draws of every violated row, drop cuts that are slack, and
repeat until no draw breaks a row (`cutting` has the program). Variables at their limits have their
row of Z held at zero to begin with. That is right if the price of holding it lies in the convex
hull of the draws, times the row's multiplier, which a least-squares problem with nonnegative
weights decides. If it does not, the row is let go and the cuts go on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from privopt.arrays import Dense, Vector
from privopt.solving.cutting import CutProgram
from privopt.solving.directions import Positions
from privopt.solving.margins import Cuts
from privopt.solving.problem import Outcome
from privopt.solving.response import Response
from privopt.solving.scaled import Point, ScaledProgram
from privopt.solving.solver import Settings, solve_conic
from privopt.solving.spread import Spread

__all__ = ["Scenarios"]

_ROUNDS = 200
_A_ROW = 15  # cuts added for one row in one round
_NEAR = 0.25  # part of the slack at which a draw is near, to begin with
_LOOK = 3  # round after which held rows are looked at for the first time
_ROUGH = 1e-7  # tolerance while cuts are still being added
_SLACK = 5e-4  # a cut this far from its limit, relative to the row's size, is dropped
_DROP = 12  # rounds in which slack cuts are dropped; then all are kept, so that there is an end
_HULL = 1e-5  # distance from the hull, relative to its size, that is rounding


@dataclass(frozen=True, repr=False, eq=False)
class Scenarios:
    """A program under draws.

    `limits` are the limits of the rows less the margins that no recourse changes; `held` marks
    directions whose row of Z is zero at first.
    """

    data: ScaledProgram
    draws: Dense
    b: Vector
    limits: Vector
    allowed: Vector
    sizes: Vector
    movable: NDArray[np.bool_]
    settings: Settings

    def solve(self, z: Vector, Y: Dense, held: NDArray[np.bool_]) -> Point | Outcome:
        """The optimum from a point near it, or how the solver ended without one."""
        data, ways = self.data, self.data.directions
        held = held & self.movable
        response = self._response(held)
        Y = response.settled(Y, data.base)
        cuts = Cuts.none(self.draws.shape[1])
        program: CutProgram | None = None
        dual: Vector | None = None
        rough = self.settings.easier(max(self.settings.tolerance, _ROUGH))
        settings = rough
        for turn in range(_ROUNDS):
            point = Point(z, Y, None)
            a, slack = Spread(data, point).dense, self.b - np.asarray(data.A @ z)
            rows = np.flatnonzero((self.movable & ~held)[ways.group])
            allowed = np.maximum(self.allowed, 2 * settings.tolerance * self.sizes)
            if program is None:  # draws that come near their limits, too
                allowed = -_NEAR * np.abs(slack)
            new, worst = self.worst(rows, a, slack, allowed)
            done = not len(new) and program is not None
            if program is not None and (done or turn == _LOOK):
                overpriced = self._overpriced(held, program, dual)
                if done and not len(overpriced) and settings is self.settings:
                    return point
                if len(overpriced):
                    held[overpriced] = False
                    response = self._response(held)
                elif done:  # every draw is in sight: now in earnest
                    settings = self.settings
            if program is not None and turn < _DROP:
                remaining = slack[cuts.rows] - (cuts.gradients * a[cuts.rows]).sum(axis=1)
                tight = remaining < _SLACK * self.sizes[cuts.rows]
                cuts = Cuts(cuts.rows[tight], cuts.gradients[tight])
            cuts = cuts.more(new, self.draws[worst])
            program = CutProgram.of(data, response, cuts, self.limits, self.b)
            answer = solve_conic(program.problem, settings)
            if answer.outcome is not Outcome.OPTIMAL:
                sure = not held.any() and settings is self.settings
                if sure or answer.outcome is Outcome.TIME:
                    return answer.outcome
                held[:] = False  # what is held may be in the way
                response, program, settings = self._response(held), None, self.settings
                continue
            (z, Y), dual = program.split(answer.x), answer.dual
        return Outcome.STALLED

    def _response(self, held: NDArray[np.bool_]) -> Response:
        columns = self.data.directions.columns(np.flatnonzero(held))
        return Response(self.data.C, self.data.quadratic, columns)

    def worst(
        self, rows: Positions, a: Dense, slack: Vector, allowed: Vector
    ) -> tuple[Positions, Positions]:
        """The most violated draws of every violated row: rows, and draws."""
        count = min(_A_ROW, len(self.draws) - 1)
        row_parts: list[Positions] = [np.zeros(0, dtype=np.intp)]
        draw_parts: list[Positions] = [np.zeros(0, dtype=np.intp)]
        for part in np.array_split(rows, max(1, len(rows) // 64)):
            excess = self.draws @ a[part].T - slack[part] - allowed[part]
            top = np.argpartition(-excess, count, axis=0)[: count + 1]
            broken = np.take_along_axis(excess, top, axis=0) > 0
            row_parts.append(np.broadcast_to(part, top.shape)[broken])
            draw_parts.append(top[broken])
        return np.concatenate(row_parts), np.concatenate(draw_parts)

    def _overpriced(
        self, held: NDArray[np.bool_], program: CutProgram, dual: Vector | None
    ) -> Positions:
        """Held directions whose price is not in the hull of the draws."""
        data, ways = self.data, self.data.directions
        positions = np.flatnonzero(held)
        if dual is None or not len(positions):
            return positions
        prices = program.prices(dual)
        start = len(data.d)
        multipliers = dual[start : start + len(self.b)]
        largest = float(np.abs(prices).max(initial=0.0))
        overpriced: list[int] = []
        for price, direction in zip(prices, positions, strict=True):
            rows = np.flatnonzero(ways.group == direction)
            entry = float(ways.D[[direction]].data[0])
            weight = data.nu * entry * ways.factor[rows] * multipliers[rows]
            active = weight[np.abs(weight) > 1e-9 * largest]
            if not self.inside(-price, active, largest):
                overpriced.append(int(direction))
        return np.array(overpriced, dtype=np.intp)

    def inside(self, point: Vector, weights: Vector, largest: float) -> bool:
        """Whether a point is in the sum of the hulls of the draws times each weight."""
        if float(np.linalg.norm(point)) <= _HULL * largest:
            return True
        if not len(weights):
            return False
        size = float(np.linalg.norm(point))
        columns = np.vstack([weight * self.draws for weight in weights]).T / size
        ones = np.kron(np.eye(len(weights)), np.ones(len(self.draws)))
        right = np.concatenate([point / size, np.ones(len(weights))])
        distance = nnls(np.vstack([columns, ones]), right)[1]
        return float(distance) <= _HULL
