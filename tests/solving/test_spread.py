"""Norms of A Z without the matrix."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import network_chance

from privopt.solving import spread as spread_module
from privopt.solving.basis import basis
from privopt.solving.scaled import Point
from privopt.solving.spread import Spread


def test_norms_without_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = network_chance("118_ieee")
    data = chance.scaled
    R = basis(data, np.flatnonzero(chance.engine.models.movable)[:4])
    assert R is not None
    Y = np.random.default_rng(3).normal(size=(data.C.shape[1], len(R)))
    point = Point(chance.engine.models.near, Y, R)
    wanted = np.linalg.norm(Spread(data, point).dense, axis=1)
    monkeypatch.setattr(spread_module, "SMALL", 0)
    np.testing.assert_allclose(Spread(data, point).norms, wanted, rtol=1e-6, atol=1e-6)
