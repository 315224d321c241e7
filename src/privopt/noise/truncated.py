"""Truncated Laplace noise: bounded, so that a solution can be feasible with probability one.

Laplace(lambda), lambda = Delta/epsilon, cut to [-B, B]^p with B = lambda ln(1 + (e^epsilon - 1) /
(2 delta)), delta <= 1/2, is (epsilon, delta)-differentially private for l1 sensitivity Delta.

Proof. Where both densities are positive their ratio is at most exp(|v|_1 / lambda) <= e^epsilon for
a shift v. The mass where the shifted one vanishes is at most f(|v_1|) + ... + f(|v_p|), with
f(t) = (e^(t/lambda) - 1) / (2 (e^(B/lambda) - 1)) convex and f(0) = 0, so at most f(Delta) = delta.
On the grid 2^k the shift is at most Delta + p 2^k, and the discrete law puts no more mass there
than the continuous one: r^(K-m+1) (1-r^m) / (1+r-2r^(K+1)) <= r^(K-m) (1-r^m) / (2 (1-r^K)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.special import gammainc

from privopt.arrays import Dense, Vector
from privopt.errors import InputError
from privopt.noise import laplace_sum, secure
from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.laplace import LaplaceLaw
from privopt.scalars import round_up

__all__ = ["TruncatedLaplace", "TruncatedLaw"]


@dataclass(frozen=True)
class TruncatedLaw:
    """Density proportional to exp(-|x|) on [-bound, bound]."""

    bound: float
    spherical: bool = False
    margin: ClassVar[str] = "the Laplace quantile, which bounds that of the truncated noise"

    @property
    def _inside(self) -> float:
        return -math.expm1(-self.bound)

    @property
    def variance(self) -> float:
        """2 - B (B + 2) / (e^B - 1): less than the 2 of the whole Laplace law."""
        B = self.bound
        if B < 0.05:  # series of the same expression, which cancels
            return B**2 / 3 - B**3 / 12 + B**4 / 360 + B**5 / 720 - B**6 / 15120
        return 2 - B * (B + 2) / math.expm1(B) if B < 700 else 2.0

    def sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Dense:
        """Independent draws, by inversion."""
        u = rng.uniform(-1.0, 1.0, size=shape)
        return -np.sign(u) * np.log1p(-np.abs(u) * self._inside)

    def log_density(self, x: Dense) -> Dense:
        """-|x| - log(2 (1 - exp(-B))) within the bound, -inf beyond."""
        inside = LaplaceLaw().log_density(x) - math.log(self._inside)
        return np.where(np.abs(x) <= self.bound, inside, -np.inf)

    def half_width(self, outside: float) -> float:
        """W with P(|xi| > w) = (exp(-w) - exp(-B)) / (1 - exp(-B)) = outside."""
        within = (1 - outside) * self._inside
        beyond = outside * self._inside + math.exp(-self.bound)  # 1 - within; the smaller is exact
        return min(self.bound, -math.log(beyond) if beyond < within else -math.log1p(-within))

    def mass(self, low: Vector, high: Vector) -> float:
        """Probability of the box [low, high]."""
        B = self.bound
        whole = LaplaceLaw().mass(np.clip(low, -B, B), np.clip(high, -B, B))
        return whole / self._inside ** len(low)

    def overshoot(self, x: Vector) -> Vector:
        """E max(xi - x, 0) = exp(-x) (1 - (1 + h) exp(-h)) / (2 (1 - exp(-B))), h = B - x > 0."""
        part: Vector = np.asarray(gammainc(2.0, np.maximum(self.bound - x, 0.0)), dtype=float)
        return np.exp(-x) * part / (2 * self._inside)

    def cone(self, eta: Vector, p: int) -> Vector:
        """Multiples of the standard deviation below the margin."""
        return LaplaceLaw().cone(eta, p) * math.sqrt(2.0 / self.variance)

    def quantile(self, a: Dense, eta: Vector) -> tuple[Vector, Dense]:
        """A safe quantile, P(a'xi > q) <= eta: that of the whole Laplace law.

        Each truncated entry is more peaked than the Laplace one, both are symmetric and unimodal,
        and so are their sums (Birnbaum). It exceeds the exact quantile by nothing to speak of at
        delta = 1e-5, noticeably when delta is of order one.
        """
        return laplace_sum.quantile(a, eta)

    def loss(self, shift: Vector, delta: float) -> float:
        """A bound from below, from two events on the coordinates J that move most.

        On them the other density vanishes with probability 1 - prod (1 - f(|v_j|)), and beyond both
        centres the log-ratio is |v_J|_1 with probability c. What these need of delta bounds epsilon
        from below; J has as many coordinates as give the largest bound. If the first event alone
        exceeds delta, no epsilon will do.
        """
        B, best, total, kept, corner = self.bound, 0.0, 0.0, 1.0, 1.0
        for v in np.sort(shift)[::-1].tolist():
            if v >= B:
                return math.inf
            # Share of one coordinate where the other density vanishes; where both are on one side.
            gone = math.exp(v - B) * -math.expm1(-v) / (-2 * math.expm1(-B))
            beyond = math.expm1(v - B) / (2 * math.expm1(-B))
            total, kept, corner = total + v, kept * (1 - gone), corner * beyond
            left = delta - (1 - kept)
            if left < 0:
                return math.inf
            if left < corner:
                best = max(best, total + math.log1p(-left / corner))
        return best


@dataclass(frozen=True, kw_only=True)
class TruncatedLaplace(Privacy):
    """Laplace noise cut to a box: (epsilon, delta)-differential privacy with bounded noise.

    Parameters
    ----------
    epsilon, delta
        Privacy loss of one release; delta at most 1/2.
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

    name: ClassVar[str] = "truncated"
    kind: ClassVar[str] = "TruncatedLaplace"
    words: ClassVar[str] = "truncated Laplace"
    order: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta > 0.5:
            raise InputError(
                f"delta is {self.delta}.", "at most 1/2 for truncated noise.", "use about 1e-5."
            )

    def calibrate(
        self,
        size: int,
        Delta: float,
        *,
        bound: float | None = None,
        tries: int = 1,
    ) -> Calibration:
        """Scale and truncation whose charge over all tries is within (epsilon, delta)."""
        epsilon = Fraction(self.epsilon) / tries
        delta = self.delta / tries
        k = secure.grid_exponent(float(Fraction(Delta) / epsilon), bound)
        step = Fraction(2) ** k
        moved = Fraction(Delta) + size * step
        scale, most = round_up(moved / epsilon), self.affordable
        if round_up(moved / Fraction(scale) * tries) > most:
            scale = round_up(moved * tries / most)
        # ln(1 + (e^epsilon - 1) / (2 delta)), for any epsilon; a few parts in 10^12 for rounding.
        e = float(epsilon)
        inner = -math.expm1(-e) + 2 * delta * math.exp(-e)
        cut = scale * (e + math.log(inner) - math.log(2 * delta) + 1e-12) * (1 + 1e-12)
        cut = float(math.ceil(Fraction(cut) / step) * step)
        return Calibration(
            size=size,
            scale=scale,
            exponent=k,
            sensitivity=Delta,
            epsilon=round_up(moved / Fraction(scale) * tries),
            delta=self.delta,
            tries=tries,
            law=TruncatedLaw(cut / scale),
            draw=partial(secure.truncated_laplace, scale=scale, k=k, bound=cut),
        )
