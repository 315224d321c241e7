"""What would make an infeasible design feasible: which epsilon, alpha, floor or domain.

Each is changed alone, and every value named was tried as it is printed, to the tolerance of the
design: a larger epsilon, a smaller alpha, a smaller floor, a narrower domain about the same middle.
All four only ever help, so bisection finds the edge, to five percent. Everything here is public, so
the answer may stand in an error message. It may take what the time limit leaves or, without one,
`_TIMES` as long as the failed design, a minute at most; what is still open then is named, too.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, cast

from privopt.digits import down, up
from privopt.errors import InfeasibleError, PrivoptError
from privopt.mechanisms.design_task import DesignTask
from privopt.mechanisms.exact_policy import Solution
from privopt.model.domain import Box
from privopt.noise.calibration import Privacy
from privopt.solving.problem import Outcome
from privopt.solving.solver import Settings

__all__ = ["no_policy"]

_TIMES, _LEAST = 20.0, 10.0  # how much longer than the design it may take, and seconds at least
_MOST = 60.0  # seconds
_NEAR = 1.05  # a value that works, over one that does not: near enough
_FIRST, _LAST = 8.0, 1e6  # times less noise: tried first, and at most
_LARGEST = 100.0  # epsilon: beyond it nothing is private
_NARROWER = (0.5, 0.02)  # of the domain
_SMALL = 1e-4  # part of a floor
_DIGITS = 2


def no_policy(task: DesignTask, floor: float, seconds: float) -> InfeasibleError:
    """The error for a design that took some seconds to be found infeasible."""
    if not task.solvable:
        return InfeasibleError(
            "the program has no feasible point at the middle of the domain, before any privacy.",
            "a domain in which A z <= b and G z = d can hold together.",
            "check signs, units and limits, or move the domain.",
        )
    left = task.settings.seconds_left
    usual = min(max(_TIMES * seconds, _LEAST), _MOST)
    clock = _Clock(usual if left is None else left, task.settings)
    epsilon, alpha, domain = (make(task, floor) for make in (_epsilon, _alpha, _domain))
    others = [alpha, *([_floor(task, floor)] if floor > 0 else []), domain]
    unserved = floor == 0 and not task.served
    if not unserved:
        epsilon.search(clock, clock.left / (1 + len(others)))
        unserved = epsilon.ruled_out and not task.served
    if unserved:
        domain.search(clock, clock.left)
        got = "the program has no feasible point at some d of the domain, before any privacy."
        return _error(got, [domain])
    if epsilon.found is not None:  # alpha, smaller by the same factor, will do, too
        same = float(down(alpha.asked * epsilon.asked / epsilon.found[0], _DIGITS))
        alpha.steps = (same, alpha.steps[-1])
    for i, way in enumerate(others):
        way.search(clock, clock.left / (len(others) - i))
    got = "no affine policy keeps the inequalities for every d of the domain under this noise."
    return _error(got, [epsilon, *others])


def _error(got: str, ways: list[_Way]) -> InfeasibleError:
    """What the search came to, in words."""
    would = "; ".join(way.says(*way.found) for way in ways if way.found is not None)
    not_ = "; ".join(way.says(way.steps[-1], None) for way in ways if way.ruled_out)
    open_ = [way for way in ways if way.found is None and not way.ruled_out]
    needed = (
        f"less to keep them against. Each of these alone would do (tried): {would}."
        if would
        else "other limits or another query: no change of one setting was found to do."
    )
    if not_:
        needed += f" Not enough alone (tried): {not_}."
    if open_:
        late = any(way.late for way in open_)
        why = "for lack of time (Settings(time_limit=...) may allow more)" if late else "unsolved"
        needed += f" Left open, {why}: {', '.join(way.name for way in open_)}."
    remedy = (
        "take one of them, release fewer values, or allow a larger eta."
        if would
        else "widen the limits, or release fewer values."
    )
    return InfeasibleError(got, needed, remedy)


class _Clock:
    """Time for the search, and the settings of a design that is to end by then."""

    def __init__(self, seconds: float, settings: Settings) -> None:
        self._end, self._settings = time.monotonic() + seconds, settings

    @property
    def left(self) -> float:
        return self._end - time.monotonic()

    @property
    def settings(self) -> Settings:
        return dataclasses.replace(self._settings, time_limit=max(self.left, 1e-3)).started()


@dataclass(repr=False, eq=False)
class _Way:
    """One thing to change: what was asked, steps away from it to try, and what was found.

    `design` is the task with a value of it; `says` names a value and, if there is one, its policy.
    """

    name: str
    asked: float
    steps: tuple[float, ...]
    floor: Callable[[float], float]
    design: Callable[[float, Settings], DesignTask]
    says: Callable[[float, Solution | None], str]
    found: tuple[float, Solution] | None = None
    ruled_out: bool = False
    late: bool = False

    def search(self, clock: _Clock, seconds: float) -> None:
        """Look for the value nearest to what was asked, as long as there is time."""
        end = time.monotonic() + seconds
        values = _values(self.asked, self.steps)
        value = next(values)
        self.late = clock.left <= 0
        while not self.late:
            made = self._tried(value, clock)
            self.late = made is Outcome.TIME or time.monotonic() > end
            if isinstance(made, Solution):
                self.found = value, made
            elif made is Outcome.INFEASIBLE and value == self.steps[-1]:
                self.ruled_out = True
            try:
                value = values.send(isinstance(made, Solution))
            except StopIteration:
                return

    def _tried(self, value: float, clock: _Clock) -> Solution | Outcome:
        try:
            return self.design(value, clock.settings).solution(0.0, self.floor(value))
        except PrivoptError:
            return Outcome.STALLED


def _values(asked: float, steps: tuple[float, ...]) -> Generator[float, bool]:
    """Values to try, told of each whether it works; what was asked does not.

    The steps, until one works; then those between it and the last that did not.
    """
    bad = asked
    for good in steps:
        if (yield good):
            break
        bad = good
    else:
        return
    if good == 0:
        return
    towards = up if good > bad else down
    while max(good / bad, bad / good) > _NEAR:
        middle = float(towards((good * bad) ** 0.5, _DIGITS))
        if middle in {good, bad}:
            return
        if (yield middle):
            good = middle
        else:
            bad = middle


def _epsilon(task: DesignTask, floor: float) -> _Way:
    asked = task.privacy.epsilon
    first, last = (float(up(times * asked, _DIGITS)) for times in (_FIRST, _LAST))
    return _Way(
        "epsilon",
        asked,
        (first,) if first >= _LARGEST else (first, min(last, _LARGEST)),
        lambda _: floor,
        lambda value, settings: task.under(_replaced(task.privacy, epsilon=value), settings),
        lambda value, _: f"epsilon={value:g}",
    )


def _alpha(task: DesignTask, floor: float) -> _Way:
    asked = task.privacy.alpha
    return _Way(
        "alpha",
        asked,
        (float(down(asked / _FIRST, _DIGITS)), float(down(asked / _LAST, _DIGITS))),
        lambda _: floor,
        lambda value, settings: task.under(_replaced(task.privacy, alpha=value), settings),
        lambda value, _: f"alpha={value:g}",
    )


def _floor(task: DesignTask, floor: float) -> _Way:
    def says(value: float, made: Solution | None) -> str:
        constant = made is not None and made.program.silent
        return f"floor={value:g}{' (a constant: it tells nothing about d)' if constant else ''}"

    return _Way(
        "floor",
        floor,
        (float(down(floor / _FIRST, _DIGITS)), float(down(_SMALL * floor, _DIGITS)), 0.0),
        lambda value: value,
        lambda _, settings: task.under(task.privacy, settings),
        says,
    )


def _domain(task: DesignTask, floor: float) -> _Way:
    lower, upper = task.domain.ends(len(task.program.private))
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    return _Way(
        "the domain",
        1.0,
        _NARROWER,
        lambda _: floor,
        lambda t, settings: task.over(Box(middle - t * half, middle + t * half), settings),
        lambda t, _: f"a domain {t:g} times as wide about the same middle",
    )


def _replaced(privacy: Privacy, **changes: float) -> Privacy:
    made: Any = privacy
    return cast("Privacy", dataclasses.replace(made, **changes))
