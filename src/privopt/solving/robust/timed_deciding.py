"""Values for a horizon that have a certificate: a gain by periods, then one sparse program.

    gain K          by periods, from weights of the rows                       `timed_gain`
    margins         the worst case of each row of A K over the region          `sparse_support`
    values q, z_0   the two-stage program with these margins                   `timed_program`

Any K with G K = F, S K = 0 will do for a certificate; a better one leaves more room. Rows that
stand in the way have prices: while no z_0 has room for the margins, or while prices times margins,
the most that any other gain could save, are worth it, those rows get more weight and K is made
again. What is found holds by arithmetic whatever the weights were; that there is nothing to be
found is said of gains of this kind only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.problem import Outcome
from privopt.solving.robust.region import Region
from privopt.solving.robust.sparse_support import sparse_support
from privopt.solving.robust.timed_gain import TimedGain
from privopt.solving.robust.timed_program import TimedChoice, TimedProgram

__all__ = ["TimedDecided", "timed_decided"]

_TRIES = 24  # gains that are tried until one leaves room
_FALL, _MORE = 0.1, 1.3  # of a margin at least is left when rows get more weight, and how much more
_BETTER = 3  # gains that are tried for a lower cost,
_LITTLE = 2e-4  # of the cost: as long as each saves more than this
_PRESS = 0.2  # weight of all rows with a price beside that of all rows
_LEAST = 0.05  # of its width: a row has at least that much room
_WORTH = 1e-5  # of the cost: what another gain must be able to save to be tried
_KEPT = 1e-5  # of the width of a row: an excess below this is none


@dataclass(frozen=True, repr=False, eq=False)
class TimedDecided:
    """The values, z_0 and K, what bounds the rows, and the most that another gain could save.

    `gains` is how many gains were tried.
    """

    choice: TimedChoice
    K: Sparse
    m: Dense
    margin: Vector
    open: float
    gains: int


def timed_decided(
    program: TimedProgram, gains: TimedGain, region: Region
) -> TimedDecided | Outcome:
    """The best values that a gain by periods certifies; INFEASIBLE where none was found."""
    search = _Search(program, gains, region)
    for coupled in (False, True):
        ended = search.room(coupled=coupled)
        if ended is Outcome.OPTIMAL:
            return search.best()
        if ended is not Outcome.INFEASIBLE:
            return ended
    return Outcome.INFEASIBLE


class _Search:
    """Gains that are tried one after the other."""

    def __init__(self, program: TimedProgram, gains: TimedGain, region: Region) -> None:
        self._program, self._gains, self._region = program, gains, region
        self._base = 1 / np.square(program.widths)
        self._weights = self._base
        self._coupled = False
        self._tried = 0
        self._K: Sparse = sp.csr_array((program.A.shape[1], gains.F.shape[1]))
        self._margin, self._m = np.zeros(0), np.zeros((0, 0))

    def room(self, *, coupled: bool) -> Outcome:
        """Find a gain whose margins leave room: OPTIMAL if there is one."""
        self._weights, self._coupled = self._base, coupled
        for _ in range(_TRIES):
            if not self._made():
                return Outcome.INFEASIBLE
            nearest = self._program.nearest(self._margin)
            if isinstance(nearest, Outcome):
                return nearest
            if nearest.worst <= _KEPT:
                return Outcome.OPTIMAL
            self._heavier(nearest.excess)
        return Outcome.INFEASIBLE

    def _heavier(self, excess: Vector) -> None:
        """More weight for rows that are exceeded: so much that their margins would fall by that."""
        over = excess > _KEPT * self._program.widths
        less = np.maximum(self._margin - excess, _FALL * self._margin)
        times = _MORE * self._margin / np.where(less > 0, less, 1.0)
        self._weights = self._weights * np.where(over & (less > 0), times, 1.0)

    def best(self) -> TimedDecided | Outcome:
        """The values with the gain there is, and with others while these may save something.

        Where another gain leaves no room, or saves nothing, half of the way may.
        """
        choice = self._program.solve(self._margin)
        if isinstance(choice, Outcome):
            return choice
        found, weights, step = self._found(choice), self._weights, 1.0
        for _ in range(_BETTER):
            size = max(1.0, abs(found.choice.value))
            if found.open <= _WORTH * size:
                break
            self._weights = weights * (self._pressing(found) / weights) ** step
            other = self._other()
            if isinstance(other, Outcome) or other.value >= found.choice.value:
                step = 0.5 * step
                continue
            saved, found, weights = (
                found.choice.value - other.value,
                self._found(other),
                self._weights,
            )
            if saved <= _LITTLE * size:
                break
        return found

    def _found(self, choice: TimedChoice) -> TimedDecided:
        saving = float(choice.price @ self._margin)
        return TimedDecided(choice, self._K, self._m, self._margin, saving, self._tried)

    def _other(self) -> TimedChoice | Outcome:
        """The values with the gain for other weights."""
        if not self._made():
            return Outcome.INFEASIBLE
        nearest = self._program.nearest(self._margin)
        if isinstance(nearest, Outcome) or nearest.worst > _KEPT:
            return Outcome.INFEASIBLE
        return self._program.solve(self._margin)

    def _pressing(self, found: TimedDecided) -> Vector:
        """Weights by the room that rows have at z_0, and more for those with a price."""
        program = self._program
        room = program.limits - np.asarray(program.A @ found.choice.z)
        room = np.maximum(room, _LEAST * program.widths)
        share = found.choice.price * found.margin / max(found.open, 1e-300)
        return (1 + _PRESS * len(room) * share) / np.square(room)

    def _made(self) -> bool:
        """Make the gain for the weights there are, and its margins."""
        K = self._gains.gain(self._weights, coupled=self._coupled)
        if K is None:
            return False
        self._K, self._tried = K, self._tried + 1
        slopes: Any = self._gains.A @ K
        self._margin, self._m = sparse_support(self._region, slopes, self._gains.timed.entries)
        return True
