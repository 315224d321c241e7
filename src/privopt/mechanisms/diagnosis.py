"""What would make an infeasible request feasible, one setting changed alone; why no plan exists.

    asked ... bad | good ... last step          the edge lies between: bad fails, good does

Steps lead away from what was asked, each easier than the one before, until one does; then the
geometric middle of the last that failed and the one that did is tried, until the two are near. So
the value found was tried, and one hardly closer to what was asked does not do. Nothing is assumed
but that each setting only ever helps.

`diagnose` is for the curator of a plan: the rows on which the least total excess over the limits
lies (each relative to its size) with the noise as asked, and the smallest epsilon, the largest
alpha and the smallest eta at which the program becomes feasible, to one percent. All of it depends
on d. It is private, and never part of a release.
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import numpy as np

from privopt.digits import down, up
from privopt.discreet import discreet
from privopt.errors import PrivoptError
from privopt.feasibility.protocol import Settled
from privopt.mechanisms.question import Question
from privopt.model.diagnosis import Diagnosis
from privopt.randomness import generator_of
from privopt.solving.clock import Clock
from privopt.solving.noisy import NoisyProgram
from privopt.solving.problem import Outcome

__all__ = ["Remedy", "changed", "diagnose", "doubling"]

T = TypeVar("T")
_NEAR = 1.01


@dataclass(repr=False, eq=False)
class Remedy(Generic[T]):
    """One setting to change, and what a search for a value of it came to.

    Attributes
    ----------
    name, asked
        The setting, and the value that does not do.
    steps
        Values away from it, tried in this order until one does.
    attempt
        What a value makes of the request, or how that ended; errors count as no answer.
    near
        A value that does over one that does not: near enough.
    digits
        Values are rounded to so many digits, to the easier side, and tried as they are printed.
    found, made
        The nearest value that does, and what it made.
    ruled_out
        Whether the last step was tried and is infeasible.
    late
        Whether time ran out.
    """

    name: str
    asked: float
    steps: tuple[float, ...]
    attempt: Callable[[float], T | Outcome]
    near: float
    digits: int | None = None
    found: float | None = None
    made: T | None = None
    ruled_out: bool = False
    late: bool = False

    def search(self, clock: Clock | None = None) -> float | None:
        """The value nearest to what was asked, of those tried while a clock has time left."""
        clock = clock or Clock.of(None)
        values = self._values()
        value = next(values)
        self.late = clock.left == 0.0
        while not self.late:
            try:
                made = self.attempt(value)
            except PrivoptError:  # outside the range of that setting, or unsolved
                made = Outcome.STALLED
            self.late = made is Outcome.TIME or clock.left == 0.0
            does = not isinstance(made, Outcome)
            if does:
                self.found, self.made = value, cast("T", made)
            elif made is Outcome.INFEASIBLE and value == self.steps[-1]:
                self.ruled_out = True
            try:
                value = values.send(does)
            except StopIteration:
                break
        return self.found

    def _values(self) -> Generator[float, bool]:
        """Values to try, told of each whether it does."""
        bad = self.asked
        for good in self.steps:
            if (yield good):
                break
            bad = good
        else:
            return
        easier = up if good > bad else down
        while good and max(good / bad, bad / good) > self.near:
            middle = math.sqrt(good * bad)
            if self.digits is not None:
                middle = float(easier(middle, self.digits))
            if middle in {good, bad}:
                return
            if (yield middle):
                good = middle
            else:
                bad = middle


def doubling(start: float, end: float) -> Iterator[float]:
    """Twice, four times, ... as much, up to an end; half, a quarter, ... down to one below."""
    value = start
    while True:
        value = min(2 * value, end) if end > start else max(value / 2, end)
        yield value
        if value == end:
            return


def changed(request: T, **values: float) -> T:
    """The same noise or feasibility with other numbers in it."""
    return cast("T", dataclasses.replace(cast("Any", request), **values))


@discreet
def diagnose(question: Question) -> Diagnosis:
    """Find the blocking rows and the nearest feasible epsilon, alpha and eta."""
    program, privacy, feasibility = question.program, question.privacy, question.kept
    near = program.solve(question.settings).z

    def chance(asked: Question) -> NoisyProgram:
        return NoisyProgram(
            program, asked.S, asked.calibration, asked.settings, near, still=asked.still
        )

    def attempt(asked: Question) -> Settled | Outcome:
        """With the same draws; what is not solved does not do."""
        made = asked.kept.settle(chance(asked), copy.deepcopy(generator_of(asked.rng)))
        return made if isinstance(made, Settled) else Outcome.INFEASIBLE

    def nearest(
        name: str, asked: float, end: float, change: Callable[[float], Question]
    ) -> float | None:
        steps = tuple(doubling(asked, end))
        return Remedy(name, asked, steps, lambda value: attempt(change(value)), _NEAR).search()

    blocked = chance(question)
    margins = feasibility.margins(blocked, copy.deepcopy(generator_of(question.rng)))
    excess = blocked.excess(margins)
    least = max(1e-6, 0.01 * float(excess.max(initial=0.0)))
    order = [int(i) for i in np.argsort(-excess) if excess[i] > least]
    names, eta = program.rows.names, getattr(feasibility, "eta", None)
    return Diagnosis(
        rows=tuple(names[i] for i in order),
        excess=tuple(float(excess[i]) for i in order),
        epsilon=nearest(
            "epsilon",
            privacy.epsilon,
            privacy.largest_epsilon,
            lambda value: question.under(changed(privacy, epsilon=value)),
        ),
        alpha=nearest(
            "alpha",
            privacy.one_alpha,
            privacy.one_alpha * 1e-9,
            lambda value: question.under(changed(privacy, alpha=value)),
        ),
        eta=None
        if eta is None
        else nearest(
            "eta",
            float(np.min(eta)),
            feasibility.largest_eta,
            lambda value: question.under(feasibility=changed(feasibility, eta=value)),
        ),
    )
