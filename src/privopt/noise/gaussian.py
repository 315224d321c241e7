"""Gaussian noise: (epsilon, delta)-differential privacy for values of l2 sensitivity Delta.

Two calibrations. "charge" (the default): the smallest sigma whose charge, OpenDP's conversion from
zero-concentrated to approximate differential privacy, is within (epsilon, delta). "classical": the
paper's sigma = Delta sqrt(2 ln(1.25/delta)) / epsilon, for epsilon < 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from typing import ClassVar, Literal

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr, ndtri

from privopt.arrays import Dense, Vector
from privopt.errors import InputError
from privopt.noise import secure
from privopt.noise.calibration import Calibration, Privacy, smallest_scale
from privopt.noise.law import EXACT
from privopt.scalars import round_up

__all__ = ["Gaussian", "GaussianLaw"]


@dataclass(frozen=True)
class GaussianLaw:
    """The standard normal law."""

    variance: float = 1.0
    bound: float = math.inf
    spherical: bool = True
    margin: ClassVar[str] = EXACT

    def sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Dense:
        """Independent draws."""
        return rng.standard_normal(size=shape)

    def log_density(self, x: Dense) -> Dense:
        """-x^2 / 2 - log sqrt(2 pi)."""
        return -0.5 * np.square(x) - 0.5 * math.log(2 * math.pi)

    def half_width(self, outside: float) -> float:
        """W with P(|xi| > w) = outside."""
        return float(-ndtri(outside / 2))

    def mass(self, low: Vector, high: Vector) -> float:
        """Probability of the box [low, high]."""
        return float(np.prod(ndtr(high) - ndtr(low)))

    def overshoot(self, x: Vector) -> Vector:
        """E max(xi - x, 0) = density(x) - x P(xi > x), with the density as a factor."""
        x = np.minimum(x, 40.0)  # where the density is zero in floats
        upper: Vector = np.asarray(erfcx(x / math.sqrt(2.0)), dtype=float)
        return np.exp(-0.5 * np.square(x)) * (1 / math.sqrt(2 * math.pi) - 0.5 * x * upper)

    def cone(self, eta: Vector, p: int) -> Vector:
        """The quantile itself: any a'xi is normal."""
        return -ndtri(eta)

    def quantile(self, a: Dense, eta: Vector) -> tuple[Vector, Dense]:
        """Exact quantile of a'xi and its gradient."""
        size = np.linalg.norm(a, axis=1)
        factor = -ndtri(eta)
        return factor * size, factor[:, None] * a / np.where(size > 0, size, 1.0)[:, None]

    def loss(self, shift: Vector, delta: float) -> float:
        """Exactly: the epsilon with Phi(m/2 - e/m) - exp(e) Phi(-m/2 - e/m) = delta, m = |v|_2.

        (Balle and Wang 2018.)
        """
        m = float(np.linalg.norm(shift))

        def excess(epsilon: float) -> float:
            lower = math.exp(epsilon + float(log_ndtr(-m / 2 - epsilon / m)))
            return float(ndtr(m / 2 - epsilon / m)) - lower - delta

        if m == 0 or excess(0.0) <= 0:
            return 0.0
        high = 1.0
        while excess(high) > 0:
            high *= 2
        return _zero(excess, 0.0, high, xtol=1e-12, rtol=1e-12)


@dataclass(frozen=True, kw_only=True)
class Gaussian(Privacy):
    """Gaussian noise: (epsilon, delta)-differential privacy.

    Parameters
    ----------
    epsilon, delta
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
    calibration
        "charge": the smallest sigma whose charge is within (epsilon, delta). "classical": the
        paper's formula, which needs epsilon < 1 and more noise.
    """

    name: ClassVar[str] = "gaussian"
    kind: ClassVar[str] = "Gaussian"
    words: ClassVar[str] = "Gaussian"
    order: ClassVar[int] = 2

    calibration: Literal["charge", "classical"] = field(
        default="charge", metadata={"help": "Of gaussian noise."}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.calibration not in ("charge", "classical"):
            raise InputError(
                f"calibration is {self.calibration!r}.",
                '"charge" or "classical".',
                'leave it at "charge", which needs less noise.',
            )
        if self.calibration == "classical" and self.epsilon >= 1:
            raise InputError(
                f"the classical calibration was asked for epsilon = {self.epsilon:g}.",
                "epsilon < 1: the formula is proven only there.",
                'use calibration="charge".',
            )

    def calibrate(
        self,
        size: int,
        Delta: float,
        *,
        bound: float | None = None,
        tries: int = 1,
    ) -> Calibration:
        """Sigma whose charge over all tries is within (epsilon, delta)."""
        epsilon = Fraction(self.epsilon) / tries
        delta = self._each(tries)
        classical = Delta * math.sqrt(2 * math.log(1.25 / delta)) / float(epsilon)
        k = secure.grid_exponent(classical, bound)

        def charge(sigma: float) -> float:
            return _charge(size, sigma, k, Delta, delta)

        start = classical if self.calibration == "classical" else _root(charge, classical, epsilon)
        sigma = smallest_scale(charge, start, self.affordable / tries)
        return Calibration(
            size=size,
            scale=sigma,
            exponent=k,
            sensitivity=Delta,
            epsilon=round_up(Fraction(charge(sigma)) * tries),
            delta=self.delta,
            tries=tries,
            law=GaussianLaw(),
            draw=partial(secure.gaussian, scale=sigma, k=k),
        )

    def _each(self, tries: int) -> float:
        """Delta of one try."""
        return float(np.nextafter(self.delta / tries, 0.0)) if tries > 1 else self.delta

    @property
    def largest_epsilon(self) -> float:
        """Below one for the classical calibration."""
        return 0.999 if self.calibration == "classical" else super().largest_epsilon


@lru_cache(maxsize=4096)
def _charge(size: int, sigma: float, k: int, Delta: float, delta: float) -> float:
    """OpenDP's charge, kept: it takes milliseconds, and the same sigma is asked for repeatedly.

    A search asks twice at its ends, and a file's noise is made again whenever it is read.
    """
    return secure.gaussian_charge(size, sigma, k, Delta, delta)


def _root(charge: Callable[[float], float], start: float, limit: Fraction) -> float:
    """Sigma at which the charge, which falls with sigma, crosses the limit."""
    target, low, high = float(limit), start, start
    while charge(low) <= target:
        low /= 2
    while charge(high) > target:
        high *= 2
    if low == high:
        return low
    ends = math.log(low), math.log(high)
    return math.exp(_zero(lambda x: charge(math.exp(x)) - target, *ends, xtol=1e-11))


def _zero(
    function: Callable[[float], float], low: float, high: float, xtol: float, rtol: float = 2**-50
) -> float:
    from scipy.optimize import brentq  # late: it takes a quarter of a second

    return float(brentq(function, low, high, xtol=xtol, rtol=rtol))
