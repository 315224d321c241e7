"""Neighbours as the curator has them: how far apart their entries can be once they are floats.

    |float(x) - float(y)| <= |x - y| + ulp(B)      for x, y in [lower, upper], B = max |ends|

The curator's numbers are decimals, integers of any size or fractions; privopt computes with floats.
A number converted once, correctly rounded, moves by at most half a unit in the last place of the
largest number that its public domain holds. Clamping a float to the domain is the same as clamping
the number first: rounding is monotone and keeps the ends, which are floats; a number beyond the
largest float becomes that one (`arrays.held`). So data at most alpha apart are at most
alpha + ulp(B) apart as floats, inside the domain or not, and a sensitivity made for that is proven
for the data that the curator has.

Where ulp(B) is no longer negligible against alpha the domain is refused, by its public bounds and
never by the data. Without a public bound nothing limits what conversion moves.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from privopt.arrays import Vector
from privopt.errors import InputError
from privopt.scalars import round_up

__all__ = ["AS_FLOATS", "exact_alpha", "widened"]

AS_FLOATS = (
    "neighbours are d as floating-point numbers: no public domain bounds what the conversion of "
    "decimals or large integers moves"
)
_SHARE = 24  # conversion may widen alpha by 2^-24 (6e-8) of it, which costs that much more noise


def exact_alpha(alpha: float) -> Fraction:
    """The larger of a float and of the decimal that it is written as: 0.95 is below its decimal."""
    return max(Fraction(alpha), Fraction(repr(float(alpha))))


def widened(alpha: float, lower: Vector | float, upper: Vector | float) -> float:
    """How far neighbours can be apart as floats, rounded up: alpha + ulp(B).

    The ends of the domain are public. So far from zero that floats there are coarse against alpha,
    they are refused.
    """
    ends = np.abs(np.concatenate([np.ravel(lower), np.ravel(upper)]).astype(float))
    spacing = math.ulp(float(ends.max(initial=0.0)))
    if Fraction(spacing) * 2**_SHARE > exact_alpha(alpha):
        raise InputError(
            f"the domain is more than 2^28 times as wide, or as far from zero, as alpha: numbers "
            f"there are {spacing:.3g} apart as floats, and alpha is {alpha!r}.",
            "a domain and an alpha of comparable size.",
            "measure d from a public reference value, or use a larger alpha.",
        )
    return round_up(exact_alpha(alpha) + Fraction(spacing))
