"""Scaled data describe the same program, with numbers around one; units do not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import privopt as po
from privopt.conic.scaling import Scaling
from tests.cases import convex
from tests.reference.plain import Program, random_program

steady = settings(deadline=None, max_examples=20, derandomize=True)


def in_units(data: Program, seed: int, spread: float) -> tuple[Program, Any]:
    """The same program with z = U x, rows and equalities in other units; U is returned too."""
    rng = np.random.default_rng(seed)
    U, r, g = (
        10.0 ** rng.uniform(-spread, spread, size=size)
        for size in (data["A"].shape[1], len(data["b"]), len(data["d"]))
    )
    return Program(
        c1=U * data["c1"],
        C2=U[:, None] * data["C2"] * U,
        A=r[:, None] * data["A"] * U,
        b=r * data["b"],
        G=g[:, None] * data["G"] * U,
        d=g * data["d"],
        S=data["S"],
    ), U


@steady
@given(seed=st.integers(0, 1000), spread=st.sampled_from([0.0, 2.0, 5.0]))
def test_the_scaled_program_is_the_same_program(seed: int, spread: float) -> None:
    data, _ = in_units(random_program(seed % 7), seed, spread)
    program = convex(data)
    target = program.right_hand_side()
    scaling = Scaling.of(program, target, noise=0.1)
    y = np.random.default_rng(seed).normal(size=program.n)
    z = scaling.variables(y)
    A, G = program.rows.matrix, program.equalities.matrix
    above = (A @ z - program.rows.bound) * scaling.row_factors / scaling.rho
    assert scaling.rows(A) @ y - scaling.bounds(program.rows.bound) == pytest.approx(above)
    off = (G @ z - target) * scaling.equality_factors / scaling.rho
    assert scaling.equalities(G) @ y - scaling.targets(target) == pytest.approx(off)
    cost = scaling.linear(program.linear) @ y + y @ (scaling.quadratic(program.quadratic) @ y)
    assert cost == pytest.approx(scaling.kappa * program.cost(z), rel=1e-9)
    L = sp.csr_array(np.random.default_rng(1).normal(size=(2, program.n)))
    assert scaling.cost_map(L) @ y == pytest.approx(scaling.kappa * (L @ z))
    columns = scaling.variables(np.column_stack([y, 2 * y]))
    assert columns == pytest.approx(np.column_stack([z, 2 * z]))


@steady
@given(seed=st.integers(0, 1000), spread=st.sampled_from([0.0, 2.0, 5.0]))
def test_the_solver_sees_numbers_around_one(seed: int, spread: float) -> None:
    data, _ = in_units(random_program(seed % 7), seed, spread)
    program = convex(data)
    target = program.right_hand_side()
    scaling = Scaling.of(program, target, noise=0.1)
    stacked = sp.vstack(
        [scaling.rows(program.rows.matrix), scaling.equalities(program.equalities.matrix)]
    )
    size = np.abs(stacked.toarray())
    for axis in (0, 1):
        assert size.max(axis=axis).min() >= 0.5
        assert size.max(axis=axis).max() <= 2.0
    assert np.abs(scaling.targets(target)).max() <= 1 + 1e-12
    cost = np.abs(scaling.linear(program.linear)).max()
    cost = max(cost, np.abs(scaling.quadratic(program.quadratic).toarray()).max())
    assert cost == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("spread", [2.0, 4.0])
def test_the_optimum_does_not_depend_on_the_units(seed: int, spread: float) -> None:
    data = random_program(seed)
    other, U = in_units(data, seed, spread)
    plain, scaled = convex(data).solve(), convex(other).solve()
    assert scaled.cost == pytest.approx(plain.cost, rel=1e-6, abs=1e-7)
    assert U * scaled.z == pytest.approx(plain.z, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("unit", [1e-9, 1e-3, 1e3, 1e9])
def test_watts_or_gigawatts(unit: float) -> None:
    """Data and bounds in another unit: the solution in that unit, the cost per unit the same."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], G=[[1.0, 1.0, 1.0]], d=[6.0 * unit], lower=0.0, upper=4.0 * unit
    )
    found = program.solve()
    assert found.z == pytest.approx(unit * np.array([4.0, 2.0, 0.0]), rel=1e-6, abs=1e-6 * unit)
    assert found.cost == pytest.approx(8.0 * unit, rel=1e-7)


def test_sizes_are_in_the_users_units() -> None:
    """A row of size s is one whose scaled right-hand side is |b| <= s rho, at least rho."""
    data, _ = in_units(random_program(0), 0, 3.0)
    program = convex(data)
    scaling = Scaling.of(program, program.right_hand_side(), noise=0.1)
    sizes = scaling.row_sizes(program.rows.bound)
    assert (sizes >= np.abs(program.rows.bound)).all()
    shift = 1e-3 * sizes
    moved = scaling.bounds(program.rows.bound + shift) - scaling.bounds(program.rows.bound)
    assert moved == pytest.approx(1e-3 * (1 + np.abs(scaling.bounds(program.rows.bound))))
    equal = scaling.equality_sizes(program.right_hand_side())
    assert (equal >= np.abs(program.right_hand_side())).all()


def test_a_program_without_sizes_still_scales() -> None:
    """No cost, no rows, zero right-hand side."""
    program = po.ConvexProgram(G=[[1.0, -1.0]], d=[0.0])
    scaling = Scaling.of(program, np.zeros(1), noise=0.0)
    for value in (scaling.rho, scaling.kappa, *scaling.columns):
        assert np.isfinite(value)
        assert value > 0
