"""Laplace noise: density exp(-|x|/lambda) / (2 lambda), lambda = Delta/epsilon.

Pure epsilon-differential privacy for values of l1 sensitivity Delta. Covariance 2 lambda^2 I (the
paper prints lambda).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import ClassVar

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.noise import laplace_sum, secure
from privopt.noise.calibration import Calibration, Privacy, smallest_scale
from privopt.noise.law import EXACT
from privopt.scalars import round_up

__all__ = ["Laplace", "LaplaceLaw"]


@dataclass(frozen=True)
class LaplaceLaw:
    """Density exp(-|x|) / 2."""

    variance: float = 2.0
    bound: float = math.inf
    spherical: bool = False
    margin: ClassVar[str] = EXACT

    def sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Dense:
        """Independent draws."""
        return rng.laplace(size=shape)

    def log_density(self, x: Dense) -> Dense:
        """-|x| - log 2."""
        return -np.abs(x) - math.log(2.0)

    def half_width(self, outside: float) -> float:
        """W with P(|xi| > w) = exp(-w) = outside."""
        return -math.log(outside)

    def mass(self, low: Vector, high: Vector) -> float:
        """Probability of the box [low, high]."""
        return float(np.prod(_below(high) - _below(low)))

    def overshoot(self, x: Vector) -> Vector:
        """E max(xi - x, 0) = exp(-x) / 2."""
        return 0.5 * np.exp(-x)

    def cone(self, eta: Vector, p: int) -> Vector:
        """Multiples of the standard deviation below the quantile."""
        # Rounded up to one of a few eta: the factor falls with eta, so it stays below.
        coarse = np.minimum(1.05 ** np.ceil(np.log(eta) / np.log(1.05)), np.maximum(eta, 0.499))
        known = {value: laplace_sum.low_factor(value, p) for value in set(coarse.tolist())}
        return np.array([known[value] for value in coarse.tolist()])

    def quantile(self, a: Dense, eta: Vector) -> tuple[Vector, Dense]:
        """Exact quantile of a'xi and its gradient."""
        return laplace_sum.quantile(a, eta)

    def loss(self, shift: Vector, delta: float) -> float:
        """|v|_1, the largest log-ratio of the densities: it has positive probability."""
        return float(shift.sum())


def _below(x: Vector) -> Vector:
    return np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0)), 1 - 0.5 * np.exp(-np.maximum(x, 0)))


@dataclass(frozen=True, kw_only=True)
class Laplace(Privacy):
    """Laplace noise of scale Delta/epsilon: epsilon-differential privacy.

    Parameters
    ----------
    epsilon
        Privacy loss of one release.
    alpha
        Largest change of one private entry of d between neighbours, in the units of d: a number, or
        one for each private entry, in order or by name (a dict, a pandas Series). An entry of alpha
        0 is public.
    owners, change
        Which private entries belong to one person: a label for each, in order or by name; unless
        given, each entry has its own. Neighbours differ in the entries of one owner: in "each" of
        them by at most its alpha, or in "total" (the changes, as parts of their alpha, add up to at
        most one; without owners, over all entries).
    sensitivity
        How far the solution moves, in multiples of alpha, and how that is known: `Assumed`
        or `Sampled`.
    """

    name: ClassVar[str] = "laplace"
    kind: ClassVar[str] = "Laplace"
    words: ClassVar[str] = "Laplace"
    order: ClassVar[int] = 1

    delta: float = field(default=0.0, init=False, repr=False)

    def calibrate(
        self,
        size: int,
        Delta: float,
        *,
        bound: float | None = None,
        tries: int = 1,
    ) -> Calibration:
        """Smallest scale whose charge over all tries is within epsilon."""
        start = float(Fraction(Delta) * tries / Fraction(self.epsilon))
        k = secure.grid_exponent(start, bound)
        each = self.affordable / tries
        scale = smallest_scale(lambda s: secure.laplace_charge(size, s, k, Delta), start, each)
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
