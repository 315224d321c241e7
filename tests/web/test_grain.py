"""What a solver leaves is 0 beside values of a size, and stays beside small ones."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.web.grain import settled, settled_all, size_of


def test_dust_is_nothing_beside_large_values_alone() -> None:
    assert settled(1.79e-5, 260.0) == 0.0
    assert settled(-1.79e-5, 260.0) == 0.0
    assert settled(1.79e-5, 1.0) == 1.79e-5
    assert settled_all(np.array([1.79e-5, -3.0]), 260.0).tolist() == [0.0, -3.0]


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_what_is_not_known_is_not_zero(value: float | None) -> None:
    assert settled(value) is None


def test_the_size_is_that_of_values_with_the_unit_of_the_data() -> None:
    program = po.networks.load("3_lmbd").program(unit="MW")
    z = np.zeros(program.n)
    z[program.names.index("p[2]")] = -150.0
    z[program.names.index("theta[3]")] = 1e6  # radians are no size of megawatts
    assert size_of(program, z) == 150.0
    assert size_of(program, z[:2], [0, 1]) == 150.0
