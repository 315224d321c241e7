"""Units must not matter to a design: watts or gigawatts, the same policy."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po


def made(data: float = 1.0, variable: float = 1.0, **more: float) -> po.Policy:
    """Three supplies meet one demand of 1 to 3; the first, released, in units of its own."""
    program = po.ConvexProgram(
        linear=[variable * data, 2 * data, 3 * data], quadratic=[variable**2, 1.0, 1.0],
        G=[[variable, 1.0, 1.0]], lower=0.0, upper=np.array([4 / variable, 4.0, 4.0]) * data,
    )  # fmt: skip
    return po.design(
        program, po.Identity([0]), po.Laplace(epsilon=1.0, alpha=0.1 * data),
        po.Analytic(eta=0.05, margin="unimodal"), domain=po.Box(1 * data, 3 * data), **more,
    )  # fmt: skip


@pytest.mark.parametrize("unit", [1e-6, 1e-4, 1e-2, 1e4])
def test_units_of_the_data(unit: float) -> None:
    known, found = made(floor=0.3), made(unit, floor=0.3)
    assert found.cost / unit**2 == pytest.approx(known.cost, rel=1e-6)
    assert found.sensitivity == pytest.approx(known.sensitivity, rel=1e-3)


@pytest.mark.parametrize("unit", [1e-3, 1e3, 1e6, 1e8])
def test_units_of_a_released_variable(unit: float) -> None:
    """s is 0.37 / unit: a small number is not a policy without noise."""
    known, found = made(fidelity=100.0), made(variable=unit, fidelity=100.0 * unit**2)
    assert found.cost == pytest.approx(known.cost, rel=1e-6)
    assert found.distance * unit == pytest.approx(known.distance, rel=1e-3)
