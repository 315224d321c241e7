"""The factor that leads to itself: factor -> noise -> recourse and margins -> map -> factor.

A factor is put in, the plan at the middle of the domain is made with its noise, and the map under
that recourse and those margins is looked at: at random pairs, then at its pieces in floating point,
then at its pieces with proof. A factor is confirmed if the map, proven, needs no more than it.

Margins are raised a little beyond what the noise needs: at random, so that no two rows coincide,
and by enough to make up for rows that give way (see `solving.distance`). Where they give way by
more, the search is made again with rows that give way less.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.arrays import Vector
from privopt.assess.moves import Moves
from privopt.assess.pieces import ExactPieces, FloatPieces, Pieces
from privopt.assess.regions import Regions, enumerate_regions
from privopt.digits import down
from privopt.errors import Action, Clause, InfeasibleError, NotCertifiedError
from privopt.mechanisms.certified import form_of
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import planned
from privopt.mechanisms.private_data import PrivateData
from privopt.mechanisms.question import Question
from privopt.noise.sensitivity import Assumed
from privopt.solving.distance import LeastDistance
from privopt.solving.solution_map import SolutionMap

__all__ = ["Confirmed", "FactorSearch"]

_APART = 3e-5  # relative: margins are raised by up to this, at random, so that no two rows coincide
_ROOM = 0.25  # of that: the least, which rows that give way may use up
_TRIES = 20
_GRID = 6  # factors tried below one that leaves no plan
_ROUNDING = 1 + 1e-6  # more than a factor in floating point asks for, so that its proof succeeds
_CLOSE = 0.999  # a factor this near to the one put in is not worth another round


@dataclass(frozen=True, eq=False)
class Confirmed:
    """One factor put in, and what came of it."""

    factor: float
    plan: Plan
    margins: Vector
    room: Vector
    map: SolutionMap
    regions: Regions
    rounding: float
    exponent: int


class FactorSearch:
    """The smallest factor found that is not below the one it leads to."""

    def __init__(self, question: Question, data: PrivateData, limit: int) -> None:
        self._question = question.at(data.whole(data.mean))
        self._data, self._limit = data, limit
        self._form = form_of(question.program, data)
        self._moves = Moves(question.S, question.privacy, data)

    def found(self) -> Confirmed:
        """Put factors in until one is confirmed; then a smaller one, if it may be.

        Where the factor needed leaves no plan, some below it are tried (with wide margins the map
        may move less again), and taken only if a plan exists for all of the domain.
        """
        factor = self._moves.sampled(self._form)
        best: Confirmed | None = None
        grid: list[float] = []
        missing: InfeasibleError | None = None
        largest = 0.0
        seen = Regions((), (), False, "complete")
        for _ in range(_TRIES):
            try:
                plan = self._plan(factor)
            except InfeasibleError as error:
                if missing is None and best is None:
                    grid = np.linspace(largest, factor, _GRID + 2)[1:-1].tolist()
                missing = missing or error
                if best is not None or not grid:
                    break
                factor = grid.pop(0)
                continue
            largest = max(largest, factor)
            needed, seen, proof = self._proof(factor, plan)
            if seen.end != "complete" or needed == math.inf:
                break
            if proof is not None and (seen.whole or missing is None):
                best = proof
                if needed >= _CLOSE * factor:
                    break
            elif missing is not None and not grid:
                break
            factor = grid.pop(0) if grid and best is None else _ROUNDING * needed
        if best is not None:
            return best
        if missing is not None and seen.end == "complete":
            raise _no_plan(largest, missing)
        raise _not_certified(seen, max(factor, self._moves.steepest(seen.pieces)))

    def hardened(self, soft: Confirmed) -> Confirmed:
        """The same with rows that give way less, if that makes it whole."""
        self._form = self._form.hardened()
        self._limit = min(self._limit, 4 * len(soft.regions.pieces) + 100)
        try:
            found = self.found()
        except (InfeasibleError, NotCertifiedError):
            return soft
        return found if found.regions.whole else soft

    def _proof(self, factor: float, plan: Plan) -> tuple[float, Regions, Confirmed | None]:
        """The factor that the map of a plan's recourse and margins needs, and its pieces.

        From random pairs, then from pieces in floating point, then proven; the first that asks for
        more than was put in ends it, without a proof.
        """
        margins, room = _raised(plan)
        form = self._form.bounded(self._question.program.rows.bound - margins)
        needed = _ROUNDING * self._moves.sampled(form)
        seen = Regions((), (), False, "complete")
        if not needed <= factor:
            return needed, seen, None
        S, order = self._question.S, self._question.privacy.order
        seen = self._seen(FloatPieces(form, S, order), form, room)
        if seen.end == "complete":
            needed = _ROUNDING * self._moves.factor(seen.pieces)
        if seen.end != "complete" or not needed <= factor:
            return needed, seen, None
        exact = SolutionMap.of(form, *self._ends())
        seen = self._seen(ExactPieces(exact, S, order), form, room)
        if seen.end != "complete":
            return needed, seen, None
        pieces = seen.pieces
        needed = self._moves.factor(pieces)
        if not needed <= factor:
            return needed, seen, None
        rounding, exponent = self._moves.rounding(pieces), self._moves.exponent(pieces)
        return needed, seen, Confirmed(factor, plan, margins, room, exact, seen, rounding, exponent)

    def _seen(self, source: Pieces, form: LeastDistance, room: Vector) -> Regions:
        """All pieces; whether the rows are kept is asked in multipliers."""
        kept = room / form.sizes / form.rho
        return enumerate_regions(
            source, room=kept, limit=self._limit, settings=self._question.settings
        )

    def _ends(self) -> tuple[Vector, Vector]:
        moving = self._data.moving
        return self._data.lower[moving], self._data.upper[moving]

    def _plan(self, factor: float) -> Plan:
        """The plan at the middle of the domain, with the noise of a factor."""
        asked: Any = self._question.privacy
        noise = dataclasses.replace(asked, sensitivity=Assumed(factor))
        return planned(self._question.under(noise))


def _raised(plan: Plan) -> tuple[Vector, Vector]:
    """What each row gives up for the noise and a little more, so that rows lie apart.

    With it the least of that little, by which the map may exceed a row.
    """
    rows, calibration = plan.program.rows, plan.calibration
    spread = calibration.scale * plan.recourse.under(rows.matrix)
    margins = plan.margins.value(spread, math.sqrt(calibration.law.variance))
    size = np.abs(rows.bound) + np.asarray(abs(rows.matrix) @ np.abs(plan.expected)) + margins
    size = np.maximum(size, 1e-3 * float(size.max(initial=0.0)))
    more = _APART * size
    return margins + more * np.random.default_rng(2).uniform(_ROOM, 1.0, len(size)), _ROOM * more


def _no_plan(largest: float, error: InfeasibleError) -> InfeasibleError:
    return InfeasibleError(
        "the factor that the map needs leaves no plan at the middle of the domain: its noise is "
        f"too large. (Plans up to a factor of {down(largest, 4)} exist, and move by more.)",
        "noise that leaves a plan: a larger epsilon, a smaller alpha, fewer released values, a "
        "larger eta or a smaller domain.",
        (
            "use design, which chooses a map that moves less",
            Clause(Action.DIAGNOSE, "names the rows that block at the middle."),
        ),
        error.diagnose,
    )


def _not_certified(seen: Regions, factor: float) -> NotCertifiedError:
    why = {
        "complete": "each factor led to a larger one",
        "limit": "the limit of pieces was reached",
        "time": "the time limit was reached",
        "thin": "rounding cannot tell its pieces apart",
    }[seen.end]
    count = len(seen.pieces)
    return NotCertifiedError(
        f"the sensitivity is not certified: {why}. {count} pieces of the solution map were seen, "
        f"the largest factor met is {factor:.4g}. This is NOT a bound.",
        "all pieces, within the limits.",
        "use design, which is proven without them; or a larger limit= or time_limit, a smaller "
        "domain; or privopt.Sampled, which claims no proof.",
        count,
        factor,
    )
