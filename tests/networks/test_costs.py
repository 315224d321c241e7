"""Costs in money per hour of powers per unit, evaluated against the table's own rule in MW."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.errors import InputError
from privopt.networks.tables import read_costs


@pytest.mark.parametrize(
    "coefficients", [(3.0,), (2.0, 3.0), (0.5, 2.0, 3.0), (0.0, 0.5, 2.0, 3.0)]
)
def test_polynomials_of_any_length(coefficients: tuple[float, ...]) -> None:
    numbers = [*coefficients, *[0.0] * (4 - len(coefficients))]
    cost = read_costs(np.array([[2, 0, 0, len(coefficients), *numbers]]), 50.0)
    for mw in (0.0, 10.0, 75.0):
        p = mw / 50
        ours = cost.constant[0] + cost.linear[0] * p + cost.quadratic[0] * p**2
        assert ours == pytest.approx(np.polyval(coefficients, mw))


def test_one_slope_is_a_linear_cost() -> None:
    cost = read_costs(np.array([[1, 0, 0, 3, 10, 120, 20, 220, 40, 420]]), 100.0)
    assert cost.piecewise == ()
    assert cost.linear[0] == pytest.approx(1000)
    assert cost.constant[0] == pytest.approx(20)


def test_a_refusal_names_the_generator() -> None:
    good, bad = [2, 0, 0, 2, 1.0, 0.0], [2, 0, 0, 3, -1.0, 0.0]
    with pytest.raises(InputError, match="generator 2"):
        read_costs(np.array([good, bad]), 100.0)
