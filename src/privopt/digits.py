"""Numbers as few digits in a message, rounded to the side on which what was found still holds.

A bound that is named must do when it is typed in as it is printed.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

__all__ = ["charge", "down", "exactly", "finite", "up"]


def up(value: float, digits: int) -> str:
    """The least number of so many digits that is not below the value."""
    return _rounded(value, digits, ROUND_CEILING)


def down(value: float, digits: int) -> str:
    """The largest number of so many digits that is not above the value."""
    return _rounded(value, digits, ROUND_FLOOR)


def exactly(value: float) -> str:
    """The shortest text that reads back to the same float: 1, 0.1, 1.0000049, 1e-05."""
    text = repr(float(value))
    return text.removesuffix(".0")


def charge(epsilon: float, delta: float) -> str:
    """What a release costs, in words."""
    return f"epsilon {up(epsilon, 10)}, delta {up(delta, 6)}"


def finite(value: float) -> float | None:
    """None for what JSON cannot say: a loss against no cost, a residual of no rows."""
    return float(value) if math.isfinite(value) else None


def _rounded(value: float, digits: int, side: str) -> str:
    exact = Decimal(repr(float(value)))  # the decimal that was meant: 1e-05, not a hair above it
    if not exact:
        return "0"
    last = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    return f"{float(exact.quantize(last, rounding=side)):.{digits}g}"
