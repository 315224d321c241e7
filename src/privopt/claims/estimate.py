"""Estimates from draws: a share with its Clopper-Pearson interval, a mean with Student's, a range.

With k of N draws the interval [Beta(a/2; k, N-k+1), Beta(1-a/2; k+1, N-k)] covers the probability
with confidence at least 1 - a, whatever it is. The interval of a mean, mean +- t s / sqrt(N), does
so for many draws, or for draws of a normal law. That of a mean with a closed form is a point.
A range lies between quantiles of the draws: it says where a number is, not where its mean is.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, stdtrit

from privopt.digits import finite
from privopt.errors import InputError
from privopt.plain import integer, listed, number

__all__ = [
    "Estimate",
    "MeanEstimate",
    "RangeEstimate",
    "estimate_to_dict",
    "mean_from_dict",
    "range_from_dict",
]

_MANY = 10**9  # draws that nobody makes


@dataclass(frozen=True, eq=False)
class Estimate:
    """A share, the interval that covers its probability, and the number of draws.

    Private where the draws were about private data: values only by attribute or `summary()`.

    `value` and both ends of `interval` are numbers, or vectors with one entry for each row.
    """

    value: Any
    interval: tuple[Any, Any]
    samples: int
    confidence: float = 0.99

    @classmethod
    def of(cls, count: ArrayLike, samples: int, confidence: float = 0.99) -> Estimate:
        """Estimate from `count` hits among `samples` draws."""
        k = np.asarray(count, dtype=float)
        if not (0 < confidence < 1 and samples >= 1 and ((k >= 0) & (k <= samples)).all()):
            raise InputError(
                f"counts among {samples} draws at confidence {confidence} make no estimate.",
                "0 <= count <= samples, samples >= 1 and 0 < confidence < 1.",
                "check the arguments.",
            )
        tail = (1 - confidence) / 2
        with np.errstate(invalid="ignore"):
            low = np.where(k > 0, betaincinv(np.maximum(k, 1), samples - k + 1, tail), 0.0)
            high = np.where(
                k < samples, betaincinv(k + 1, np.maximum(samples - k, 1), 1 - tail), 1.0
            )
        if k.ndim == 0:
            return cls(float(k / samples), (float(low), float(high)), samples, confidence)
        return cls(k / samples, (low, high), samples, confidence)

    def __repr__(self) -> str:
        what = f"{len(self.value)} shares" if np.ndim(self.value) else "a share"
        return (
            f"Estimate({what} of {self.samples} draws; private: read .value, .interval, or print "
            ".summary())"
        )

    def summary(self) -> str:
        """The share and its interval in words."""
        if np.ndim(self.value):
            return f"{len(self.value)} shares of {self.samples} draws"
        low, high = self.interval
        return (
            f"{100 * self.value:.3g}% [{100 * low:.3g}, {100 * high:.3g}]% "
            f"({100 * self.confidence:.10g}%, {self.samples} draws)"
        )


@dataclass(frozen=True, repr=False, eq=False)
class MeanEstimate(Estimate):
    """The mean of a fraction over draws, such as a loss, and the interval that covers it.

    Attributes
    ----------
    without
        Draws that have no value: they are counted, and left out of the mean and of `samples`.
    """

    without: int = 0

    @classmethod
    def exact(cls, value: float) -> MeanEstimate:
        """A mean that is known: no draws, and an interval that is a point."""
        return cls(value, (value, value), 0)

    @property
    def is_exact(self) -> bool:
        """Whether the mean is known, from a closed form."""
        return not self.samples and self.interval == (self.value, self.value)

    @classmethod
    def over(cls, values: ArrayLike, confidence: float = 0.99) -> MeanEstimate:
        """The mean of one value a draw; NaN where a draw has none."""
        drawn = np.asarray(values, dtype=float).ravel()
        known = drawn[~np.isnan(drawn)]
        count = len(known)
        if not (0 < confidence < 1 and len(drawn) >= 1):
            raise InputError(
                f"{len(drawn)} draws at confidence {confidence} make no mean.",
                "one value or more, and 0 < confidence < 1.",
                "check the arguments.",
            )
        mean, wide = (float(known.mean()) if count else np.nan), np.inf
        if count > 1:
            t = float(stdtrit(count - 1, 0.5 + 0.5 * confidence))
            wide = t * float(known.std(ddof=1)) / count**0.5
        return cls(mean, (mean - wide, mean + wide), count, confidence, len(drawn) - count)

    def __repr__(self) -> str:
        if self.is_exact:
            return "MeanEstimate(exact; private where it is about private data: read .value)"
        return (
            f"MeanEstimate(over {self.samples} draws; private where they were about private data: "
            "read .value, .interval, or print .summary())"
        )

    def figures(self) -> str:
        """The mean and its interval as they are, where it is no fraction."""
        if self.is_exact:
            return f"{self.value:.6g} (exact)"
        low, high = self.interval
        return f"{self.value:.6g} [{low:.6g}, {high:.6g}]"

    def summary(self) -> str:
        """The mean and its interval in words."""
        if self.is_exact:
            return f"{100 * self.value:.3g}% (exact)"
        if not self.samples:
            return f"unknown: none of {self.without} draws has one"
        return super().summary()


@dataclass(frozen=True, repr=False, eq=False)
class RangeEstimate(Estimate):
    """A number that varies over public draws: its mean, and an interval that holds most draws.

    Attributes
    ----------
    value
        The mean of the draws.
    interval
        Quantiles of the draws, as many above it as below; the share `confidence` lies between them.
    without
        Draws that have no value: they are counted, and left out.
    """

    confidence: float = 0.95
    without: int = 0

    @classmethod
    def over(cls, values: ArrayLike) -> RangeEstimate:
        """The range of one value a draw; NaN where a draw has none."""
        drawn = np.asarray(values, dtype=float).ravel()
        known = drawn[~np.isnan(drawn)]
        if not len(known):
            return cls(np.nan, (-np.inf, np.inf), 0, without=len(drawn))
        tail = (1 - cls.confidence) / 2
        low, high = (float(np.quantile(known, share)) for share in (tail, 1 - tail))
        return cls(float(known.mean()), (low, high), len(known), without=len(drawn) - len(known))

    def __repr__(self) -> str:
        return f"RangeEstimate({self.summary()})"

    def summary(self, unit: str = "") -> str:
        """The mean and the range in words."""
        if not self.samples:
            return f"unknown: none of {self.without} draws has one"
        of = f" {unit}" if unit else ""
        low, high = self.interval
        share = f"{100 * self.confidence:.10g}% of {self.samples} draws"
        none = f"; {self.without} more have none" if self.without else ""
        return f"{self.value:.6g}{of} on average, {low:.6g} to {high:.6g}{of} in {share}{none}"


def estimate_to_dict(one: Estimate) -> dict[str, Any]:
    """Plain data for JSON. No method: what may be private has no way out of its own."""
    found = asdict(one) | {"interval": list(one.interval)}
    if isinstance(one, (MeanEstimate, RangeEstimate)):  # of no draws, it is not a number
        found |= {"value": finite(one.value), "interval": [finite(end) for end in one.interval]}
    if isinstance(one, MeanEstimate) and one.is_exact:
        found |= {"exact": True}
    return found


def mean_from_dict(data: dict[str, Any]) -> MeanEstimate:
    """The mean that was written; ValueError or KeyError if it is none."""
    return MeanEstimate(*_parts(data))


def range_from_dict(data: dict[str, Any]) -> RangeEstimate:
    """The range that was written; ValueError or KeyError if it is none."""
    return RangeEstimate(*_parts(data))


def _parts(data: dict[str, Any]) -> tuple[float, tuple[float, float], int, float, int]:
    """Value, interval, samples, confidence and draws without a value, in that order."""
    value = math.nan if data["value"] is None else number(data["value"])
    low, high = (
        far if end is None else number(end)
        for end, far in zip(listed(data["interval"]), (-math.inf, math.inf), strict=True)
    )
    counts = [integer(data[name], 0, _MANY) for name in ("samples", "without")]
    return value, (low, high), counts[0], number(data["confidence"]), counts[1]
