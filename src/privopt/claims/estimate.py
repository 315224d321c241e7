"""Estimates of probabilities: a share of draws with its Clopper-Pearson interval.

With k of N draws the interval [Beta(a/2; k, N-k+1), Beta(1-a/2; k+1, N-k)] covers the probability
with confidence at least 1 - a, whatever it is.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from privopt.errors import InputError

__all__ = ["Estimate"]


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

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self) | {"interval": list(self.interval)}

    def summary(self) -> str:
        """The share and its interval in words."""
        if np.ndim(self.value):
            return f"{len(self.value)} shares of {self.samples} draws"
        low, high = self.interval
        return (
            f"{100 * self.value:.3g}% [{100 * low:.3g}, {100 * high:.3g}]% "
            f"({100 * self.confidence:.10g}%, {self.samples} draws)"
        )
