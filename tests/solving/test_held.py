"""Holding a variable, and the price of it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.solving.held import Held
from privopt.solving.problem import Cone, ConicProblem
from privopt.solving.solver import Settings, solve_conic


def test_holding_a_variable_and_its_price() -> None:
    """min (x-1)^2 + (y-2)^2 with x + y <= 2 and y held at 0: x = 1, and y is worth 4 to move."""
    whole = ConicProblem(
        P=sp.csc_array(2 * np.eye(2)),
        q=np.array([-2.0, -4.0]),
        A=sp.csc_array(np.array([[1.0, 1.0]])),
        b=np.array([2.0]),
        cones=(Cone.nonnegative(1),),
    )
    held = Held(whole, np.array([1]), np.zeros(1))
    answer = solve_conic(held.problem, Settings())
    assert held.point(answer.x) == pytest.approx([1.0, 0.0], abs=1e-6)
    assert held.value(answer.x) == pytest.approx(-1.0, abs=1e-6)
    assert answer.dual is not None
    assert held.prices(answer.x, answer.dual) == pytest.approx([-4.0], abs=1e-6)
