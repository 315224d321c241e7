"""Seconds that run out: a limit on time, by a clock that is given.

    left = max(end - now(), 0)

`time.monotonic` is what a user's limit is measured by; `time.process_time` counts computing, which
other processes on a busy machine do not hurry.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Clock"]


@dataclass(frozen=True, repr=False)
class Clock:
    """A time, by a clock, at which something is to end; infinity is no limit."""

    end: float
    now: Callable[[], float] = time.monotonic

    @classmethod
    def of(cls, seconds: float | None, now: Callable[[], float] = time.monotonic) -> Clock:
        """So many seconds from now; None is no limit."""
        return cls(math.inf if seconds is None else now() + seconds, now)

    @property
    def left(self) -> float:
        """Seconds until the end; 0 past it."""
        return max(self.end - self.now(), 0.0)

    def share(self, parts: int) -> Clock:
        """One of so many equal parts of what is left."""
        return dataclasses.replace(self, end=self.now() + self.left / parts)
