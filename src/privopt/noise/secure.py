"""Secure noise: the only file that calls OpenDP.

A release is y = (q rounded to the grid 2^k) + noise on the same grid, drawn and added in exact
arithmetic by OpenDP. Noise drawn in floating point and added in floating point leaks through its
low bits; this does not. The charge of a release is OpenDP's own map, which includes the share of
the grid (rounding two neighbours to the grid may move them apart by one step a coordinate).

Truncated noise whose bound lies within its scale is drawn here, in integers, from the generator of
the operating system (`secrets`).

Nothing here takes a seed.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from privopt.arrays import Vector
from privopt.discreet import discreet
from privopt.errors import InputError

FINE = 40  # the grid is 2^-40 of the scale, unless large values need it coarser
COARSE = 24  # and never coarser than 2^-24 of it
EXACT = 51  # bits within which sums of a value and its noise stay exact


def grid_exponent(scale: float, bound: float | None) -> int:
    """K of the grid 2^k: fine against the scale, coarse enough that |values| <= bound are exact."""
    fine = math.floor(math.log2(scale)) - FINE
    if bound is None or bound <= 0:
        return fine
    # Never so coarse that the grid's share of the charge costs noise: then the last bits of the
    # noise behind a huge value are rounded, which harms nobody.
    return max(fine, min(math.ceil(math.log2(bound)) - EXACT, fine + FINE - COARSE))


def on_grid(values: Vector, k: int) -> Vector:
    """The grid point OpenDP rounds to: floor(q / 2^k + 1/2) 2^k."""
    steps = np.ldexp(values, -k)
    up = np.floor(steps + 0.5)  # the sum may round up past the half
    return np.ldexp(np.where(up - 0.5 > steps, up - 1, up), k)


@lru_cache(maxsize=1)
def _opendp() -> Any:  # noqa: ANN401 -- imported late: it takes half a second
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp


@contextmanager
def _as_ours() -> Generator[None]:
    """OpenDP's refusal of a scale or a delta, in our words."""
    try:
        yield
    except _opendp().OpenDPException:
        raise InputError(
            "OpenDP cannot compute the charge of this noise.",
            "epsilon, delta and alpha of ordinary size.",
            "use epsilon from 0.001 to 100 and delta from 1e-12 to 0.1.",
        ) from None


@lru_cache(maxsize=256)
def laplace_measurement(size: int, scale: float, k: int) -> Any:  # noqa: ANN401
    """OpenDP's Laplace noise on vectors of a size, on the grid 2^k."""
    dp = _opendp()
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=size)
    return dp.m.make_laplace(domain, dp.l1_distance(T=float), scale, k=k)


@lru_cache(maxsize=256)
def gaussian_measurement(size: int, scale: float, k: int) -> Any:  # noqa: ANN401
    """OpenDP's Gaussian noise on vectors of a size, on the grid 2^k."""
    dp = _opendp()
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=size)
    return dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale, k=k)


def laplace_charge(size: int, scale: float, k: int, sensitivity: float) -> float:
    """Epsilon of a vector Laplace release of the given l1 sensitivity, grid included."""
    with _as_ours():
        return float(laplace_measurement(size, scale, k).map(sensitivity))


def gaussian_charge(size: int, scale: float, k: int, sensitivity: float, delta: float) -> float:
    """Epsilon at the given delta of a vector Gaussian release of the given l2 sensitivity."""
    with _as_ours():
        convert = _opendp().c.make_zCDP_to_approxDP
        curve = convert(gaussian_measurement(size, scale, k)).map(sensitivity)
        return float(curve.epsilon(delta))


def laplace(values: Vector, scale: float, k: int) -> Vector:
    """Values plus Laplace noise on the grid."""
    return _draw(laplace_measurement(len(values), scale, k), values)


def gaussian(values: Vector, scale: float, k: int) -> Vector:
    """Values plus Gaussian noise on the grid."""
    return _draw(gaussian_measurement(len(values), scale, k), values)


def truncated_laplace(values: Vector, scale: float, k: int, bound: float) -> Vector:
    """Values plus Laplace noise conditioned on |noise| <= bound, coordinate by coordinate.

    By rejection, which gives the truncated law exactly: from Laplace noise where the bound lies
    beyond the scale, from uniform noise where it lies within (epsilon far below delta). Either way
    more than 63 of 100 draws are kept. `bound` is a multiple of the grid. Value and noise are added
    once, at the end.
    """
    noise = (_narrow if bound < scale else _cut)(len(values), scale, k, bound)
    _check_values(values)
    return on_grid(values, k) + noise


def _cut(size: int, scale: float, k: int, bound: float) -> Vector:
    """Laplace noise, drawn again until it is within the bound: 1 - exp(-bound / scale) of it is."""
    noise = np.zeros(size)
    waiting = np.arange(size)
    while len(waiting):
        drawn = laplace(np.zeros(len(waiting)), scale, k)
        kept = np.abs(drawn) <= bound
        noise[waiting[kept]] = drawn[kept]
        waiting = waiting[~kept]
    return noise


def _narrow(size: int, scale: float, k: int, bound: float) -> Vector:
    """Uniform noise on the grid, kept with probability exp(-|noise| / scale). In integers."""
    most, step = int(math.ldexp(bound, -k)), Fraction(2) ** k / Fraction(scale)

    def drawn() -> int:
        while True:
            m = secrets.randbelow(2 * most + 1) - most
            if happens_exp(abs(m) * step):
                return m

    return np.ldexp(np.array([drawn() for _ in range(size)], dtype=float), k)


def happens_exp(x: Fraction) -> bool:
    """True with probability exp(-x), 0 <= x <= 1.

    Events of probability x, x/2, x/3, ... until one fails: the k-th is the first to fail with
    probability x^(k-1)/(k-1)! - x^k/k!, and the odd k add up to exp(-x) (Canonne, Kamath and
    Steinke 2020, algorithm 1).
    """
    k = 1
    while secrets.randbelow(k * x.denominator) < x.numerator:
        k += 1
    return k % 2 == 1


@discreet
def _draw(measurement: Any, values: Vector) -> Vector:  # noqa: ANN401
    _check_values(values)
    return np.array(measurement([float(value) for value in values]))


def _check_values(values: Vector) -> None:
    # OpenDP checks neither length nor NaN in a vector; the message may not say what was there.
    if values.ndim != 1 or not np.isfinite(values).all():
        raise InputError(
            "the values to release are not a vector of finite numbers.",
            "finite numbers.",
            "check the program and its data.",
        )
