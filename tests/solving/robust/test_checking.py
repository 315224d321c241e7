"""A certificate against brute force in fractions over the vertices of the region; hostile ones."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.arrays import Dense, Vector
from privopt.solving.robust.checking import Checked, Equalities, check
from privopt.solving.robust.region import Region

Exact = list[Fraction]


def exactly(values: Any) -> Exact:
    return [Fraction(float(v)) for v in values]


def times(a: Exact, b: Exact) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def vertices(region: Region) -> list[Exact]:
    """Every vertex of box and slabs, relative to the middle: q independent active constraints."""
    q = len(region.half)
    rows = [[Fraction(int(i == j)) for i in range(q)] for j in range(q)]
    facets = [
        (row, s * h) for row, h in zip(rows, exactly(region.half), strict=True) for s in (1, -1)
    ]
    for w, low, high in zip(region.W, region.low, region.high, strict=True):
        facets += [(exactly(w), Fraction(float(low))), (exactly(w), Fraction(float(high)))]
    found: list[Exact] = []
    for some in itertools.combinations(facets, q):
        u = solved([row for row, _ in some], [end for _, end in some])
        if u is not None and inside(region, u):
            found.append(u)
    return found


def inside(region: Region, u: Exact) -> bool:
    box = all(abs(x) <= h for x, h in zip(u, exactly(region.half), strict=True))
    sums = [times(exactly(w), u) for w in region.W]
    ends = zip(exactly(region.low), sums, exactly(region.high), strict=True)
    return box and all(low <= value <= high for low, value, high in ends)


def solved(M: list[Exact], right: Exact) -> Exact | None:
    """Gauss and Jordan; None where the rows are dependent."""
    table, q = [[*row, value] for row, value in zip(M, right, strict=True)], len(right)
    for k in range(q):
        pivot = next((i for i in range(k, q) if table[i][k]), None)
        if pivot is None:
            return None
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = [v / table[k][k] for v in table[k]]
        for i in range(q):
            if i != k:
                table[i] = [a - table[i][k] * b for a, b in zip(table[i], table[k], strict=True)]
    return [row[-1] for row in table]


@dataclass(frozen=True)
class Case:
    """A certificate of random rows: each has the room that its multipliers leave, and no more."""

    A: Dense
    b: Vector
    G: Dense
    target: Vector
    F: Dense
    z0: Vector
    K: Dense
    m: Dense
    region: Region

    def check(self) -> Checked:
        given = Equalities(
            sp.csr_array(self.G), self.target, sp.csr_array(self.F), np.ones(self.G.shape[1])
        )
        K = sp.csr_array(self.K)
        return check(sp.csr_array(self.A), self.b, given, self.z0, K, self.m, self.region)

    @property
    def free(self) -> Case:
        """The same without equalities: nothing has to be made up for."""
        return replace(self, G=self.G[:0], target=self.target[:0], F=self.F[:0])

    def worst(self) -> list[Fraction]:
        """The largest A_i z - b_i over the vertices, exactly."""
        found: list[Fraction] = []
        for a, b in zip(self.A, exactly(self.b), strict=True):
            at = times(exactly(a), exactly(self.z0)) - b
            slope = [times(exactly(a), exactly(column)) for column in self.K.T]
            found.append(max(at + times(slope, u) for u in vertices(self.region)))
        return found


def case(seed: int, *, best: bool = True) -> Case:
    """Numbers of few bits, so that G K = F and G z0 = t hold exactly."""
    rng = np.random.default_rng(seed)
    n, q, rows = 5, 3, 6
    G = np.hstack([np.eye(2), rng.integers(-3, 4, (2, n - 2))]).astype(float)
    K, z0 = rng.integers(-8, 9, (n, q)) / 8, rng.integers(-8, 9, n) / 4
    W = [np.zeros((0, q)), np.ones((1, q)), rng.integers(1, 4, (2, q)).astype(float)][seed % 3]
    half = rng.integers(1, 9, q) / 8
    at = W @ (half * rng.uniform(-0.5, 0.5, q))
    region = Region(rng.normal(size=q), half, W, at - 0.1, at + 0.15)
    A = rng.normal(size=(rows, n))
    m = region.support(A @ K)[1] if best else rng.normal(size=(rows, len(W)))
    b = A @ z0 + region.bound(A @ K, m) + 1e-9
    return Case(A, b, G, G @ z0, G @ K, z0, K, m, region)


@pytest.mark.parametrize("best", [True, False])
@pytest.mark.parametrize("holes", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(12))
def test_what_passes_holds_at_every_vertex(seed: int, holes: float, best: bool) -> None:
    one = case(seed, best=best)
    K = np.where(np.random.default_rng(seed).random(one.K.shape) < holes, 0.0, one.K)
    b = one.A @ one.z0 + one.region.bound(one.A @ K, one.m) + 1e-9
    one = replace(one, K=K, F=one.G @ K, b=b)
    found = one.check()
    worst = max(one.worst())
    assert found.excess <= 0
    assert found.off < 1e-12
    assert worst <= Fraction(found.excess)
    if best and seed % 3 < 2 and not holes:  # disjoint rows of W: there are no better multipliers
        assert worst >= Fraction(found.excess) - Fraction(1, 10**8)


@pytest.mark.parametrize("seed", range(6))
def test_a_row_that_is_exceeded_at_a_vertex_never_passes(seed: int) -> None:
    """Whatever the multipliers: of the wrong sign, huge, zero, of another row."""
    one = case(seed)
    worst, rng = one.worst(), np.random.default_rng(seed)
    tight = np.array([float(v) for v in worst]) + one.b
    short = replace(one, b=tight - 1e-12 * (1 + np.abs(tight)))
    for m in (
        one.m,
        -one.m,
        0 * one.m,
        1e12 * one.m,
        rng.permutation(one.m),
        rng.normal(size=one.m.shape),
    ):
        assert replace(short, m=m).check().excess > 0


@pytest.mark.parametrize("seed", range(6))
def test_one_unit_in_the_last_place_is_enough_to_fail(seed: int) -> None:
    """b, the float not below the exact margin, passes with nothing to spare; the next one fails."""
    one = case(seed).free
    loose = np.abs(one.b) + 10
    for i in range(len(one.b)):
        row = replace(one, b=np.where(np.arange(len(loose)) == i, one.b, loose))
        margin = bound(row, i)
        least = float(margin)
        if Fraction(least) < margin:
            least = float(np.nextafter(least, np.inf))
        at = np.where(np.arange(len(loose)) == i, least, loose)
        assert replace(one, b=at).check().excess <= 0
        at[i] = np.nextafter(least, -np.inf)
        assert replace(one, b=at).check().excess > 0


def bound(one: Case, i: int) -> Fraction:
    """The margin that m proves, written down once more."""
    a, m = exactly(one.A[i]), exactly(one.m[i])
    total = times(a, exactly(one.z0))
    for j, half in enumerate(exactly(one.region.half)):
        through = times(m, exactly(one.region.W[:, j]))
        total += half * abs(times(a, exactly(one.K[:, j])) - through)
    for value, low, high in zip(m, exactly(one.region.low), exactly(one.region.high), strict=True):
        total += value * (high if value > 0 else low)
    return total


def test_a_region_that_is_a_point_needs_no_margin() -> None:
    one = case(1).free
    at = one.region.W @ np.zeros(3)
    point = replace(one.region, half=np.zeros(3), low=at, high=at)
    b = one.A @ one.z0
    assert replace(one, region=point, b=b + 1e-12).check().excess <= 0
    assert replace(one, region=point, b=b - 1e-12).check().excess > 0


@pytest.mark.parametrize("part", ["z0", "K", "target", "F"])
def test_what_makes_up_for_an_equality_is_taken_off_the_limits(part: str) -> None:
    """The exact solution is within `off` of the stated one; the distance is a least one."""
    one = case(2)
    changed = getattr(one, part).copy()
    changed.flat[0] += 2.0**-12
    found = replace(one, **{part: changed}, b=one.b + 10).check()
    assert 2.0**-12 / 20 < found.off < 2.0**-12 * 20
    assert found.holds
    tight = replace(one, **{part: changed}).check()
    assert 0 < tight.excess < 2.0**-12 * 40


def test_how_far_an_equality_is_off_counts_in_the_units_of_the_variables() -> None:
    one = case(2)
    found = {
        size: replace(
            one, z0=size * (one.z0 + 1e-3), K=size * one.K, target=size * one.target, F=size * one.F
        ).check()
        for size in (2.0**-30, 1.0, 2.0**30)
    }
    assert found[1.0].off > 1e-4
    for size, seen in found.items():
        assert seen.off == pytest.approx(size * found[1.0].off)


def exact_solution(one: Case, u: Exact) -> Exact:
    """The nearest z with G z = target + F (u - middle), in fractions."""
    rows = [exactly(row) for row in one.G]
    z = [z + times(exactly(k), u) for z, k in zip(exactly(one.z0), one.K, strict=True)]
    due = [t + times(exactly(f), u) for t, f in zip(exactly(one.target), one.F, strict=True)]
    gram = [[times(row, other) for other in rows] for row in rows]
    y = solved(gram, [v - times(row, z) for v, row in zip(due, rows, strict=True)])
    assert y is not None
    return [v + times(y, [row[j] for row in rows]) for j, v in enumerate(z)]


@pytest.mark.parametrize("seed", range(6))
def test_an_exact_solution_keeps_every_row_at_every_vertex(seed: int) -> None:
    one, rng = case(seed), np.random.default_rng(seed)
    moved = one.z0 + 1e-4 * rng.normal(size=5), one.K + 1e-4 * rng.normal(size=one.K.shape)
    one = replace(one, z0=moved[0], K=moved[1])
    found = one.check()
    assert found.off < 1e-2
    one = replace(one, b=one.b + found.excess)
    assert one.check().excess <= 1e-15
    for u in vertices(one.region):
        z = exact_solution(one, u)
        assert all(times(exactly(a), z) <= b for a, b in zip(one.A, exactly(one.b), strict=True))


def test_a_solution_so_large_that_equalities_look_kept_beside_it_proves_nothing() -> None:
    """x - y + z = 3, x - y = 0, z <= 1 has no solution, whatever x is stated."""
    region = Region(np.array([3.0]), np.zeros(1), np.zeros((0, 1)), np.zeros(0), np.zeros(0))
    for x in (0.0, 2.0**40, 2.0**60, 1e300):
        one = Case(
            np.array([[0.0, 0.0, 1.0]]), np.ones(1), np.array([[1.0, -1, 1], [1, -1, 0]]),
            np.array([3.0, 0.0]), np.zeros((2, 1)), np.array([x, x, 1.0]), np.zeros((3, 1)),
            np.zeros((1, 0)), region,
        )  # fmt: skip
        assert one.check().excess > 1


def test_equalities_that_repeat_others_must_agree_with_them() -> None:
    one = case(2)
    twice = np.vstack([one.G, one.G[0] - 3 * one.G[1]])
    target, F = twice @ one.z0, twice @ one.K
    same = replace(one, G=twice, target=target, F=F)
    assert same.check().holds
    assert replace(same, target=target + np.array([0, 0, 1e-6])).check() == Checked(np.inf, np.inf)
    F = F + np.array([[0.0], [0.0], [1e-6]])
    assert replace(same, F=F).check() == Checked(np.inf, np.inf)


def test_equalities_that_nearly_depend_on_others_are_not_left_out() -> None:
    """x = 1 and x + 1e-12 y = 1 + 9e-10 have y = 900; x - y of two billions has no room for 1."""
    region = Region(np.array([3.0]), np.zeros(1), np.zeros((0, 1)), np.zeros(0), np.zeros(0))
    cases: list[tuple[Any, Any, Any, Any]] = [
        ([[1, 0], [1, 1e-12]], [1, 1 + 9e-10], [1, 0], [0, 1]),
        ([[1, 0], [1, 1e-13]], [1, 1 + 9e-10], [1, 0], [0, 1]),
        ([[1, 0], [0, 1], [1, -1]], [1e9, 1e9, 1], [1e9, 1e9], [0, 0]),
    ]
    for G, target, z0, a in cases:
        one = Case(
            np.array([a], dtype=float), np.ones(1), np.array(G, dtype=float),
            np.array(target, dtype=float), np.zeros((len(G), 1)), np.array(z0, dtype=float),
            np.zeros((2, 1)), np.zeros((1, 0)), region,
        )  # fmt: skip
        assert not one.check().holds


def test_products_that_would_vanish_prove_nothing() -> None:
    """1e-240 y = 0 says that y = 0. In floats y may follow data as far as 1e100, and x with it."""
    region = Region(np.zeros(1), np.array([1e100]), np.zeros((0, 1)), np.zeros(0), np.zeros(0))
    one = Case(
        np.array([[1.0, -1.0]]), np.array([0.1]), np.array([[1.0, 0.0], [0.0, 1e-240]]),
        np.zeros(2), np.array([[1e-100], [0.0]]), np.zeros(2), np.full((2, 1), 1e-100),
        np.zeros((1, 0)), region,
    )  # fmt: skip
    assert not one.check().holds
    honest = replace(one, G=np.array([[1.0, 0.0], [1.0, -1.0]]))
    assert replace(honest, F=np.array([[1e-100], [0.0]])).check().holds


def test_released_values_that_follow_the_data_are_seen() -> None:
    """S K = 0 is an equality like any other: q would tell u."""
    one, S = case(2), np.eye(5)[2:3]
    K = one.K.copy()
    K[2] = [0.0, 1e-6, 0.0]
    both = replace(
        one, K=K, G=np.vstack([one.G, S]), target=np.append(one.target, one.z0[2]),
        F=np.vstack([one.G @ K, np.zeros((1, 3))]),
    )  # fmt: skip
    assert both.check().off > 1e-8
    K[2] = 0.0
    fixed = replace(both, K=K, F=np.vstack([one.G @ K, np.zeros((1, 3))]))
    assert fixed.check().off < 1e-12


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("part", ["z0", "K", "m"])
def test_what_is_no_number_proves_nothing(part: str, value: float) -> None:
    one = case(1)
    changed = getattr(one, part).copy()
    changed.flat[0] = value
    found = replace(one, **{part: changed}).check()
    assert found.excess == np.inf


def test_numbers_that_floats_cannot_add_up_are_added_up() -> None:
    one = case(1).free
    found = replace(one, m=np.full_like(one.m, 1e308)).check()
    assert found.excess > 1e300
    assert replace(one, z0=np.full_like(one.z0, 1e308)).check().excess > 0
    signs = np.where(np.arange(len(one.z0)) % 2, -1e308, 1e308)
    assert replace(one, A=10 * one.A, z0=signs).check().excess > 1e300  # in floats it is NaN


def test_without_rows_every_certificate_holds() -> None:
    one = case(1)
    empty = replace(one, A=np.zeros((0, 5)), b=np.zeros(0), m=np.zeros((0, 1)))
    assert empty.check().excess == -np.inf
