"""What a search for neighbours far apart returns: a bound from below on the true epsilon.

`LowerBound` says what the release as calibrated costs at least; its `Witness` is the pair of data
that shows it, which can be solved again. Both come from the public domain: the true d has no part
in them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from privopt.arrays import Vector
from privopt.errors import InfeasibleError, InputError, SolverError, UnboundedError
from privopt.feasibility.protocol import Feasibility
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import planned
from privopt.mechanisms.question import Question
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise.calibration import Privacy
from privopt.noise.sensitivity import Sampled
from privopt.show.pictures.intervals import Dots, intervals
from privopt.show.pictures.picture import Picture
from privopt.show.result import Result
from privopt.show.view import Table, View
from privopt.solving.solver import Settings

__all__ = ["LowerBound", "ReleasedValues", "Witness"]


class ReleasedValues:
    """What is released of any d before noise, S z~(d) or S z*(d); counts what it was asked.

    The paper's mechanism solves its chance-constrained program anew for each d, recourse included;
    so does this. A reformulation that draws draws the same each time.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self._start: Plan | None = None
        self.evaluations = self.infeasible = self.failed = 0

    def at(
        self, d: Vector, *, cold: bool = False, settings: Settings | None = None
    ) -> Vector | None:
        """S z~ at d; None if there is no solution, or the solver found none. `cold`: no start."""
        self.evaluations += 1
        try:
            return np.asarray(
                self.question.S @ self._solved(d, cold, settings or self.question.settings)
            )
        except InfeasibleError:
            self.infeasible += 1
        except (SolverError, UnboundedError):
            self.failed += 1
        return None

    def _solved(self, d: Vector, cold: bool, settings: Settings) -> Vector:
        if self.question.feasibility is None:
            return self.question.program.solve(settings, d=d).z
        asked = self.question.at(d).under(settings=settings)
        plan = planned(asked, None if cold else self._start)
        self._start = plan
        return plan.expected


@dataclass(frozen=True, eq=False)
class Witness:
    """Two neighbouring data and what would be released of each, without noise.

    Attributes
    ----------
    entry
        Name of the private entry that differs.
    d, neighbour
        The two data: points of the domain, not the curator's.
    values, others
        S z~ at both.
    errors
        Error of each released value: twice the sum over both ends of its change when solved again
        a hundred times tighter.
    distance
        ||values - others|| after each difference is reduced by its error.
    seed
        Of the reformulation's draws, if it makes any.
    names
        Of the released values.
    """

    entry: str
    d: Vector = field(repr=False)
    neighbour: Vector = field(repr=False)
    values: Vector = field(repr=False)
    others: Vector = field(repr=False)
    errors: Vector = field(repr=False)
    distance: float
    seed: int = field(repr=False)
    names: tuple[str, ...] = field(repr=False)

    @property
    def moved(self) -> Vector:
        """Difference of the values, each reduced by its error."""
        return np.maximum(np.abs(self.values - self.others) - self.errors, 0.0)

    @property
    def step(self) -> float:
        """How far the entry was moved."""
        return float(np.abs(self.d - self.neighbour).max())

    def check(
        self,
        program: ConvexProgram,
        query: Query,
        privacy: Privacy,
        feasibility: Feasibility | None = None,
        *,
        settings: Settings | None = None,
    ) -> float:
        """Solve both ends again, from nothing, and return their distance."""
        question = Question(
            program, query, privacy, feasibility, rng=self.seed, settings=settings or Settings()
        )
        again = ReleasedValues(question)
        ends = [again.at(d, cold=True) for d in (self.d, self.neighbour)]
        if ends[0] is None or ends[1] is None:
            raise InputError(
                "an end of the witness has no solution here.",
                "the program, query, noise and feasibility the witness was found with.",
                "pass the same arguments as to lower_bound.",
            )
        return float(np.linalg.norm(ends[0] - ends[1], ord=privacy.order))


@dataclass(frozen=True, eq=False, repr=False)
class LowerBound(Result):
    """The privacy loss that a release has at least, and the pair of neighbours that shows it.

    Attributes
    ----------
    factor
        The distance of the pair over alpha times the largest column norm of S. Delta is at least
        this factor times both.
    epsilon, delta
        The release, calibrated as it was, has at least this epsilon at this delta. Infinite if no
        epsilon will do (truncated noise).
    claimed
        The epsilon asked for.
    witness
        The pair.
    evaluations, infeasible, failed
        Solves made; how many of them had no solution, and how many ended without an answer.
    """

    factor: float
    epsilon: float
    delta: float
    claimed: float
    witness: Witness
    evaluations: int
    infeasible: int
    failed: int

    def __repr__(self) -> str:
        at = f" at delta {self.delta:g}" if self.delta else ""
        return (
            f"LowerBound(true epsilon >= {self.epsilon:.3g}{at}, claimed {self.claimed:g}; entry "
            f"{self.witness.entry!r} moved by {self.witness.step:.3g} moves the release by "
            f"{self.witness.distance:.3g}; {self.evaluations} solves)"
        )

    def view(self) -> View:
        """The pair, and how far apart its releases lie."""
        pair = self.witness
        at = f" at delta = {self.delta:g}" if self.delta else ""
        return View(
            f"The release costs epsilon >= {self.epsilon:.6g}{at}, where {self.claimed:g} is "
            "claimed.",
            Table(
                "value",
                pair.names,
                {"at d": pair.values, "at its neighbour": pair.others, "moved": pair.moved},
            ),
            notes=(
                f"{pair.entry} moved by {pair.step:.6g} moves the released values by "
                f"{pair.distance:.6g}: {self.factor:.4g} times alpha and the largest column "
                "norm of S.",
                f"Found in {self.evaluations} solves ({self.infeasible} without a solution, "
                f"{self.failed} without an answer), from public data. The true epsilon may be "
                "larger.",
            ),
        )

    def plot(self) -> Picture:
        """What would be released of both neighbours, without noise."""
        pair = self.witness
        return intervals(
            pair.names,
            [
                Dots("at d", pair.values, ink="analytic"),
                Dots("at its neighbour", pair.others, ink="sampled"),
            ],
            f"epsilon >= {self.epsilon:.3g}, claimed {self.claimed:g}",
            f"{pair.entry} moved by {pair.step:.3g} moves the release by {pair.distance:.3g}",
            "released value without noise",
        )

    @property
    def sampled(self) -> Sampled:
        """The factor as a sensitivity: a search found nothing worse, which is no proof.

        With it the noise is larger, and the plan another one: search again.
        """
        return Sampled(max(self.factor, 1e-9))
