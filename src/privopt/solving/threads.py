"""One thread for small matrices: threads would mostly wait for each other."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]


def one_thread(*, when: bool = True) -> AbstractContextManager[Any]:
    """A context in which BLAS has one thread."""
    return _controller().limit(limits=1, user_api="blas") if when else nullcontext()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
