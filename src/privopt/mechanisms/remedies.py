"""What would make an infeasible request feasible: one setting changed alone, by bisection.

    asked ... bad | good ... last step          the edge lies between: bad fails, good does

Steps lead away from what was asked, each easier than the one before, until one does; then the
geometric middle of the last that failed and the one that did is tried, until the two are near. So
the value found was tried, and one hardly closer to what was asked does not do. Nothing is assumed
but that each setting only ever helps.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from privopt.digits import down, up
from privopt.errors import PrivoptError
from privopt.solving.clock import Clock
from privopt.solving.problem import Outcome

__all__ = ["Remedy", "changed", "doubling"]

T = TypeVar("T")


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
