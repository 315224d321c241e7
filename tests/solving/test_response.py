"""Answers to the working rows: held rows stand, and roots of singular matrices."""

from __future__ import annotations

import numpy as np
from tests.cases import network_chance

from privopt.solving.response import Response, root_of


def test_held_rows_stand_in_the_answering_space() -> None:
    chance = network_chance("39_epri")
    data, movable = chance.scaled, chance.engine.models.movable
    simple = np.flatnonzero(
        (np.diff(data.directions.D.indptr) == 1) & chance.engine.models.movable
    )[:3]
    columns = data.directions.columns(simple)
    lines = np.flatnonzero((np.diff(data.directions.D.indptr) > 1) & movable)[:2]
    response = Response(data.C, data.quadratic, columns)
    space = response.space(data.directions.D[lines], data.base)
    N = np.random.default_rng(1).normal(size=(space.rows.shape[1], data.base.shape[1]))
    Y = space.lift(N)
    assert np.abs((data.base + Y)[columns]).max() <= 1e-12
    assert np.abs(data.C @ Y).max() <= 1e-10


def test_a_root_of_a_singular_matrix() -> None:
    rng = np.random.default_rng(2)
    half = rng.normal(size=(6, 3))
    T = half @ half.T
    root, inverse = root_of(T)
    assert root.shape == (6, 3)
    np.testing.assert_allclose(root @ root.T, T, atol=1e-10)
    np.testing.assert_allclose(T @ inverse, root, atol=1e-9)
