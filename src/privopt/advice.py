"""What would make an infeasible design feasible: which domain, floor or epsilon.

Each is changed alone, and every value named was tried: a narrower domain about the same middle, a
smaller floor, a larger epsilon. All three only ever help, so bisection finds the edge. Everything
here is public, so the answer may stand in an error message. It takes as long as the failed design
allows (`_TIMES` its time, within the time limit); what could not be told by then is left out.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any, cast

from privopt.conic.solver import Settings
from privopt.design_task import DesignTask
from privopt.domain import Box
from privopt.errors import InfeasibleError, PrivoptError
from privopt.noise.calibration import Privacy

__all__ = ["no_policy"]

_TIMES, _LEAST = 10.0, 5.0  # how much longer than the design it may take, and seconds at least
_MOST = 60.0  # seconds
_STEPS = 5
_LARGEST = 64.0  # times epsilon
_ROUGH = 1e-6


def no_policy(task: DesignTask, floor: float, seconds: float) -> InfeasibleError:
    """The error for a design that took some seconds to be found infeasible."""
    if not task.solvable:
        return InfeasibleError(
            "the program has no feasible point at the middle of the domain, before any privacy.",
            "a domain in which A z <= b and G z = d can hold together.",
            "check signs, units and limits, or move the domain.",
        )
    limit = min(max(_TIMES * seconds, _LEAST), _MOST)
    left = task.settings.seconds_left
    clock = _Clock(limit if left is None else min(limit, left))
    ways: list[str] = []
    width = _largest(lambda t: _narrower(task, floor, t, clock), 1.0)
    if width:
        ways.append(f"a domain {_down(width)} times as wide about the same middle")
    if floor > 0:
        least = _largest(lambda t: _with_floor(task, t * floor, clock), 1.0)
        if least is not None:
            ways.append(f"floor={_down(least * floor)}")
    times = _epsilon(task, floor, clock)
    if times is not None:
        ways.append(f"epsilon={_up(times * task.privacy.epsilon)}")
    got = "no affine policy keeps the inequalities for every d of the domain under this noise."
    if not ways:
        why = " (not all could be tried in time)" if clock.over else ""
        return InfeasibleError(
            got,
            f"other limits or another query: no narrower domain, smaller floor or larger epsilon "
            f"was found to do{why}.",
            "check the limits at the middle of the domain first: is there a solution there?",
        )
    return InfeasibleError(
        got,
        f"less to keep them against. Each of these alone would do (tried): {'; '.join(ways)}.",
        "take one of them, release fewer values, or allow a larger eta.",
    )


class _Clock:
    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return self._end - time.monotonic()

    @property
    def over(self) -> bool:
        return self.left <= 0

    @property
    def settings(self) -> Settings:
        return Settings(tolerance=_ROUGH, time_limit=max(self.left, 1e-3)).started()


def _largest(works: Callable[[float], bool | None], top: float) -> float | None:
    """The largest value below `top` that was found to work."""
    low, high, best = 0.0, top, None
    if works(low):
        best = low
        for _ in range(_STEPS):
            middle = 0.5 * (low + high)
            if works(middle):
                low = best = middle
            else:
                high = middle
    return best


def _again(
    task: DesignTask, floor: float, clock: _Clock, domain: Box, privacy: Privacy
) -> bool | None:
    if clock.over:
        return None
    try:
        other = DesignTask(
            task.program, task.query, privacy, task.feasibility, domain, None, task.balance,
            task.structure, seed=0, settings=clock.settings,
        )  # fmt: skip
        return other.feasible(floor)
    except PrivoptError:
        return None


def _narrower(task: DesignTask, floor: float, t: float, clock: _Clock) -> bool | None:
    lower, upper = task.domain.ends(len(task.program.private))
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    return _again(task, floor, clock, Box(middle - t * half, middle + t * half), task.privacy)


def _with_floor(task: DesignTask, floor: float, clock: _Clock) -> bool | None:
    return _again(task, floor, clock, task.domain, task.privacy)


def _epsilon(task: DesignTask, floor: float, clock: _Clock) -> float | None:
    """The smallest multiple of epsilon that was found to work."""

    def works(times: float) -> bool | None:
        privacy: Any = task.privacy
        wider = dataclasses.replace(privacy, epsilon=times * task.privacy.epsilon)
        return _again(task, floor, clock, task.domain, cast("Privacy", wider))

    low, high = 1.0, 1.0
    while high < _LARGEST:
        low, high = high, 4.0 * high
        if works(high):
            break
    else:
        return None
    for _ in range(_STEPS - 1):
        middle = (low * high) ** 0.5
        if works(middle):
            high = middle
        else:
            low = middle
    return high


def _down(value: float) -> str:
    """Two digits, not above the value."""
    text = f"{value:.2g}"
    return text if float(text) <= value else f"{0.99 * value:.2g}" if value else "0"


def _up(value: float) -> str:
    text = f"{value:.2g}"
    return text if float(text) >= value else f"{1.05 * value:.2g}"
