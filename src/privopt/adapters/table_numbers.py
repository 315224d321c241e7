"""Numbers of a table, and their sums, exactly: no rounding until the end, and then one.

    d_j = float(sum of the numbers in the rows of entry j)      rounded once, correctly

What is proven of neighbours allows for one correct rounding of each number (`noise.neighbours`). A
sum of floats would add an error for each row that depends on the other rows: here decimals are
added as integers over a power of ten, as the file has them; a float is the decimal that it is
written as, so that a number is the same in a column of numbers and in one of texts. An integer that
is no text counts as a float too: a column of a frame has one type, and one cell can make it floats.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Complex

import numpy as np

__all__ = ["Decimals", "ExactSums", "Number"]

Number = tuple[int, int]  # (numerator, places): numerator / 10^places
_PLAIN = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,3}))?", re.ASCII)
_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}", re.ASCII)
_LONGEST = 400  # characters of a number


@dataclass(repr=False)
class Decimals:
    """Reads numbers, and remembers how decimals are written: a point, a comma, or it is not clear.

    `mark` is what the user says: "." or ","; None: to be found out. A comma is a decimal comma only
    where the separator is another and some number shows it (12,5 does; 1,500 does not).
    """

    mark: str | None
    separator: str
    points: bool = False
    commas: bool = False
    sure: bool = False

    def read(self, cell: object) -> Number | None:
        """The number of a cell; None if it is none, or cannot be read."""
        with suppress(Exception):  # of a frame, a cell can be any object
            if isinstance(cell, str):
                return self._of_text(cell.strip())
            if isinstance(cell, Decimal):
                return _written(str(cell))
            if isinstance(cell, bool | np.timedelta64):  # no amounts, if numbers to Python
                return None
            if isinstance(cell, Complex) and cell.imag == 0:  # another cell may be complex
                return _written(repr(float(cell.real)))
        return None

    def _of_text(self, text: str) -> Number | None:
        if "," in text:
            if self.mark == "." or self.separator == "," or not _COMMA.fullmatch(text):
                return None
            self.commas = True
            self.sure = self.sure or not _GROUPED.fullmatch(text)
            text = text.replace(",", ".")
        elif "." in text:
            if self.mark == ",":
                return None
            self.points = True
        return _written(text)

    @property
    def doubt(self) -> str | None:
        """What is not clear about the numbers that were read; None if nothing is."""
        if self.commas and self.points:
            return "numbers with decimal points and numbers with commas"
        if self.commas and not self.sure and self.mark is None:
            return "numbers such as 1,500, which could be 1.5 or 1500"
        return None


def _written(text: str) -> Number | None:
    """The number of a text with a point, or none."""
    match = _PLAIN.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or not (match[2] or match[3]):
        return None
    after = match[3] or ""
    places = len(after) - int(match[4] or 0)
    top = int(f"{match[1]}{match[2]}{after}")
    return (top, places) if places >= 0 else (top * 10**-places, 0)


@dataclass(repr=False)
class ExactSums:
    """Sums by key, as integers over one power of ten."""

    places: int = 0
    tops: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, key: int, number: Number) -> None:
        """Add a number to a sum."""
        top, places = number
        if places > self.places:
            finer = 10 ** (places - self.places)
            self.tops = {one: finer * value for one, value in self.tops.items()}
            self.places = places
        elif places < self.places:
            top *= 10 ** (self.places - places)
        self.tops[key] = self.tops.get(key, 0) + top

    def clamped(self, key: int, high: Number) -> Number:
        """A sum, no less than 0 and no more than a bound, exactly.

        Nothing is rounded: how finely other rows are written must not move what this one adds.
        """
        top = max(self.tops[key], 0)
        above = top * 10 ** high[1] > high[0] * 10**self.places
        return high if above else (top, self.places)

    def value(self, key: int) -> float:
        """A sum as the nearest float; the largest one where none is so large."""
        try:
            return self.tops.get(key, 0) / 10**self.places
        except OverflowError:
            return sys.float_info.max if self.tops[key] > 0 else -sys.float_info.max
