"""How far a release moves: no pair of a dense grid lies further apart than the pieces allow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.assess.programs import anything, over, shares
from tests.assess.sources import exact, floats, released

import privopt as po
from privopt.assess.moves import Moves, farthest
from privopt.assess.pieces import Pieces
from privopt.assess.polytope import chord
from privopt.assess.regions import enumerate_regions
from privopt.mechanisms.private_data import PrivateData


@pytest.mark.parametrize("source", [floats, exact])
def test_steep_pieces_first(source: Any) -> None:
    """x + y = d: y moves by 1/2 in the middle third, by 1 outside; S releases y."""
    pieces = enumerate_regions(source(over(shares(1), 0.0, 6.0), 1)).pieces
    for step, wanted in [(0.1, 0.3), (2 / 3, 2.0), (4 / 3, 4.0), (2.0, 5.0)]:
        assert farthest(pieces, np.array([step])) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.long
@pytest.mark.parametrize("source", [floats, exact])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", [0, 1, 3, 5])
def test_no_pair_of_a_dense_grid_lies_further_apart(seed: int, order: int, source: Any) -> None:
    form = over(anything(seed, private=2, free=2), -1.0, 1.0)
    looked: Pieces = source(form, 0, 1, 2, order=order)
    found = enumerate_regions(looked)
    step = 2 / 30
    bound = farthest(found.pieces, np.full(2, step))

    def values(v: Any) -> Any:
        return form.point(form.binding(v), v)[:3] if np.abs(v).max() <= 1 else np.full(3, np.nan)

    axis = np.linspace(-1, 1, 31)
    grid = np.array([[values(np.array([a, b])) for b in axis] for a in axis])
    pairs = [np.diff(grid, axis=side).reshape(-1, 3) for side in (0, 1)]
    for piece, centre in zip(found.pieces, found.centres, strict=True):  # thin ones may be missed
        for j, e in enumerate(np.eye(2)):
            low, high = chord(piece, centre, j)
            v = centre + 0.999 * low * e
            pairs.append(values(v + min(step, 0.999 * (high - low)) * e)[None] - values(v)[None])
    largest = float(np.nanmax(np.linalg.norm(np.vstack(pairs), ord=order, axis=1)))
    assert 0.5 * bound <= largest <= bound * (1 + 1e-6)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", [0, 3])
def test_factors_are_over_alpha_and_the_query_and_pairs_at_random_stay_below(
    seed: int, order: int
) -> None:
    program = anything(seed, private=2, free=2)
    form = over(program, -1.0, 1.0)
    noise: Any = po.Laplace(epsilon=1.0, alpha=0.1)
    if order == 2:
        noise = po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1)
    data = PrivateData.of(program, -np.ones(2), np.ones(2), None, None)
    found = enumerate_regions(floats(form, 0, 1, 2, order=order))
    moves = Moves(3.0 * released(form, 0, 1, 2), noise, data)
    larger = Moves(released(form, 0, 1, 2), noise, data)
    rounding = moves.rounding(found.pieces)
    assert rounding == pytest.approx(
        (3 if order == 1 else 3**0.5) * 2.0 ** moves.exponent(found.pieces)
    )
    whole = farthest(found.pieces, np.full(2, 0.1)) + rounding
    assert larger.factor(found.pieces) == pytest.approx(whole / 0.1, rel=1e-9)
    assert moves.factor(found.pieces) == pytest.approx(whole / 0.3, rel=1e-9)
    assert (
        0
        < larger.sampled(form)
        <= larger.factor(found.pieces)
        <= larger.steepest(found.pieces) * (1 + 1e-9)
    )
