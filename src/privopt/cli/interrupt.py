"""Ctrl-C at the command line: one press ends the command, whatever it was doing.

Python raises KeyboardInterrupt where the press happens to find it. If that is a finaliser, the
callback of a weak reference or that of a C library, the exception is reported as "ignored" and the
program goes on. Such a press is made again here a moment later, until it is heard. One that a
library swallows without a report is heard when the next unit of work is done (`check`).

Where SIGINT is ignored, as in a job that a shell has put in the background, it stays so: the Ctrl-C
of the foreground is not meant for it. The same holds for a handler that the caller has set.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

__all__ = ["CODE", "check", "heard"]

CODE = 128 + signal.SIGINT  # as shells have it
_MOMENT = 0.01  # seconds: by then a finaliser has usually ended


@dataclass
class _Presses:
    """Whether a command listens, and whether Ctrl-C was pressed since it does."""

    listening: bool = False
    pressed: bool = False


_presses = _Presses()  # there is one keyboard


@contextmanager
def heard() -> Generator[None]:
    """Listen to Ctrl-C while a command runs; inside of another command, go on as before."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    report = sys.unraisablehook

    def lost(ignored: sys.UnraisableHookArgs) -> None:
        if issubclass(ignored.exc_type, KeyboardInterrupt):
            # Raised in here it would be lost again; and starting a thread waits for nothing.
            _thread.start_new_thread(_press_again, ())
        else:
            report(ignored)

    _presses.listening, _presses.pressed = True, False
    sys.unraisablehook = lost
    signal.signal(signal.SIGINT, _pressed)
    try:
        yield
    finally:
        _presses.listening = False
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = report


def check() -> None:
    """Raise the KeyboardInterrupt that was swallowed since the command began, if one was."""
    if _presses.listening and _presses.pressed:
        raise KeyboardInterrupt


def _pressed(number: int, frame: FrameType | None) -> None:
    _presses.pressed = True
    raise KeyboardInterrupt


def _press_again() -> None:
    time.sleep(_MOMENT)
    if not _presses.listening:
        return
    if hasattr(signal, "pthread_kill"):  # it also ends a wait of the main thread
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()
