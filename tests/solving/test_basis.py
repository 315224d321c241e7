"""The noise directions that the working rows see."""

from __future__ import annotations

import numpy as np
from tests.cases import network_chance

from privopt.solving.basis import basis


def test_the_basis_spans_the_working_rows_and_no_more() -> None:
    chance = network_chance("118_ieee")
    data = chance.scaled
    working = np.flatnonzero(chance.engine.models.movable)[:4]
    R = basis(data, working)
    assert R is not None
    rows = data.base_rows[working]
    assert len(R) == np.linalg.matrix_rank(rows, tol=1e-7)
    np.testing.assert_allclose(rows @ R.T @ R, rows, atol=1e-8)
    np.testing.assert_allclose(R @ R.T, np.eye(len(R)), atol=1e-10)


def test_few_noise_directions_are_not_worth_a_basis() -> None:
    chance = network_chance("14_ieee")
    assert basis(chance.scaled, np.flatnonzero(chance.engine.models.movable)[:1]) is None
