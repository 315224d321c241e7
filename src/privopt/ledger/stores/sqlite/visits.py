"""Who is inside a store: one thread at a time, nobody across a fork.

A visit belongs to the frame that holds the `with`. It ends with it, also where an interrupt struck
so that `__exit__` never ran: a visit whose frame is no longer on its thread's stack is over. A
signal handler that runs in the middle of a visit finds it going on, and is told so.

An open SQLite file must not be carried across a fork: its locks would be lost without a word. So
before this process forks, every visit of other threads ends, nobody begins a new one, and every
store is closed. They open again when next used, on both sides.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Protocol

__all__ = ["Visit", "enter", "inside", "leave", "register"]


class Closes(Protocol):
    """What can be visited: it can be closed at once."""

    def drop(self) -> None:
        """Close without waiting for anyone."""
        ...


@dataclass(frozen=True, eq=False)
class Visit:
    """A thread inside a store, and the frame that let it in."""

    thread: int
    frame: FrameType

    @property
    def goes_on(self) -> bool:
        """Whether the frame is still on its thread's stack."""
        frame = _top_of(self.thread)
        while frame is not None:
            if frame is self.frame:
                return True
            frame = frame.f_back
        return False


def _top_of(thread: int) -> FrameType | None:
    """The frame that a thread is in.

    Python's list of them is made under a lock that the garbage collector may need too (for a
    `threading.local`): a collection in the middle would wait for itself for ever. So there is none.
    """
    if thread == threading.get_ident():
        return sys._getframe()  # pyright: ignore[reportPrivateUsage]
    with _room:
        collects = gc.isenabled()
        try:
            gc.disable()
            return sys._current_frames().get(thread)  # pyright: ignore[reportPrivateUsage]
        finally:
            if collects:
                gc.enable()


_room = threading.Condition()  # re-entrant: a signal handler may ask while its thread asks
_visits: dict[int, Visit] = {}
_stores: weakref.WeakSet[Closes] = weakref.WeakSet()
_forking: list[int] = []  # the thread that is about to fork


def register(store: Closes) -> None:
    """Let a store be closed before a fork."""
    with _room:
        _stores.add(store)


def inside(store: Closes) -> Visit | None:
    """The visit that goes on in this thread, if any."""
    visit = _visits.get(id(store))
    return visit if visit and visit.thread == threading.get_ident() and visit.goes_on else None


def enter(store: Closes, frame: FrameType, timeout: float) -> Visit | None:
    """Wait until nobody is inside, and go in; None if that takes too long."""
    visit, until = Visit(threading.get_ident(), frame), time.monotonic() + timeout
    with _room:
        while True:
            there = _visits.get(id(store))
            free = there is None or not there.goes_on
            if free and _forking in ([], [visit.thread]):
                _visits[id(store)] = visit
                return visit
            # A visit that an interrupt cut short tells nobody: look again soon.
            if not _room.wait(min(0.5, max(0.0, until - time.monotonic()))) and (
                time.monotonic() >= until
            ):
                return None


def leave(store: Closes, visit: Visit, last: Callable[[], None]) -> None:
    """Do the last thing and end a visit; nothing if it was over, and another may have begun."""
    with _room:
        if _visits.get(id(store)) is visit:
            last()
            del _visits[id(store)]
            _room.notify_all()


def _before_fork() -> None:
    _room.acquire()
    me = threading.get_ident()
    while _forking and _forking != [me]:
        _room.wait()
    _forking.append(me)
    while any(visit.thread != me and visit.goes_on for visit in list(_visits.values())):
        _room.wait(0.5)
    for store in list(_stores):
        store.drop()


def _after_fork() -> None:
    if _forking:
        _forking.pop()
    _room.notify_all()
    _room.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )
