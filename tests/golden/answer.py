"""What a job answers, in three parts, and how two answers are compared."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

TOLERANCE = 1e-6  # of max(1, size): what solvers may move an optimum by


def plain(value: Any) -> Any:
    """Numbers, texts, lists and dicts, as JSON has them."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


@dataclass
class Answer:
    """What one job answers."""

    exact: dict[str, Any] = field(default_factory=dict)
    close: dict[str, Any] = field(default_factory=dict)
    flat: dict[str, Any] = field(default_factory=dict)

    def put(self, name: str, other: Answer) -> None:
        """Another answer, under a name of its own."""
        for part in ("exact", "close", "flat"):
            if getattr(other, part):
                getattr(self, part)[name] = getattr(other, part)

    def to_dict(self) -> dict[str, Any]:
        return {"exact": plain(self.exact), "close": plain(self.close), "flat": plain(self.flat)}


def differences(was: Any, now: Any, where: str = "") -> Iterator[tuple[str, Any, Any, float]]:
    """Where two values differ, and by how much of max(1, size); inf: not in a number."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in sorted({*was, *now}):
            if key in was and key in now:
                yield from differences(was[key], now[key], f"{where}/{key}")
            else:
                yield f"{where}/{key}", was.get(key), now.get(key), math.inf
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for i, (one, other) in enumerate(zip(was, now, strict=True)):
            yield from differences(one, other, f"{where}/{i}")
    elif was != now or isinstance(was, bool) is not isinstance(now, bool):
        off = math.inf
        if isinstance(was, (int, float)) and isinstance(now, (int, float)):
            off = abs(was - now) / max(1.0, abs(was))
        yield where, was, now, off
