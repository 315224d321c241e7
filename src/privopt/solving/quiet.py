"""Standard output is the caller's: what a solver's C code prints meanwhile goes to standard error.

Switching a solver's log off does not reach what it prints behind its log, and a line among results
on standard output spoils whatever reads them. Descriptor 1 is turned to where descriptor 2 leads,
so that nothing is lost; the first of several threads turns it, the last turns it back.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import cache
from threading import Lock

__all__ = ["quiet"]

_LOCK = Lock()
_INSIDE: list[int] = []  # for each thread inside, the descriptor that was standard output


@contextmanager
def quiet() -> Generator[None]:
    """Turn standard output to standard error inside."""
    with _LOCK:
        _INSIDE.append(_INSIDE[0] if _INSIDE else _redirected())
    try:
        yield
    finally:
        with _LOCK:
            own = _INSIDE.pop()
            if not _INSIDE and own >= 0:
                with suppress(OSError, AttributeError):
                    _c().fflush(None)  # what C has written and not yet sent
                os.dup2(own, 1)
                os.close(own)


@cache
def _c() -> ctypes.CDLL:
    """The C library of this process, opened once: that takes longer than a small solve."""
    return ctypes.CDLL(None)


def _redirected() -> int:
    """Turn standard output; the descriptor to turn it back to, or -1 if one of them is closed."""
    try:
        descriptor = os.dup(1)
    except OSError:
        return -1
    try:
        os.dup2(2, 1)
    except OSError:
        os.close(descriptor)
        return -1
    return descriptor
