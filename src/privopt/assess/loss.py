"""The privacy loss of noise for two given centres: exact, or a bound from below.

For a release whose centre moves by v between two neighbours (in units of the scale):

- Laplace: epsilon = |v|_1, the largest log-ratio of the two densities, reached on a set of positive
  probability.
- Gaussian: the smallest epsilon with Phi(m/2 - e/m) - exp(e) Phi(-m/2 - e/m) <= delta for m = |v|_2
  (Balle and Wang 2018), exact.
- Truncated Laplace: on some coordinates J the other density vanishes with probability
  1 - prod (1 - f(|v_j|)), and beyond both centres the log-ratio is |v_J|_1 with probability c. What
  these two events need of delta bounds epsilon from below; J are the coordinates that move most, as
  many of them as give the largest bound. If the first alone exceeds delta, no epsilon will do.

The noise lives on a grid of about 2^-40 of its scale; that is neglected here.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from privopt.arrays import Vector
from privopt.errors import InputError
from privopt.noise.calibration import Calibration
from privopt.noise.gaussian import GaussianLaw
from privopt.noise.laplace import LaplaceLaw
from privopt.noise.truncated import TruncatedLaw

__all__ = ["epsilon_between"]


def epsilon_between(calibration: Calibration, delta: float, moved: Vector) -> float:
    """Smallest epsilon (at the given delta) that two centres `moved` apart allow, or less."""
    shift = np.abs(moved) / calibration.scale
    law = calibration.law
    if isinstance(law, LaplaceLaw):
        return float(shift.sum())
    if isinstance(law, GaussianLaw):
        return gaussian_epsilon(float(np.linalg.norm(shift)), delta)
    if isinstance(law, TruncatedLaw):
        return truncated_epsilon(shift, law.bound, delta)
    raise InputError(
        f"the loss of {type(law).__name__} is not known.",
        "Laplace, Gaussian or truncated Laplace noise.",
        "use one of these.",
    )


def gaussian_epsilon(m: float, delta: float) -> float:
    """Epsilon at which two normal laws m deviations apart differ by delta."""

    def excess(epsilon: float) -> float:
        lower = math.exp(epsilon + float(log_ndtr(-m / 2 - epsilon / m)))
        return float(ndtr(m / 2 - epsilon / m)) - lower - delta

    if m == 0 or excess(0.0) <= 0:
        return 0.0
    high = 1.0
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-12, rtol=1e-12))


def truncated_epsilon(shift: Vector, bound: float, delta: float) -> float:
    """A bound from below for Laplace noise cut at `bound`, all in units of the scale."""
    best, total, kept, corner = 0.0, 0.0, 1.0, 1.0
    for v in np.sort(shift)[::-1].tolist():
        if v >= bound:
            return math.inf
        # Share of one coordinate where the other density vanishes, and where both are on one side.
        gone = math.exp(v - bound) * -math.expm1(-v) / (-2 * math.expm1(-bound))
        beyond = math.expm1(v - bound) / (2 * math.expm1(-bound))
        total, kept, corner = total + v, kept * (1 - gone), corner * beyond
        left = delta - (1 - kept)
        if left < 0:
            return math.inf
        if left < corner:
            best = max(best, total + math.log1p(-left / corner))
    return best
