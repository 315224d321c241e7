"""The affine model in scaled variables: its objective, written out."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import network_chance

from privopt.solving.scaled import Point


def test_the_objective_of_a_plan_is_that_of_the_program() -> None:
    made = network_chance("14_ieee")
    data, rng = made.scaled, np.random.default_rng(0)
    n, p = len(data.linear), data.noise_dimensions
    z, Y = rng.normal(size=n), rng.normal(size=(n, p))
    Z = data.nu * (data.base + Y)
    C2 = data.quadratic.toarray()
    wanted = data.linear @ z + z @ C2 @ z + data.variance * np.trace(Z.T @ C2 @ Z)
    assert data.value(Point(z, Y, None)) == pytest.approx(wanted)
