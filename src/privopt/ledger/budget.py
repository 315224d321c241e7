"""A budget: epsilon and delta as the exact decimals that were written, added in whole units.

    spent_epsilon = epsilon_1 + epsilon_2 + ...,   spent_delta = delta_1 + delta_2 + ...

is basic composition. It is summed in integers, of 10^-30 for epsilon and 10^-60 for delta, so ten
charges of 0.1 are 1.0 and not a bit more. A float counts as the shortest decimal that reads back to
it (0.1 is one tenth). Every float from 1e-13 up (for delta 1e-43) is a whole number of units; what
is finer is rounded up in a charge and down in a limit, so rounding never lets anything through.
"""

from __future__ import annotations

import math
import numbers
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from privopt.errors import InputError

__all__ = ["Budget", "Units", "decimal"]

_WRITTEN = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)

EPSILON_UNITS = 10**30
DELTA_UNITS = 10**60
LARGEST = 10**12


class Units(NamedTuple):
    """An amount in whole units of 10^-30 epsilon and 10^-60 delta."""

    epsilon: int
    delta: int

    def plus(self, other: Units) -> Units:
        """The sum of both parts."""
        return Units(self.epsilon + other.epsilon, self.delta + other.delta)

    def minus(self, other: Units) -> Units:
        """What is left of both parts, at least zero."""
        return Units(max(0, self.epsilon - other.epsilon), max(0, self.delta - other.delta))

    def within(self, limit: Units) -> bool:
        """Whether neither part is above the limit."""
        return self.epsilon <= limit.epsilon and self.delta <= limit.delta

    @property
    def texts(self) -> tuple[str, str]:
        """Both parts as decimals, exactly."""
        return _digits(self.epsilon, 30), _digits(self.delta, 60)

    @property
    def budget(self) -> Budget:
        """The same amount as a budget."""
        return _budget(self)


@dataclass(frozen=True, init=False, repr=False)
class Budget:
    """An amount of privacy loss: a limit, a charge, or what was spent.

    Parameters
    ----------
    epsilon
        A number from 0 to 1e12: float, int, Decimal, Fraction, or a decimal in a string.
    delta
        A number from 0 to below 1; zero for pure differential privacy.

    Attributes
    ----------
    exact
        Both as exact fractions. `epsilon` and `delta` are the floats nearest to them.

    Examples
    --------
    >>> Budget(1.0, 1e-6)
    Budget(epsilon=1, delta=1e-6)
    >>> Budget(0.1).exact[0]
    Fraction(1, 10)
    """

    exact: tuple[Fraction, Fraction]

    def __init__(self, epsilon: Any, delta: Any = 0) -> None:  # noqa: ANN401 -- the edge
        exact = (
            _checked(
                epsilon, "epsilon", "a number from 0 to 1e12.", "1 is common.", Fraction(LARGEST)
            ),
            _checked(delta, "delta", "a number from 0 to below 1.", "1e-6 is common.", Fraction(1)),
        )
        if exact[1] == 1:
            raise InputError(
                "delta is 1.", "a number from 0 to below 1.", "delta = 1 promises nothing."
            )
        object.__setattr__(self, "exact", exact)

    @property
    def epsilon(self) -> float:
        """Epsilon as the nearest float."""
        return float(self.exact[0])

    @property
    def delta(self) -> float:
        """Delta as the nearest float."""
        return float(self.exact[1])

    @property
    def charge(self) -> Units:
        """Whole units, rounded up."""
        epsilon, delta = self.exact
        return Units(math.ceil(epsilon * EPSILON_UNITS), math.ceil(delta * DELTA_UNITS))

    @property
    def limit(self) -> Units:
        """Whole units, rounded down."""
        epsilon, delta = self.exact
        return Units(math.floor(epsilon * EPSILON_UNITS), math.floor(delta * DELTA_UNITS))

    def to_dict(self) -> dict[str, str]:
        """Both as exact decimals in strings, for JSON."""
        return dict(zip(("epsilon", "delta"), self.charge.texts, strict=True))

    def __repr__(self) -> str:
        epsilon, delta = self.charge.texts
        return f"Budget(epsilon={epsilon}, delta={delta})"

    def __str__(self) -> str:
        epsilon, delta = self.charge.texts
        return f"epsilon {epsilon}" + ("" if delta == "0" else f", delta {delta}")


@lru_cache(maxsize=256)
def _budget(units: Units) -> Budget:
    # Many rows of a ledger hold the same charge and the same limit.
    return Budget(Fraction(units.epsilon, EPSILON_UNITS), Fraction(units.delta, DELTA_UNITS))


def decimal(value: Any) -> Fraction | None:  # noqa: ANN401 -- the edge
    """The number that was written, exactly; None if it is no finite number."""
    try:
        if isinstance(value, (bool, np.bool_)):
            return None
        if isinstance(value, numbers.Rational):  # numpy's integers too
            return Fraction(int(value.numerator), int(value.denominator))
        if isinstance(value, str) and _WRITTEN.fullmatch(value) is None:
            return None
        if isinstance(value, (Decimal, str)):
            written = Decimal(value)
        elif isinstance(value, numbers.Real):  # numpy's floats too
            written = Decimal(repr(float(value)))
        else:
            return None
        # An exponent of a million digits is finite, and would still take for ever.
        sane = written.is_finite() and abs(written.adjusted()) <= 400
        return Fraction(written) if sane and len(written.as_tuple().digits) <= 400 else None
    except (ValueError, ArithmeticError):
        return None


def _checked(value: Any, name: str, needed: str, remedy: str, high: Fraction) -> Fraction:  # noqa: ANN401
    number = decimal(value)
    if number is None or not 0 <= number <= high:
        raise InputError(f"{name} is {value!r:.40}.", needed, remedy)
    return number


def _digits(units: int, places: int) -> str:
    """Units as an exact decimal; small ones with an exponent."""
    whole, part = divmod(units, 10**places)
    if whole == 0 and 0 < part < 10 ** (places - 4):
        shown = str(part)
        first, rest = shown[0], shown[1:].rstrip("0")
        return f"{first}{'.' + rest if rest else ''}e{len(shown) - 1 - places}"
    return f"{whole}.{part:0{places}d}".rstrip("0").rstrip(".")
