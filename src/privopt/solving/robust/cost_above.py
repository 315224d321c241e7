"""No optimal cost in a region is larger: an affine rule, a chord above each square, one worst case.

    V(u) <= c(z(u))  <=  c0 + c1'z(u) + sum_k w_k [ (low_k + high_k) g_k'z(u) - low_k high_k ]

z(u) = z0 + K (u - middle) keeps every row, every polygon inside a cone and every equality for every
u of the region, and low_k <= g_k'z(u) <= high_k. Heights of epigraphs are variables like others: a
rule that keeps polygons inside their cones is never below the cost. The right-hand side is affine
in u, so multipliers m of the slabs bound it (`region`).

`upper_end` looks at all of it in exact fractions. Equalities hold up to rounding: an exact solution
lies within a step that `correcting` bounds, so rows and chords must have room for that step, and
what it costs is added. Equalities and rows that follow from the independent ones are taken to do so
where they agree to 1e-9.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.integers import whole_numbers
from privopt.solving.limits import Limits
from privopt.solving.robust.checking import check, upwards
from privopt.solving.robust.correcting import correction
from privopt.solving.robust.exact_sums import dyadic_numbers, worst_case
from privopt.solving.robust.region import Region
from privopt.solving.robust.squares import Squares, chord
from privopt.solving.sparse import absolute, stacked, taken

__all__ = ["Chords", "chords_of", "upper_end"]

_UNIT = 2.0**-52  # twice what one operation on floats can be wrong by, relatively
_AGREE = 1e-9  # of its size: what an equality that follows from others may be off by
_ROOM = 1e-11  # of the size of a square: what the ends of its chord are moved outwards by


@dataclass(frozen=True, repr=False, eq=False)
class Chords:
    """What bounds the cost of a rule.

    Attributes
    ----------
    low, high
        The ends of each chord.
    m
        Multipliers that prove them: of all upper ends, then of all lower ones.
    price
        Multipliers of the cost itself.
    """

    low: Vector
    high: Vector
    m: Dense
    price: Vector


def chords_of(
    limits: Limits, squares: Squares, target: Vector, F: Sparse, z0: Vector, K: Dense,
    region: Region,
) -> Chords:  # fmt: skip
    """The chords of a rule, as short as they are true, and the multipliers that prove them."""
    step = _step(limits, target, F, z0, K, region)
    g = squares.vectors
    both: Any = stacked(g, sp.csr_array(-g))
    slopes = np.asarray(both @ K)
    value, m = region.support(slopes)
    if not region.disjoint:
        for i in range(len(slopes)):
            value[i], m[i] = region.exact(slopes[i])
    size = np.asarray(absolute(both) @ (np.abs(z0) + np.abs(K) @ region.half + step))
    ends = np.asarray(both @ z0) + value + np.asarray(absolute(both) @ step) * (1 + _ROOM)
    ends += _ROOM * (size + np.abs(m) @ (np.abs(region.W) @ region.half))
    high, low = ends[: len(squares)], -ends[len(squares) :]
    weights = _prices(limits.whole.linear, squares, low, high)
    slope = np.array([float(value) for value in weights]) @ K
    _, price = region.exact(slope)
    return Chords(low, high, m, price)


def upper_end(
    limits: Limits, constant: float, squares: Squares, target: Vector, F: Sparse, z0: Vector,
    K: Dense, m: Dense, region: Region, chords: Chords,
) -> float:  # fmt: skip
    """What the optimal cost is at most, for every u of the region; infinite if it is not shown.

    Parameters
    ----------
    limits
        The program with every row a limit and polygons inside every cone (`limits.pricing` none).
    target, F, z0, K, m
        The rule: its right-hand side at the middle, how that follows u, and the multipliers of the
        rows of `limits.program`.
    """
    if region.empty or not limits.pricing.nothing or not limits.proven:
        return np.inf
    parts = (z0, K, m, chords.low, chords.high, chords.m, chords.price, squares.weights)
    if not all(np.isfinite(part).all() for part in (*parts, squares.vectors.data)):
        return np.inf
    if (squares.weights < 0).any():
        return np.inf
    rows, g = limits.program.rows, squares.vectors
    step = _step(limits, target, F, z0, K, region)
    every = stacked(rows.matrix, g, sp.csr_array(-g))
    bound = np.concatenate([rows.bound, chords.high, -chords.low])
    room = np.asarray(absolute(every) @ step) * (1 + (len(z0) + 8) * _UNIT)
    moved = np.abs(K) @ region.half
    room[: len(rows)] += limits.rounding(z0, moved + step)
    bound = bound - room - 4 * _UNIT * (np.abs(bound) + room)
    if not np.isfinite(bound).all():
        return np.inf
    # Independent equalities are `correcting`'s; others, and implied rows, must agree with them.
    program = limits.program
    others = np.setdiff1d(np.arange(len(program.equalities)), program.independent)
    G, F_others = taken(program.equalities.matrix, others), taken(sp.csr_array(F), others)
    seen = check(
        every, bound, G, target[others], F_others, z0, K, np.vstack([m, chords.m]), region,
        (program.implied.matrix, program.implied.bound),
    )  # fmt: skip
    if seen.excess > 0 or seen.off > _AGREE:
        return np.inf
    whole = limits.whole
    most = (np.abs(z0) + moved + step) * (1 + (len(region.half) + 8) * _UNIT)
    rest = squares.remainder(whole.quadratic, most)
    if not np.isfinite(rest):
        return np.inf
    prices = _prices(whole.linear, squares, chords.low, chords.high)
    total = Fraction(constant) + _worst(prices, z0, K, chords.price, region) + Fraction(rest)
    for w, low, high in zip(squares.weights, chords.low, chords.high, strict=True):
        total -= Fraction(float(w)) * chord(float(low), float(high))[1]
    total += sum(
        (abs(p) * Fraction(float(s)) for p, s in zip(prices, step, strict=True)), Fraction(0)
    )
    return upwards(total)


def _step(
    limits: Limits, target: Vector, F: Sparse, z0: Vector, K: Dense, region: Region
) -> Vector:
    """How far an exact solution is from the rule at most, by variables."""
    program = limits.program
    at = program.independent
    _, factors, columns = program.equilibration
    G = taken(program.equalities.matrix, at)
    follows = taken(sp.csr_array(F), at)
    return correction(G, target[at], follows, z0, K, region, (factors[at], columns))


def _prices(linear: Vector, squares: Squares, low: Vector, high: Vector) -> list[Fraction]:
    """c1 + sum_k w_k (low_k + high_k) g_k, exactly."""
    found = [Fraction(float(c)) for c in linear]
    g = squares.vectors
    for k, (w, a, b) in enumerate(zip(squares.weights, low, high, strict=True)):
        factor = Fraction(float(w)) * chord(float(a), float(b))[0]
        for place in range(g.indptr[k], g.indptr[k + 1]):
            found[g.indices[place]] += factor * Fraction(float(g.data[place]))
    return found


def _worst(prices: list[Fraction], z0: Vector, K: Dense, m: Vector, region: Region) -> Fraction:
    """What p'(z0 + K v) is at most over the region, by multipliers m."""
    p, p_below = dyadic_numbers(prices)
    solution, below = whole_numbers(np.column_stack([z0, K]))
    products = p @ solution
    unit = 1 << (p_below + below)
    slope = [Fraction(int(product), unit) for product in products[1:]]
    return Fraction(int(products[0]), unit) + worst_case(slope, m, region)
