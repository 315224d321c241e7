"""Turns: of all who ask under one key, one makes the output and the others wait for it.

A turn is a lock on a small file beside the ledger, named after the key. The system drops it when
its holder dies, so whoever gets the turn and finds a charge without output knows that the output
will never come. A forked child does not hold it. Without such locks (Windows) nobody waits: a
charge without output is then refused at once, which is safe, and the message says that it may still
be on its way.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Generator
from pathlib import Path

from privopt.errors import LedgerError

try:
    import fcntl
except ImportError:  # pragma: no cover -- Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["WAITS", "turn"]

WAITS = fcntl is not None
_PAUSE = 0.002
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_held: set[int] = set()
_opening = threading.RLock()  # no descriptor is opened or closed while this process forks


@contextlib.contextmanager
def turn(ledger: Path, key: str | None, timeout: float) -> Generator[None]:
    """Hold the turn of a key; without a key there is nobody to wait for."""
    if key is None or fcntl is None:
        yield
        return
    mark = hashlib.sha256(key.encode()).hexdigest()[:24]
    path = ledger.with_name(f"{ledger.name}-key-{mark}")
    descriptor = _take(path, time.monotonic() + timeout)
    try:
        yield
    finally:
        if descriptor in _held:  # else this is a forked child, whose parent has the turn
            # Removed while held: whoever waits on the removed file sees that and starts again.
            with contextlib.suppress(OSError):
                path.unlink()
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            _close(descriptor)


def _take(path: Path, until: float) -> int:
    while True:
        descriptor = -1
        try:
            with _opening:
                descriptor = os.open(path, _FLAGS, 0o600)
                _held.add(descriptor)
            while not _locked(descriptor):
                _wait(until)
            if _is_at(path, descriptor):
                return descriptor
        except OSError as error:
            _close(descriptor)
            raise LedgerError(
                f"no lock could be made beside the ledger ({error.strerror}). Nothing was charged "
                "or released.",
                "a folder that may be written to, with room.",
                "check rights and space of the ledger's folder.",
            ) from None
        except BaseException:
            _close(descriptor)
            raise
        _close(descriptor)


def _wait(until: float) -> None:
    if time.monotonic() > until:
        raise LedgerError(
            "another release under this key has been running for too long.",
            "its end.",
            "wait for it, or use another key.",
        )
    time.sleep(_PAUSE)


def _locked(descriptor: int) -> bool:
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
