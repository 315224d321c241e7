"""What stands for the privacy loss of noise where charges are composed.

The loss of a release is L = ln(P(y)/P'(y)), y drawn from P, for neighbours with laws P and P'. Each
kind stands for a pair (P, P') whose delta(epsilon) is nowhere below that of the release:

    LaplaceLoss(a)      L of Laplace noise of scale 1 against a shift of a
    GaussianLoss(mu)    L of Gaussian noise of deviation 1 against a shift of mu
    PairLoss(e, delta)  infinity with probability delta, otherwise e or -e with odds exp(e) to 1: as
                        bad as (e, delta)-differential privacy allows

A family says which of them stands for its noise, and why that is sound. `ledger.loss` adds them up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Drawn", "GaussianLoss", "LaplaceLoss", "Loss", "PairLoss", "Standing"]


@dataclass(frozen=True)
class Drawn:
    """One draw of noise as a ledger recorded it, in units of its scale."""

    size: int  # number of values
    moved: float  # Delta, the sensitivity
    grain: float  # step of the grid
    epsilon: float  # the charge by the noise's own rule


@dataclass(frozen=True)
class LaplaceLoss:
    """Laplace noise of scale 1, shifted by a."""

    a: float

    @property
    def spread(self) -> tuple[float, float, float]:
        """Mean, deviation and largest value of the loss; not below the true ones."""
        return min(self.a, self.a * self.a / 2), self.a, self.a


@dataclass(frozen=True)
class GaussianLoss:
    """Gaussian noise of deviation 1, shifted by mu."""

    mu: float

    @property
    def spread(self) -> tuple[float, float, float]:
        """Mean and deviation of the loss; it has no largest value."""
        return self.mu * self.mu / 2, self.mu, math.inf


@dataclass(frozen=True)
class PairLoss:
    """All that (e, delta)-differential privacy allows."""

    e: float
    delta: float

    @property
    def spread(self) -> tuple[float, float, float]:
        """Mean, deviation and largest value of the finite loss; not below the true ones."""
        return min(self.e, self.e * self.e / 2), self.e, self.e


Loss: TypeAlias = LaplaceLoss | GaussianLoss | PairLoss


@dataclass(frozen=True)
class Standing:
    """A loss, and how far the noise may be `apart` from what has it.

    A total variation of t costs t (1 + exp(epsilon)) of delta.
    """

    loss: Loss
    apart: float = 0.0
