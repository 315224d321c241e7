"""A bound on work, not on time: processor seconds, which busy neighbours do not change much."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

__all__ = ["at_most"]


@contextmanager
def at_most(seconds: float, waiting: int = 600) -> Generator[None]:
    """Raise a TimeoutError once this process has computed for so long, or waited far longer."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {seconds:g} s of computing, or {waiting} s of waiting")

    before = [(number, signal.signal(number, late)) for number in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(waiting)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.alarm(0)
        for number, handler in before:
            signal.signal(number, handler)
