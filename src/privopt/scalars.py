"""Numbers at the edge: any real number in, a float in its range out, or a clear error."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import numpy as np

from privopt.errors import InputError

__all__ = ["dyadic", "integer_norm", "probability", "real", "round_up", "whole"]


def real(
    value: Any,  # noqa: ANN401 -- the edge
    name: str,
    needed: str,
    remedy: str,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """A finite float between low and high."""
    number = math.nan
    if isinstance(value, (numbers.Real, Decimal, np.integer, np.floating)) and not isinstance(
        value, (bool, np.bool_)
    ):
        try:
            number = float(value)  # pyright: ignore[reportUnknownArgumentType]
        except OverflowError:
            number = math.inf
    above = number > low if open_low else number >= low
    below = number < high if open_high else number <= high
    if not (math.isfinite(number) and above and below):
        shown = f"{value!r:.40}"
        raise InputError(f"{name} is {shown}.", needed, remedy)
    return number


def probability(value: Any, name: str, *, high: float = 1.0, remedy: str = "") -> float:  # noqa: ANN401
    """A float strictly between 0 and high."""
    if not remedy:
        chance = "eta is the chance of violation: for 95% use 0.05."
        remedy = chance if name == "eta" else "use about 0.01."
    needed = f"a number between 0 and {high:g}."
    return real(value, name, needed, remedy, low=0.0, high=high, open_low=True, open_high=True)


def whole(value: Any, name: str, remedy: str, *, low: int = 1) -> int:  # noqa: ANN401
    """An int of at least low."""
    number = -1
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        number = int(cast("int", value))
    if number < low:
        raise InputError(f"{name} is {value!r:.40}.", f"a whole number of at least {low}.", remedy)
    return number


def round_up(value: Fraction) -> float:
    """Smallest float that is not below an exact number."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def integer_norm(values: Iterable[Any], order: int) -> Fraction:
    """The norm of integers: exactly, or, of order 2, at most one above it."""
    if order == 1:
        return Fraction(sum(abs(int(v)) for v in values))
    return Fraction(math.isqrt(sum(int(v) ** 2 for v in values)) + 1)


def dyadic(value: int, exponent: int, *, up: bool = False) -> float:
    """An integer over a power of two as a float, the nearest or one not below."""
    exact = Fraction(value) / Fraction(2) ** exponent
    return round_up(exact) if up else float(exact)
