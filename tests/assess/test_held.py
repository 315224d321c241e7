"""Steep pairs of the map with recourse held: neighbours, and as far apart as a dense grid finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.assess.programs import anything, over, shares

import privopt as po
from privopt.assess.held import Ascent, steep_pairs
from privopt.assess.moves import farthest
from privopt.assess.pieces import FloatPieces
from privopt.assess.regions import enumerate_regions
from privopt.mechanisms.private_data import PrivateData
from privopt.mechanisms.question import Question


@pytest.mark.long
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_a_climb_ends_between_a_dense_grid_and_the_bound_of_all_pieces(
    seed: int, order: int
) -> None:
    form = over(anything(seed, private=2, free=2), -1.0, 1.0)
    S: Any = sp.csr_array(np.eye(len(form.offset))[:3])
    reach = np.full(2, 0.5)
    ascent = Ascent(form, S, reach, order)

    def values(v: np.ndarray) -> np.ndarray:
        return form.point(form.binding(v), v)[:3]

    axis = np.linspace(-1, 1, 21)  # a step of a half is five of its own
    grid = np.array([[values(np.array([a, b])) for b in axis] for a in axis])
    bound = farthest(enumerate_regions(FloatPieces(form, S, order)).pieces, reach)
    for j, apart in enumerate([grid[5:] - grid[:-5], grid[:, 5:] - grid[:, :-5]]):
        sizes = np.linalg.norm(apart, ord=order, axis=2)
        for place in np.argsort(-sizes, axis=None)[[0, 50, 150]]:
            a, b = np.unravel_index(int(place), sizes.shape)
            v = np.array([axis[a], axis[b]])
            assert ascent.moved(v, j, 0.5) == pytest.approx(apart[a, b], abs=1e-7)
            found, t = ascent.climb(v, j, 0.5)
            assert 0 <= t <= 0.5 + 1e-9
            assert np.abs(found).max() <= 1
            step = np.where(np.arange(2) == j, t, 0.0)
            moved = values(np.minimum(found + step, 1.0)) - values(found)
            assert sizes[a, b] - 1e-7 <= np.linalg.norm(moved, ord=order) <= bound + 1e-7


def test_the_pairs_are_neighbours_of_the_domain_and_the_steepest_is_among_them() -> None:
    """x + y = d: y follows d by all of it where x is at a limit, by half elsewhere."""
    program, noise = shares(1), po.Laplace(epsilon=1.0, alpha=0.1)
    data = PrivateData.of(program, np.zeros(1), np.full(1, 6.0), None, None)
    pairs = steep_pairs(Question(program, po.Identity([1]), noise), data)
    assert pairs
    distances: list[float] = []
    for pair in pairs:
        ends = np.array([pair.u, pair.other])
        assert ((ends >= 0) & (ends <= 6)).all()
        assert abs(pair.step) <= 0.1
        first, second = (program.solve(d=d).z[1] for d in ends)
        distances.append(abs(first - second))
    assert max(distances) == pytest.approx(0.1, rel=1e-5)


def test_a_map_whose_pieces_are_not_known_gives_no_pairs() -> None:
    program = po.ConvexProgram(linear=[1.0, 2.0], G=[[1.0, 1.0]], lower=0.0, upper=4.0)
    data = PrivateData.of(program, np.zeros(1), np.ones(1), None, None)
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    assert steep_pairs(Question(program, po.Identity([0]), noise), data) == []
