"""What would make an infeasible request feasible, one setting changed alone: one search for all.

    asked ... bad | good ... last step          the edge lies between: bad fails, good does

Steps lead away from what was asked, each easier than the one before, until one does; then the
geometric middle of the last that failed and the one that did is tried, until the two are near. So
the value found was tried, and one hardly closer to what was asked does not do. Nothing is assumed
but that each setting only ever helps.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from privopt.digits import down, up
from privopt.errors import PrivoptError
from privopt.solving.clock import Clock
from privopt.solving.problem import Outcome
from privopt.solving.solver import Running, Settings

__all__ = ["Remedy", "allowed", "changed", "doubling", "tried_words"]

T = TypeVar("T")
_TIMES, _LEAST = 20.0, 10.0  # how much more than what failed it may compute, and seconds at least
_MOST = 60.0  # seconds


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


def allowed(settings: Settings, seconds: float) -> Clock:
    """What the time limit leaves for a search; without one, its own allowance of computing.

    `seconds` of computing is what the request took that is infeasible.
    """
    if isinstance(settings, Running) and settings.time_limit is not None:
        return settings.clock
    return Clock.of(min(max(_TIMES * seconds, _LEAST), _MOST), time.process_time)


def tried_words(remedies: Sequence[Remedy[T]], words: Callable[[Remedy[T], float], str]) -> str:
    """What searches came to: which values would do, which are not enough, and what is open."""
    would = "; ".join(words(one, one.found) for one in remedies if one.found is not None)
    not_ = "; ".join(words(one, one.steps[-1]) for one in remedies if one.ruled_out)
    open_ = [one for one in remedies if one.found is None and not one.ruled_out]
    text = f" Each of these alone would do (tried): {would}." if would else ""
    if not_:
        text += f" Not enough alone (tried): {not_}."
    if open_:
        late = any(one.late for one in open_)
        why = "for lack of time (Settings(time_limit=...) may allow more)" if late else "unsolved"
        text += f" Left open, {why}: {', '.join(one.name for one in open_)}."
    return text
