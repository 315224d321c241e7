"""Pairs of neighbours: inside the domain, at most alpha apart, the farthest remembered."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

import privopt as po
from privopt.assess.pairs import KEPT, Pair, Pairs
from privopt.mechanisms.private_data import PrivateData

M = np.array([[1.0, -3.0, 0.5], [0.5, 2.0, 0.0]])
LOWER, UPPER = np.zeros(3), np.array([1.0, 2.0, 0.05])


def pairs(values: object = None, order: int = 1, seed: int = 0) -> Pairs:
    """Of a linear map unless given; alpha is 0.1, more than the third entry's domain."""
    program = po.ConvexProgram(quadratic=np.ones(3), G=np.eye(3))
    noise = {1: po.Laplace(epsilon=1, alpha=0.1), 2: po.Gaussian(epsilon=1, delta=1e-5, alpha=0.1)}
    data = PrivateData.of(program, LOWER, UPPER, None, None)
    linear = lambda u: M @ u  # noqa: E731
    return Pairs(values or linear, data, noise[order], np.random.default_rng(seed))  # pyright: ignore[reportArgumentType]


def within(limit: int) -> object:
    turn = count()
    return lambda: next(turn) < limit


def check(pair: Pair) -> None:
    ends = np.array([pair.u, pair.other])
    assert (ends >= LOWER).all()
    assert (ends <= UPPER).all()
    assert 0 < abs(pair.step) <= 0.1
    assert np.flatnonzero(ends[0] != ends[1]).tolist() == [pair.j]


@pytest.mark.parametrize("order", [1, 2])
def test_a_scan_of_a_linear_map_finds_its_largest_column(order: int) -> None:
    search = pairs(order=order)
    search.scan(within(60))  # pyright: ignore[reportArgumentType]
    best = search.best()
    assert len(best) == KEPT
    for pair in best:
        check(pair)
    distances = [np.linalg.norm(M @ (pair.u - pair.other), ord=order) for pair in best]
    assert distances == pytest.approx(sorted(distances, reverse=True))
    steps = np.minimum(0.1, UPPER - LOWER)
    assert distances[0] == pytest.approx((np.linalg.norm(M, ord=order, axis=0) * steps).max())


@pytest.mark.parametrize("at", [0.0, 0.5, 1.0])
def test_a_pair_goes_to_the_side_where_there_is_room(at: float) -> None:
    search, u = pairs(), LOWER + at * (UPPER - LOWER)
    for j in range(3):
        check(search.pair(u, j))
        small = search.pair(u, j, 0.01)
        check(small)
        assert abs(small.step) == 0.01
    assert abs(search.pair(u, 2).step) == pytest.approx(0.05)  # all of its domain


def test_a_climb_finds_the_steep_corner() -> None:
    """u_1 (1 + 10 u_0): along the second entry it is steepest where the first ends."""

    def values(u: np.ndarray) -> np.ndarray:
        return np.array([u[1] * (1 + 10 * u[0])])

    search = pairs(values)
    start = search.pair(np.array([0.1, 1.0, 0.0]), 1)
    assert search.measure(start) == pytest.approx(0.2)
    search.climb(start, within(400))  # pyright: ignore[reportArgumentType]
    best = search.best()[0]
    check(best)
    assert abs(values(best.u)[0] - values(best.other)[0]) == pytest.approx(1.1, rel=0.01)


def test_an_end_without_a_solution_is_no_pair() -> None:
    search = pairs(lambda u: None if u[0] > 0.95 else M @ u)
    assert search.measure(search.pair(np.array([0.9, 1.0, 0.0]), 0)) == -1.0
    assert search.best() == []
    search.scan(within(40))  # pyright: ignore[reportArgumentType]
    assert all(max(pair.u[0], pair.other[0]) <= 0.95 for pair in search.best())
