"""The nearest feasible data are feasible, nearest, and the given ones if those are feasible."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import toy

import privopt as po
from privopt.mechanisms.restore import nearest_feasible


def test_feasible_data_stay() -> None:
    assert nearest_feasible(toy(), np.array([5.0])) == pytest.approx([5.0], abs=1e-6)


def test_infeasible_data_move_to_the_edge() -> None:
    assert nearest_feasible(toy(), np.array([15.0])) == pytest.approx([12.0], abs=1e-6)
    assert nearest_feasible(toy(), np.array([-3.0])) == pytest.approx([0.0], abs=1e-6)


def test_it_is_the_euclidean_projection_and_public_entries_stay() -> None:
    program = po.ConvexProgram(
        linear=np.zeros(3), G=np.eye(3), d=np.zeros(3), A=[[1, 1, 0]], b=[1], private=[0, 1]
    )
    moved = nearest_feasible(program, np.array([1.0, 1.0, 7.0]))
    assert moved == pytest.approx([0.5, 0.5, 7.0], abs=1e-6)
