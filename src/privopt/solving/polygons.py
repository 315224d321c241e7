"""Polyhedral cones inside a curved cone of three dimensions, and their proof in exact fractions.

    { s : N s >= 0 }  inside  K          one row of N for each facet, in their order around the cone

A facet passes through two rays of K that follow each other, so the polyhedral cone is the hull of
these rays: every s in it is in K, and what it leaves out shrinks with the square of the distance of
the rays. Each row of N is a linear limit on s: a certificate bounds it like any other row.

`proves` looks at N alone. Facets that follow each other meet in rays r_i = N_i x N_(i+1); where
every N_j r_i >= 0, these are all the rays there are, and if each of them lies in K, so does the
hull. Floats are fractions, second-order cones are decided exactly, and the exponentials and
logarithms of the others are bounded with sixty digits.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.problem import Cone, Kind

__all__ = ["Exact", "contains", "facets", "proves", "rays", "refined"]

_INWARD = 1e-9  # of its size: rays are moved into the cone, more than floats are off
_EDGE = 1e-6  # where rays at infinity are cut
_ROUND = 24  # rays of a second-order cone to begin with
_SPREAD = 12  # and of the others, over the range that is given,
_WIDEST = 6.0  # up to so far from its middle,
_FARTHEST = 200.0  # which is at most so far from one
_FEWEST = 3
_UNIT = 2.0**-52  # twice what one operation on floats can be wrong by, relatively
_PRODUCTS = 8  # more than there are operations in three products and their sum
_TINY = 1e-290  # more than products below the smallest float add up to

Exact = tuple[Fraction, Fraction, Fraction]


def rays(cone: Cone, points: Dense | None = None) -> Dense:
    """Rays on the boundary of a cone, in their order around it; dense near some points of it."""
    if cone.kind is Kind.SECOND_ORDER:
        angle = 2 * np.pi * np.arange(_ROUND) / _ROUND
        return np.column_stack([np.ones(_ROUND), np.cos(angle), np.sin(angle)])
    middle, ratio = _ratios(cone, points)
    one = np.ones(len(ratio))
    if cone.kind is Kind.EXPONENTIAL:
        curve = np.column_stack([ratio, one, np.exp(ratio)])
        ends = [-1.0, _EDGE, _EDGE], [0.0, _EDGE * np.exp(-ratio[-1]), 1.0]
        return np.vstack([ends[0], curve, ends[1]]) @ _moved(cone, middle).T
    size = np.exp(cone.power * ratio)
    ratio = np.exp(ratio)
    upper = np.column_stack([ratio, one, size])
    lower = np.column_stack([ratio, one, -size])[::-1]
    every = np.vstack([upper, [1.0, 0.0, 0.0], lower, [0.0, 1.0, 0.0]])
    return every @ _moved(cone, middle).T


def _ratios(cone: Cone, points: Dense | None) -> tuple[float, Vector]:
    """s_0 / s_1 of an exponential cone, its logarithm of a power cone: where there are points.

    Their middle, and ratios around it, as if that were zero.
    """
    middle, half = 0.0, 4.0
    if points is not None and len(points):
        s = points[(points[:, 1] > 0) & ((points[:, 0] > 0) | (cone.kind is Kind.EXPONENTIAL))]
        if len(s):
            with np.errstate(over="ignore"):
                found = s[:, 0] / s[:, 1]
            found = found if cone.kind is Kind.EXPONENTIAL else np.log(found)
            low, high = np.clip([found.min(), found.max()], -_FARTHEST, _FARTHEST)
            middle, half = float(0.5 * (low + high)), float(0.5 * (high - low))
            half = min(half + max(2 * half, 0.1), _WIDEST)
    wide = np.array([2.0, 8.0]) + half
    return middle, np.sort(np.concatenate([np.linspace(-half, half, _SPREAD), wide, -wide]))


def _moved(cone: Cone, by: float) -> Dense:
    """The map of an exponential or a power cone on itself that moves all ratios by a number."""
    if cone.kind is Kind.EXPONENTIAL:
        return np.array([[1.0, by, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, np.exp(by)]])
    return np.diag([np.exp(by), 1.0, np.exp(cone.power * by)])


def facets(cone: Cone, around: Dense) -> Dense:
    """N of the hull of some rays of the cone, a little inside of it.

    Exponential and power cones are moved so that the middle of the rays is at one first: rays at
    exp(20) or exp(-20) are all the same for floats.
    """
    back = np.eye(3)
    if cone.kind is not Kind.SECOND_ORDER:
        curve = around[(around[:, 1] >= 1) & (around[:, 0] != 0)]
        ratio = curve[:, 0] / curve[:, 1]
        ratio = ratio if cone.kind is Kind.EXPONENTIAL else np.log(ratio)
        back = _moved(cone, -0.5 * float(ratio.min() + ratio.max()))
        around = around @ back.T
    sizes = np.abs(around).max(axis=1, keepdims=True)
    v = around / sizes + _INWARD * cone.inside
    N = np.cross(v, np.roll(v, -1, axis=0))
    N *= np.sign(N @ cone.inside)[:, None]
    N = N @ back
    return N / np.abs(N).max(axis=1, keepdims=True)


def refined(cone: Cone, around: Dense, tight: NDArray[np.bool_]) -> Dense:
    """More rays where facets are tight: one on the boundary between those of each such facet."""
    new: list[Dense] = []
    for i, ray in enumerate(around):
        new.append(ray)
        found = _between(cone, ray, around[(i + 1) % len(around)]) if tight[i] else None
        if found is not None:
            new.append(found)
    return np.array(new)


def _between(cone: Cone, one: Vector, other: Vector) -> Vector | None:
    """The ray of the boundary half-way between two; None where they end the curved part."""
    if cone.kind is Kind.SECOND_ORDER:
        _, y, z = one / one[0] + other / other[0]
        size = float(np.hypot(y, z))
        return np.array([1.0, y / size, z / size]) if size > 0 else None
    if cone.kind is Kind.EXPONENTIAL:
        if min(one[1], other[1]) < 1:  # those of the curve have y = 1
            return None
        ratio = 0.5 * (one[0] + other[0])
        return np.array([ratio, 1.0, np.exp(ratio)])
    if min(*one[:2], *other[:2]) <= 0 or one[2] * other[2] <= 0:
        return None
    ratio = np.sqrt(one[0] * other[0])
    return np.array([ratio, 1.0, np.sign(one[2]) * ratio**cone.power])


def proves(cone: Cone, N: Dense) -> bool:
    """Whether { s : N s >= 0 } lies in the cone, in exact fractions."""
    if N.ndim != 2 or N.shape[1] != 3 or len(N) < _FEWEST or not np.isfinite(N).all():
        return False
    exact: list[Exact] = [tuple(Fraction(float(v)) for v in row) for row in N]  # pyright: ignore[reportAssignmentType]
    meets = [_cross(row, exact[(i + 1) % len(exact)]) for i, row in enumerate(exact)]
    # One orientation for all: facets that turn back would leave rays out.
    signs = {_sign(_product(exact[(i + 2) % len(exact)], ray)) for i, ray in enumerate(meets)}
    if len(signs) != 1 or 0 in signs:
        return False
    sign = signs.pop()
    around = [(sign * a, sign * b, sign * c) for a, b, c in meets]
    return all(
        contains(cone, ray) and all(_product(exact[j], ray) >= 0 for j in near)
        for ray, near in zip(around, _unclear(N, around), strict=True)
    )


def _unclear(N: Dense, around: list[Exact]) -> list[list[int]]:
    """For each ray, the rows whose product with it floats do not show to be positive."""
    units = np.array(
        [[float(v / size) for v in ray] for ray in around if (size := max(map(abs, ray)))]
    )
    with np.errstate(over="ignore", invalid="ignore"):
        products = units @ N.T
        wrong = _UNIT * _PRODUCTS * (np.abs(units) @ np.abs(N.T)) + _TINY
        return [np.flatnonzero(~(row > 0)).tolist() for row in products - wrong]


def _cross(a: Exact, b: Exact) -> Exact:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def _product(a: Exact, b: Exact) -> Fraction:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


# Quotients of products of floats are within 1e-1300 and 1e1300; a number next to zero with a
# smaller exponent would be a fraction of a billion digits.
_UP = Context(prec=60, rounding=ROUND_CEILING, Emin=-9999, Emax=9999)
_DOWN = Context(prec=60, rounding=ROUND_FLOOR, Emin=-9999, Emax=9999)


def contains(cone: Cone, s: Exact) -> bool:
    """Whether a point lies in the cone; False where sixty digits do not tell."""
    x, y, z = s
    if cone.kind is Kind.SECOND_ORDER:
        return x >= 0 and y * y + z * z <= x * x
    if cone.kind is Kind.EXPONENTIAL:
        if y <= 0 or z <= 0:
            return y == 0 and x <= 0 and z >= 0
        return _above(x / y) <= _below_log(z / y)
    if x < 0 or y < 0:
        return False
    if z == 0:
        return True
    if x == 0 or y == 0:
        return False
    a = Fraction(cone.power)
    low = _below_log(x / abs(z)), _below_log(y / abs(z))
    return Fraction(low[0]) * a + Fraction(low[1]) * (1 - a) >= 0


def _above(value: Fraction) -> Decimal:
    return _UP.divide(Decimal(value.numerator), Decimal(value.denominator))


def _below_log(value: Fraction) -> Decimal:
    """At most the logarithm of a positive fraction: `decimal` rounds it correctly."""
    low = _DOWN.divide(Decimal(value.numerator), Decimal(value.denominator))
    return _DOWN.next_minus(_DOWN.ln(low))
