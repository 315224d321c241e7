"""The law of one noise entry at scale one: what margins and verification need of it.

Entries are independent, symmetric and log-concave. `cone` and `quantile` describe the same thing:
the (1 - eta) quantile of a'xi, which is a norm of a. For Gaussian noise it is a multiple of the
2-norm; for Laplace noise it is not, and the multiple is a lower bound completed by cuts.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from privopt.arrays import Dense, Vector

__all__ = ["EXACT", "Law"]

EXACT = "the quantile of A_i Z xi for this noise"


class Law(Protocol):
    """One entry of the noise, at scale one."""

    @property
    def variance(self) -> float:
        """Variance of an entry."""
        ...

    @property
    def bound(self) -> float:
        """Largest possible |xi|; infinite if there is none."""
        ...

    @property
    def spherical(self) -> bool:
        """Whether the quantile of a'xi is a multiple of the 2-norm of a."""
        ...

    margin: ClassVar[str]
    """What `quantile` gives, in the words of a claim."""

    def sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Dense:
        """Draws for experiments and verification (a release draws elsewhere)."""
        ...

    def log_density(self, x: Dense) -> Dense:
        """Logarithm of the density of an entry at each of x; -inf where there is none."""
        ...

    def half_width(self, outside: float) -> float:
        """W with P(|xi| > w) = outside: beside one, floats could not tell small ones apart."""
        ...

    def mass(self, low: Vector, high: Vector) -> float:
        """Probability of the box [low, high]."""
        ...

    def overshoot(self, x: Vector) -> Vector:
        """E max(xi - x, 0) for each finite x >= 0, to a relative rounding error."""
        ...

    def cone(self, eta: Vector, p: int) -> Vector:
        """Multiples of the standard deviation that lie below the quantile (equal if spherical)."""
        ...

    def quantile(self, a: Dense, eta: Vector) -> tuple[Vector, Dense]:
        """Value and gradient of the (1 - eta) quantile of a'xi for each row of a."""
        ...

    def loss(self, shift: Vector, delta: float) -> float:
        """Smallest epsilon, or less, at delta for two centres; `shift` is |v|, of two laws v apart.

        A bound from below: what neighbours that were found prove of the noise.
        """
        ...
