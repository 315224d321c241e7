"""A lock that is a small file: one process and thread holds it, and it ends with its holder.

The lock is the system's (`flock`) on a file made for it, which is removed while it is held: whoever
waits on the removed file sees that and starts again. The system drops the lock when its holder
dies. A forked child does not hold it. Where there are no such locks (Windows) nobody waits.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

from privopt.errors import LedgerError

try:
    import fcntl
except ImportError:  # pragma: no cover -- Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["WAITS", "held"]

WAITS = fcntl is not None
_PAUSE = 0.001
_OURS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_held: set[int] = set()
_opening = threading.RLock()  # no descriptor is opened or closed while this process forks


@contextlib.contextmanager
def held(
    path: Path,
    timeout: float,
    late: Callable[[], LedgerError],
    impossible: Callable[[OSError], LedgerError],
) -> Generator[None]:
    """Hold the lock that is a file at a path.

    `late` is raised if it was not to be had in time, `impossible` if no such file can be made.
    """
    if fcntl is None:
        yield
        return
    descriptor = _take(path, time.monotonic() + timeout, late, impossible)
    try:
        yield
    finally:
        if descriptor in _held:  # else this is a forked child, whose parent has the lock
            with contextlib.suppress(OSError):
                path.unlink()
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            _close(descriptor)


def _take(
    path: Path,
    until: float,
    late: Callable[[], LedgerError],
    impossible: Callable[[OSError], LedgerError],
) -> int:
    while True:
        descriptor = -1
        try:
            with _opening:
                descriptor = os.open(path, _OURS | os.O_RDWR | os.O_CREAT, 0o600)
                _held.add(descriptor)
            while not _locked(descriptor):
                _wait(until, late)
            if _is_at(path, descriptor):
                return descriptor
        except OSError as error:
            _close(descriptor)
            raise impossible(error) from None
        except BaseException:
            _close(descriptor)
            raise
        _close(descriptor)


def _wait(until: float, late: Callable[[], LedgerError]) -> None:
    if time.monotonic() > until:
        raise late()
    time.sleep(_PAUSE)


def _locked(descriptor: int) -> bool:
    """Whether the lock is to be had, and is held now."""
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _close(descriptor: int) -> None:
    with _opening:
        if descriptor in _held:
            _held.remove(descriptor)
            os.close(descriptor)


def _drop() -> None:
    """In a forked child: the lock stays with the parent, and ends with it."""
    while _held:
        os.close(_held.pop())
    _opening.release()


if fcntl is not None:
    os.register_at_fork(
        before=_opening.acquire, after_in_parent=_opening.release, after_in_child=_drop
    )
