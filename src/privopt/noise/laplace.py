"""Laplace noise: density exp(-|x|/lambda) / (2 lambda), lambda = Delta/epsilon.

Pure epsilon-differential privacy for values of l1 sensitivity Delta. Covariance 2 lambda^2 I (the
paper prints lambda).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.terms import PrivacyTerms
from privopt.noise import laplace_sum, secure
from privopt.noise.calibration import Calibration, check_request, smallest_scale
from privopt.noise.sensitivity import Assumed, Sensitivity, round_up

__all__ = ["Laplace", "LaplaceLaw"]


@dataclass(frozen=True)
class LaplaceLaw:
    """Density exp(-|x|) / 2."""

    variance: float = 2.0
    bound: float = math.inf
    spherical: bool = False

    def sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Dense:
        """Independent draws."""
        return rng.laplace(size=shape)

    def half_width(self, mass: float) -> float:
        """W with P(|xi| <= w) = 1 - exp(-w) = mass."""
        return -math.log1p(-mass)

    def mass(self, low: Vector, high: Vector) -> float:
        """Probability of the box [low, high]."""
        return float(np.prod(_below(high) - _below(low)))

    def cone(self, eta: Vector, p: int) -> Vector:
        """Multiples of the standard deviation below the quantile."""
        # Rounded up to one of a few eta: the factor falls with eta, so it stays below.
        coarse = np.minimum(1.05 ** np.ceil(np.log(eta) / np.log(1.05)), np.maximum(eta, 0.499))
        known = {value: laplace_sum.low_factor(value, p) for value in set(coarse.tolist())}
        return np.array([known[value] for value in coarse.tolist()])

    def quantile(self, a: Dense, eta: Vector) -> tuple[Vector, Dense]:
        """Exact quantile of a'xi and its gradient."""
        return laplace_sum.quantile(a, eta)


def _below(x: Vector) -> Vector:
    return np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0)), 1 - 0.5 * np.exp(-np.maximum(x, 0)))


@dataclass(frozen=True, kw_only=True)
class Laplace:
    """Laplace noise of scale Delta/epsilon: epsilon-differential privacy.

    Parameters
    ----------
    epsilon
        Privacy loss of one release.
    alpha
        Largest change of one private entry of d between neighbours, in the units of d.
    sensitivity
        How far the solution moves, in multiples of alpha, and how that is known: `Assumed`,
        `Sampled` or `Certified`.
    """

    epsilon: float
    alpha: float
    sensitivity: Sensitivity = Assumed(1.0)  # noqa: RUF009 -- frozen

    def __post_init__(self) -> None:
        check_request(self)

    @property
    def delta(self) -> float:
        """Zero: pure differential privacy."""
        return 0.0

    @property
    def order(self) -> int:
        """Sensitivity in the l1 norm."""
        return 1

    def calibrate(
        self, size: int, Delta: float, *, bound: float | None = None, tries: int = 1
    ) -> Calibration:
        """Smallest scale whose charge over all tries is within epsilon."""
        limit = Fraction(self.epsilon) / tries
        start = float(Fraction(Delta) / limit)
        k = secure.grid_exponent(start, bound)
        scale = smallest_scale(lambda s: secure.laplace_charge(size, s, k, Delta), start, limit)
        charged = Fraction(secure.laplace_charge(size, scale, k, Delta)) * tries
        return Calibration(
            size=size,
            scale=scale,
            exponent=k,
            sensitivity=Delta,
            epsilon=round_up(charged),
            delta=0.0,
            tries=tries,
            law=LaplaceLaw(),
            draw=partial(secure.laplace, scale=scale, k=k),
        )

    def recharged(self, made: Calibration, Delta: float) -> Calibration:
        """The same noise with what it costs for values of a larger sensitivity."""
        charge = secure.laplace_charge(made.size, made.scale, made.exponent, Delta)
        return replace(
            made,
            sensitivity=Delta,
            epsilon=round_up(Fraction(charge) * made.tries),
            made_for=made.sensitivity,
        )

    @property
    def terms(self) -> PrivacyTerms:
        """The promise in numbers."""
        return PrivacyTerms(self.epsilon, self.delta, self.alpha, "laplace")

    def describe(self) -> str:
        """The promise in words."""
        return self.terms.promise
