"""Scaled data describe the same program, with numbers around one; units do not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import convex
from tests.reference.plain import Program, random_program

import privopt as po
from privopt.solving.equilibration import column_sizes
from privopt.solving.scaling import Scaling

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


def proportional(found: Any, wanted: Any) -> Any:
    """Row by row, found = factor * wanted with one positive factor, which is returned."""
    factor = np.linalg.norm(found, axis=1) / np.linalg.norm(wanted, axis=1)
    assert (factor > 0).all()
    assert found / factor[:, None] == pytest.approx(
        wanted, rel=1e-9, abs=1e-9 * np.abs(wanted).max()
    )
    return factor


@steady
@given(seed=st.integers(0, 1000), spread=st.sampled_from([0.0, 2.0, 5.0]))
def test_the_scaled_program_is_the_same_program(seed: int, spread: float) -> None:
    """At any points, rows, equalities and cost are those of the program, up to a factor each."""
    data, _ = in_units(random_program(seed % 7), seed, spread)
    program = convex(data)
    target = program.right_hand_side()
    scaling = Scaling.of(program, target, noise=0.1)
    y = np.random.default_rng(seed).normal(size=(program.n, 5))
    z = scaling.variables(y)
    assert z[:, 0] == pytest.approx(scaling.variables(y[:, 0]))
    for matrix, right, scaled, scaled_right in (
        (program.rows.matrix, program.rows.bound, scaling.rows, scaling.bounds),
        (program.equalities.matrix, target, scaling.equalities, scaling.targets),
    ):
        proportional(scaled(matrix) @ y - scaled_right(right)[:, None], matrix @ z - right[:, None])
    c1, C2 = scaling.linear(program.linear), scaling.quadratic(program.quadratic)
    L = sp.csr_array(np.random.default_rng(1).normal(size=(2, program.n)))
    costs = np.array([[c1 @ point + point @ (C2 @ point) for point in y.T]])
    factor = proportional(costs, np.array([[program.cost(point) for point in z.T]]))
    assert proportional(scaling.cost_map(L) @ y, L @ z) == pytest.approx(factor[0])


@steady
@given(seed=st.integers(0, 1000), spread=st.sampled_from([0.0, 2.0, 5.0]))
def test_the_solver_sees_numbers_around_one(seed: int, spread: float) -> None:
    data, _ = in_units(random_program(seed % 7), seed, spread)
    program = convex(data)
    target = program.right_hand_side()
    scaling = Scaling.of(program, target, noise=0.1)
    stacked: Any = sp.vstack(
        [scaling.rows(program.rows.matrix), scaling.equalities(program.equalities.matrix)]
    )
    size = np.abs(stacked.toarray())
    for axis in (0, 1):
        assert size.max(axis=axis).min() >= 0.3
        assert size.max(axis=axis).max() <= 3.0
    assert np.abs(scaling.targets(target)).max() <= 3.0
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


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9, 1e12])
def test_limits_far_away_do_not_spoil_the_answer(far: float) -> None:
    """z_i = lambda - c_i where no limit binds: 3.25 + 2.25 + 0.5 = 6."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0],
        quadratic=[0.5, 0.5, 0.5],
        G=[[1.0, 1.0, 1.0]],
        d=[6.0],
        lower=-far,
        upper=[far, far, 0.5],
    )
    assert program.solve().z == pytest.approx([3.25, 2.25, 0.5], rel=1e-6)


def test_a_program_without_sizes_still_scales() -> None:
    """No cost, no rows, zero right-hand side."""
    program = po.ConvexProgram(G=[[1.0, -1.0]], d=[0.0])
    scaling = Scaling.of(program, np.zeros(1), noise=0.0)
    z = scaling.variables(np.ones(2))
    assert np.isfinite(z).all()
    assert (z > 0).all()
    assert scaling.linear(program.linear).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("seed", range(5))
def test_sizes_of_sparse_columns_follow_units(seed: int) -> None:
    """A row of two tiny entries must not set the sizes of variables that are large elsewhere."""
    rng = np.random.default_rng(seed)
    A = np.where(rng.random((12, 10)) < 0.3, rng.choice([-1.0, 1.0], (12, 10)), 0.0)
    A[np.arange(10), np.arange(10)] = 1.0
    U, r = 10.0 ** rng.uniform(-8, 8, 10), 10.0 ** rng.uniform(-8, 8, 12)
    found = column_sizes(sp.csr_array(r[:, None] * A * U))
    same = U * found / column_sizes(sp.csr_array(A))
    assert same.max() < 1.5 * same.min()
