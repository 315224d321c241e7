"""Mechanisms that draw many releases at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

BLOCK = 1000


Draw = Callable[[float, int], Any]


def one_by_one(draw: Draw) -> Callable[[float], Any]:
    """A mechanism from a function that draws many releases at once."""
    waiting: dict[float, list[Any]] = {}

    def release(d: float) -> Any:
        if not waiting.get(d):
            waiting[d] = list(draw(d, BLOCK))
        return waiting[d].pop()

    return release
