"""Polygons inside cones: proven by fractions, and never where an enumeration says otherwise."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from privopt.arrays import Dense
from privopt.solving.polygons import facets, proves, rays, refined
from privopt.solving.problem import Cone, Kind

CONES = (
    Cone.second_order(3), Cone.exponential(), Cone.of_power(0.5), Cone.of_power(0.1),
    Cone.of_power(0.8),
)  # fmt: skip
Ray = tuple[Any, Any, Any]  # whole numbers or fractions


def outside(cone: Cone, s: Ray) -> bool:
    """Whether a point is outside its cone for sure: by more than floats are off."""
    size = max(map(abs, s))
    x, y, z = (float(Fraction(v, size)) for v in s)
    if cone.kind is Kind.SECOND_ORDER:
        return s[0] < 0 or s[1] ** 2 + s[2] ** 2 > s[0] ** 2
    if cone.kind is Kind.EXPONENTIAL:
        if y <= 0 or z <= 0:
            return s[1] < 0 or s[2] < 0 or (s[1] == 0 and s[0] > 0) or (s[1] > 0 and s[2] == 0)
        return x / y > math.log(z) - math.log(y) + 1e-9 * (1 + abs(x / y))
    if s[0] < 0 or s[1] < 0:
        return True
    if s[0] == 0 or s[1] == 0:
        return s[2] != 0
    if z == 0:
        return False
    a = cone.power
    return a * math.log(x) + (1 - a) * math.log(y) < math.log(abs(z)) - 1e-9


def extreme(N: Dense) -> list[Ray]:
    """Generators of { s : N s >= 0 }, by all pairs of rows and all single directions."""
    rows = [whole(row) for row in N]
    lines = [cross(a, b) for a, b in combinations(rows, 2)]
    unit = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    if len(rows) < 3 or not any(dot(rows[0], line) for line in lines):  # some line is in it
        lines += [cross(row, one) for row in rows for one in unit] + unit + rows
    signed = (tuple(sign * v for v in line) for line in lines if any(line) for sign in (1, -1))
    return [ray for ray in signed if all(dot(row, ray) >= 0 for row in rows)]  # pyright: ignore[reportReturnType]


def whole(row: Any) -> Ray:
    """A multiple of a row in whole numbers."""
    exact = [Fraction(float(v)) for v in row]
    most = max(one.denominator for one in exact)  # powers of two
    return tuple(int(one * most) for one in exact)  # pyright: ignore[reportReturnType]


def dot(a: Ray, b: Ray) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Ray, b: Ray) -> Ray:
    return (
        a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
    )  # fmt: skip


def honest(cone: Cone, N: Dense) -> None:
    """What is proven holds for every ray there is."""
    if proves(cone, N):
        assert not any(outside(cone, ray) for ray in extreme(N))


@pytest.mark.parametrize("cone", CONES)
def test_what_is_made_is_proven(cone: Cone) -> None:
    around = rays(cone)
    assert proves(cone, facets(cone, around))
    for share in (1, 2):
        around = refined(cone, around, np.arange(len(around)) % 3 < share)
    N = facets(cone, around)
    assert proves(cone, N)
    assert proves(cone, N[::-1])  # the other way round
    honest(cone, facets(cone, rays(cone)))


@pytest.mark.parametrize("ratio", [-300.0, -40.0, -10.0, 0.0, 10.0, 40.0, 300.0])
@pytest.mark.parametrize("cone", CONES[1:4])
def test_wherever_the_points_are(cone: Cone, ratio: float) -> None:
    for wide in (0.0, 3.0, 60.0):
        ends = np.array([ratio - wide, ratio + wide])
        x = ends if cone.kind is Kind.EXPONENTIAL else np.exp(ends)
        points = np.column_stack([x, np.ones(2), np.ones(2)])
        around = rays(cone, points)
        assert proves(cone, facets(cone, around))
    assert proves(cone, facets(cone, refined(cone, around, np.ones(len(around), dtype=bool))))


@pytest.mark.parametrize("cone", CONES)
def test_points_of_the_cone_are_nearly_all_inside(cone: Cone) -> None:
    """Monte Carlo: what is inside by a hundredth of its size is kept, and no point outside is."""
    rng = np.random.default_rng(0)
    N = facets(cone, rays(cone))
    s = rng.normal(size=(1000, 3))
    kept = np.asarray((s @ N.T >= 0).all(axis=1))
    assert not any(outside(cone, whole(one)) for one in s[kept])
    deep = s - 0.02 * cone.inside  # still inside: then s was inside by 0.02
    inside = [not outside(cone, whole(one)) for one in deep]
    assert sum(inside) > 25
    assert np.mean(kept[np.array(inside)]) > 0.97


def test_two_dimensions_are_tight_to_the_cosine() -> None:
    cone = CONES[0]
    around = rays(cone)
    for _ in range(3):
        gap = 1 - math.cos(math.pi / len(around))
        angle = np.linspace(0, 2 * np.pi, 500)
        point = np.column_stack([np.ones(500), np.cos(angle), np.sin(angle)])
        N = facets(cone, around)
        short = ((1 - 1.01 * gap - 1e-8) * point[:, 1:], point[:, :1])
        assert (np.column_stack(short[::-1]) @ N.T >= 0).all()
        around = refined(cone, around, np.ones(len(around), dtype=bool))


def damage(rng: np.random.Generator, N: Dense) -> Dense:
    """Facets turned, doubled, missing, swapped, stretched, moved a little or a lot."""
    N = N.copy()
    i, j = rng.integers(0, len(N), 2)
    what = rng.integers(0, 11)
    if what == 0:
        N[i] *= -1.0
    elif what == 1:
        N = np.insert(N, i, N[j], axis=0)
    elif what == 2:
        N = np.delete(N, i, axis=0)
    elif what == 3:
        N[[i, j]] = N[[j, i]]
    elif what == 4:
        N[i] += 10.0 ** rng.uniform(-17, 0) * rng.normal(size=3)
    elif what == 5:
        N[i] *= 10.0 ** rng.uniform(-300, 300)
    elif what == 6:
        N = N[: rng.integers(0, 4)]
    elif what == 7:
        N = np.roll(N, int(rng.integers(0, len(N))), axis=0)[:: int(rng.choice([1, 2, -1, 3]))]
    elif what == 8:
        N[i] = 0.0
    elif what == 9:
        N[i] = N[(i + 1) % len(N)] * (1 + 1e-16)
    else:
        N = rng.permutation(N)
    return N


@pytest.mark.parametrize("cone", CONES)
def test_no_damage_is_believed(cone: Cone) -> None:
    rng = np.random.default_rng(1)
    made = facets(cone, rays(cone)[:: 1 if cone.kind is Kind.SECOND_ORDER else 2])
    refused = 0
    for _ in range(12):
        N = made
        for _ in range(rng.integers(1, 4)):
            N = damage(rng, N) if len(N) else N
        refused += not proves(cone, N)
        honest(cone, N)
    assert refused >= 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_no_damage_is_believed_at_length(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cone = CONES[seed % len(CONES)]
    made = facets(cone, rays(cone))
    for _ in range(20):
        N = damage(rng, made)
        N = damage(rng, N) if len(N) else N
        honest(cone, N)


@pytest.mark.parametrize("cone", CONES)
def test_random_rows_are_believed_only_where_they_should_be(cone: Cone) -> None:
    rng = np.random.default_rng(2)
    for k in range(60):
        N = rng.integers(-2, 3, (int(rng.integers(3, 6)), 3)).astype(float)
        if k % 3 == 0:  # narrow cones around a point inside: some of them are proven
            N = rng.normal(size=(3, 3))
            N = N - np.outer(N @ cone.inside - 0.05, cone.inside) / (cone.inside @ cone.inside)
        honest(cone, N)


def around_inside(cone: Cone, width: float, count: int = 5) -> Dense:
    """Facets of a thin cone around the point inside."""
    axis = cone.inside / np.linalg.norm(cone.inside)
    side = np.linalg.svd(axis[None])[2][1:]
    angle = 2 * np.pi * np.arange(count) / count
    v = axis + width * (np.column_stack([np.cos(angle), np.sin(angle)]) @ side)
    N = np.cross(v, np.roll(v, -1, axis=0))
    return N * np.sign(N @ axis)[:, None]


@pytest.mark.parametrize("cone", CONES)
def test_a_thin_cone_is_inside_and_a_star_is_not_a_polygon(cone: Cone) -> None:
    N = around_inside(cone, 0.01)
    assert proves(cone, N)
    assert proves(cone, N * 1e-300)
    assert not proves(cone, N[[0, 2, 4, 1, 3]])
    assert not proves(cone, around_inside(cone, 10.0))
    assert not proves(cone, -N)


@pytest.mark.parametrize(
    "N",
    [
        np.zeros((0, 3)), np.zeros((3, 3)), np.eye(3)[:2], np.ones((4, 3)), np.ones(3),
        np.full((3, 3), np.nan), np.full((3, 3), np.inf), np.ones((4, 2)),
        np.array([[1.0, 0, 0], [1, 0, 0], [-1, 0, 0]]),
        np.vstack([np.eye(3), -np.eye(3)]),
    ],
)  # fmt: skip
def test_what_is_no_cone_at_all_proves_nothing(N: Any) -> None:
    for cone in CONES:
        assert not proves(cone, N)


def test_the_positive_octant_is_in_no_cone() -> None:
    assert not any(proves(cone, np.eye(3)) for cone in CONES)
    inside = np.array([[1.0, 0, 1], [0, 1.0, 1], [0, 0, -1]])  # z <= 0, x, y >= -z
    assert not proves(CONES[2], inside)  # |z| = x = y = 1 is on the edge: not decided by digits
    assert proves(CONES[2], inside * [0.999, 0.999, 1.0])
