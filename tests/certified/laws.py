"""The noise by formulas of our own: what it charges, and how far it reaches.

Laplace on the grid 2^k: P(i 2^k) is proportional to r^|i|, r = exp(-2^k / scale), so the ratio of
two shifted laws is at most exp(|shift|_1 / scale), and is that at every output on the far side.
Truncated to |i| <= K: the part of one law where the other vanishes is the mass of the outermost
|m| steps. Gaussian: Balle and Wang (2018), delta(epsilon) of the continuous law, which no charge
may undercut; and the conversion from zero-concentrated privacy in use, which is a little larger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from scipy.special import log_ndtr, ndtr
from tests.certified.stored import Noise, Stored, power

DIGITS = 70


def decimal(value: Fraction) -> Decimal:
    """An exact number in the current decimal context."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def truncation(noise: Noise, epsilon: Fraction, delta: Fraction) -> int:
    """K = B / 2^k rounded up, B = scale ln(1 + (e^epsilon - 1) / (2 delta))."""
    with localcontext(prec=DIGITS):
        room = 1 + (decimal(epsilon).exp() - 1) / (2 * decimal(delta))
        steps = decimal(noise.scale / power(noise.exponent)) * room.ln()
        return math.ceil(steps)


def vanishing(noise: Noise, K: int, shift: Sequence[int]) -> Decimal:
    """Mass of the truncated law where the one shifted by so many steps vanishes.

    One value: r^(K-m+1) (1 - r^m) / (1 + r - 2 r^(K+1)), for m <= K. Several: one minus the
    product of what is left.
    """
    with localcontext(prec=DIGITS):
        rate = -decimal(power(noise.exponent) / noise.scale)  # ln r
        whole = 1 + rate.exp() - 2 * (rate * (K + 1)).exp()
        left = Decimal(1)
        for m in map(abs, shift):
            if m > K:
                raise ValueError("the shift is beyond the middle of the law")
            left *= 1 - (rate * (K - m + 1)).exp() * (1 - (rate * m).exp()) / whole
        return 1 - left


def gaussian_delta(Delta: float, sigma: float, epsilon: float) -> float:
    """Smallest delta of Gaussian noise: Phi(a - b) - e^epsilon Phi(-a - b)."""
    a, b = Delta / (2 * sigma), epsilon * sigma / Delta
    return float(ndtr(a - b) - np.exp(epsilon + log_ndtr(-a - b)))


def concentrated_epsilon(Delta: float, sigma: float, delta: float) -> float:
    """Upper bound by zero-concentrated privacy: rho + 2 sqrt(rho ln(1/delta))."""
    rho = Delta**2 / (2 * sigma**2)
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def converted_epsilon(Delta: float, sigma: float, delta: float) -> float:
    """The conversion in use (Canonne, Kamath and Steinke 2020, proposition 12).

    epsilon = min over a > 1 of rho a + ln(1 - 1/a) - ln(delta a) / (a - 1), never below what
    Balle and Wang give, about 8% above it at (1, 1e-5).
    """
    rho = Delta**2 / (2 * sigma**2)
    less = np.exp(np.linspace(-15.0, 25.0, 400_001))  # a - 1; the minimum is flat
    found = rho * (1 + less) - np.log1p(1 / less) - (np.log(delta) + np.log1p(less)) / less
    return float(found.min())


def cut(stored: Stored, noise: Noise) -> float:
    """Largest |noise| of the truncated law."""
    K = truncation(noise, stored.asked_epsilon, stored.asked_delta)
    return float(K * power(noise.exponent))
