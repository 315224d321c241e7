"""Held rows: the price tells which should move."""

from __future__ import annotations

import numpy as np
from tests.cases import network_chance

from privopt.solving.compile import Model
from privopt.solving.margins import Cuboid, Margins
from privopt.solving.prices import should_move
from privopt.solving.space import Space


def model() -> Model:
    chance = network_chance("14_ieee")
    data, movable = chance.scaled, chance.engine.models.movable
    simple = np.flatnonzero((np.diff(data.directions.D.indptr) == 1) & movable)[:2]
    space = Space.plain(data.C, data.directions.D[simple], data.quadratic)
    return Model(data, simple[:0], simple, space, None)


def slopes(held: Model, multiplier: float) -> tuple[np.ndarray, np.ndarray]:
    """Multipliers of all rows, and what one unit of margin is worth at each held direction."""
    ways = held.data.directions
    multipliers = np.full(len(ways.group), multiplier)
    worth = [
        held.data.nu * multiplier * np.abs(ways.factor[ways.group == g]).sum() for g in held.held
    ]
    return multipliers, np.array(worth) * np.abs(ways.D[held.held].data)


def test_a_two_norm_holds_within_its_slope() -> None:
    held = model()
    multipliers, worth = slopes(held, 0.3)
    rows, p = len(multipliers), held.data.noise_dimensions
    margins = Margins(deviations=np.full(rows, 2.0))
    edge = 2.0 * np.sqrt(held.data.variance) * worth
    direction = np.random.default_rng(0).normal(size=(2, p))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    below, above = (0.99 * edge)[:, None] * direction, (1.01 * edge)[:, None] * direction
    assert should_move(held, margins, below, multipliers, 1e-7).tolist() == [False, False]
    assert should_move(held, margins, above, multipliers, 1e-7).tolist() == [True, True]
    assert should_move(
        held, margins, np.vstack([below[0], above[1]]), multipliers, 1e-7
    ).tolist() == [
        False,
        True,
    ]


def test_a_box_holds_within_its_sides() -> None:
    held = model()
    multipliers, worth = slopes(held, 0.3)
    p = held.data.noise_dimensions
    margins = Margins(box=Cuboid(np.full(p, -1.5), np.full(p, 1.5)))
    corner = 1.5 * worth[:, None] * np.where(np.arange(p) % 2, 1.0, -1.0)
    assert not should_move(held, margins, 0.99 * corner, multipliers, 1e-7).any()
    outside = 0.5 * corner
    outside[1, 0] *= 2.05
    assert should_move(held, margins, outside, multipliers, 1e-7).tolist() == [False, True]
