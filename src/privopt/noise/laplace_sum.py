"""Tail and quantile of a weighted sum of Laplace variables, exactly.

X = sum_j a_j xi_j with xi_j i.i.d. Laplace(1) has E exp(s X) = M(s) = prod_j 1/(1 - a_j^2 s^2), and

    P(X > x) = 1/(2 pi i) * integral of M(s) exp(-s x) / s ds

along any path that crosses the real axis between 0 and the first pole 1/max|a_j|. All poles are
real, so the path may bend around them to the right, where exp(-s x) decays: a hyperbola through the
saddle point, on which the trapezoidal rule converges geometrically. Its arms rise steeply enough
that M stays bounded by one on them, so poles of high order (equal coefficients) or hundreds of them
do no harm; partial fractions divide by zero in the first case.

The quantile q(a), P(X > q) = eta < 1/2, is a norm of a (log-concave symmetric noise), with gradient
E[xi | a'xi = q]: convex, hence usable as a margin through tangent cuts.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import ndtri

from privopt.arrays import Dense, Vector

_DECAY = 38.0  # exp(-38) is below the rounding of a double
_DIGITS = 65.0  # exponent of the trapezoidal rule's error, with room for the integrand's size
_ANGLE = 1.13  # of the hyperbola's arms: above 45 degrees, where |1 - a^2 s^2| >= 1 on them
_STRIP = 0.36
_BLOCK = 6_000_000  # complex numbers in memory at once, about


def _saddle(a2: Dense, x: Vector) -> Vector:
    """Minimum over 0 < s < 1 of log M(s) - s x - log s, for coefficients scaled to max 1."""
    low, high = np.zeros(len(x)), np.ones(len(x))
    for _ in range(40):
        s = 0.5 * (low + high)
        slope = (2 * a2 * s[:, None] / (1 - a2 * (s * s)[:, None])).sum(1) - x - 1 / s
        high, low = np.where(slope > 0, s, high), np.where(slope > 0, low, s)
    return 0.5 * (low + high)


def _integrate(a: Dense, x: Vector, *, gradient: bool) -> tuple[Vector, Vector, Dense]:
    """P(X > x), density of X at x, and d P(X > x) / d a_j, for rows of a with max |a_j| = 1."""
    a2 = a * a
    s0 = _saddle(a2, x)
    # Half-width of the strip in which the integrand is analytic: up to the poles at 0 and 1.
    left = s0 / (math.cos(_ANGLE) - math.cos(_ANGLE + _STRIP))
    right = (1 - s0) / (math.cos(_ANGLE - _STRIP) - math.cos(_ANGLE))
    c = np.minimum(left, right)
    reach = np.arccosh(1 + _DECAY / (c * x * math.cos(_ANGLE)))
    count = int(np.ceil((reach / (2 * math.pi * _STRIP / _DIGITS)).max()))
    step = reach / count
    u = step[:, None] * (np.arange(count) + 0.5) - 1j * _ANGLE
    s = s0[:, None] + c[:, None] * (np.cosh(u) - math.cos(_ANGLE))
    weight = -(step * c)[:, None] * np.sinh(u) / (1j * np.pi)
    denominator = 1 - a2[:, None, :] * (s * s)[:, :, None]
    kernel = weight * np.exp(-s * x[:, None] - np.log(denominator).sum(2))
    tail = (kernel / s).real.sum(1)
    density = kernel.real.sum(1)
    if not gradient:
        return tail, density, np.zeros((0, 0))
    change = np.einsum("rk,rkj->rj", kernel * s, 1 / denominator).real * 2 * a
    return tail, density, change


def _blocks(a: Dense) -> list[slice]:
    size = max(1, _BLOCK // (128 * max(1, a.shape[1])))
    return [slice(k, k + size) for k in range(0, len(a), size)]


def tail(a: Dense, x: Vector) -> Vector:
    """P(sum_j a_j xi_j > x) for each row of a and x > 0; zero for a zero row."""
    a, x = np.abs(np.atleast_2d(a)), np.atleast_1d(x).astype(float)
    size = a.max(axis=1)
    result = np.zeros(len(x))
    live = np.flatnonzero(size > 0)
    scaled, at = a[live] / size[live, None], x[live] / size[live]
    for block in _blocks(scaled):
        result[live[block]] = _integrate(scaled[block], at[block], gradient=False)[0]
    return result


def quantile(a: Dense, eta: Vector) -> tuple[Vector, Dense]:
    """Value and gradient of q(a), P(sum_j a_j xi_j > q) = eta, for each row of a.

    eta is one number in (0, 1/2) for each row. A zero row has value and gradient zero.
    """
    a = np.atleast_2d(a)
    eta = np.broadcast_to(np.asarray(eta, dtype=float), (len(a),))
    value, slope = np.zeros(len(a)), np.zeros(a.shape)
    size = np.abs(a).max(axis=1, initial=0.0)
    live = np.flatnonzero(size > 0)
    scaled = np.abs(a[live]) / size[live, None]
    # Coefficients this small change nothing at double precision, and would only cost time.
    scaled[scaled < 1e-12] = 0.0
    for block in _blocks(scaled):
        rows = live[block]
        value[rows], slope[rows] = _quantile_block(scaled[block], eta[rows])
    value[live] *= size[live]
    return value, slope * np.sign(a)


def _quantile_block(a: Dense, eta: Vector) -> tuple[Vector, Dense]:
    """Newton on log P(X > x), which is concave in x; a is scaled to max 1."""
    deviation = np.sqrt(2 * (a * a).sum(1))
    x = np.maximum(-deviation * ndtri(eta), 1e-3 * deviation)
    for _ in range(30):
        p, f, _unused = _integrate(a, x, gradient=False)
        step = (np.log(p) - np.log(eta)) * p / f
        x = np.maximum(x + step, 0.2 * x)
        if np.abs(step).max(initial=0.0) <= 1e-13 * np.abs(x).max(initial=1.0):
            break
    _p, f, change = _integrate(a, x, gradient=True)
    return x, change / f[:, None]


@lru_cache(maxsize=4096)
def low_factor(eta: float, p: int) -> float:
    """A factor near the smallest q(a) / standard deviation over directions with p entries.

    The smallest over equal coefficients, and over one large and several small ones (at eta = 5% the
    least ratio lies there), less two parts in a thousand. The second-order cone with this factor
    lies below q wherever we have looked; that it does so at a solution is checked there.
    """
    counts = [k for k in (1, 2, 3, 4, 6, 8, 16, 32, 64, 128) if k < p] + [p]
    share = np.concatenate([np.linspace(0.05, 0.6, 12), [0.8, 1.0]])
    ratios: list[float] = []
    for k in counts:
        a = np.ones((len(share), k))
        a[:, 1:] = share[:, None]
        q = quantile(a, np.full(len(a), eta))[0]
        ratios.append(float((q / np.sqrt(2 * (a * a).sum(1))).min()))
    return (1 - 2e-3) * min(ratios)
