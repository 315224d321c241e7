"""Units, far limits and mixed sizes: the answer is the same, and what breaks is seen."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from tests.cases import convex, toy
from tests.reference.plain import random_program

import privopt as po

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)


@pytest.mark.parametrize("upper", [1e2, 1e5, 1e6, 1e12])
def test_limits_far_away_do_not_spoil_the_answer(upper: float) -> None:
    """min x + 2y + 3w + 0.1|z|^2 with sum 6 and no limit near: x = 5.5, y = 0.5, cost 9.55."""
    program = toy(upper=upper)
    optimum = program.solve()
    assert optimum.z == pytest.approx([5.5, 0.5, 0.0], abs=1e-6)
    assert optimum.cost == pytest.approx(9.55, rel=1e-8)
    wanted = po.solve(toy(upper=None), po.Identity(["x"]), LAPLACE, po.ExactBox(eta=0.05)).cost
    for feasibility in (po.ExactBox(eta=0.05), po.Analytic(eta=0.05)):
        found = po.solve(program, po.Identity(["x"]), LAPLACE, feasibility)
        assert found.cost == pytest.approx(wanted, rel=1e-6)


def mixed(M: float) -> po.ConvexProgram:
    """Two blocks, one of size M and one of size 1, whose small one carries the noise."""
    return po.ConvexProgram(
        linear=[1 / M, 2 / M, 1, 3], quadratic=[0.1 / M**2, 0.1 / M**2, 0.1, 0.1],
        G=[[1, 1, 0, 0], [0, 0, 1, 1]], d=[M, 1], lower=0, upper=[M, M, 0.8, 0.8],
    )  # fmt: skip


@pytest.mark.parametrize("M", [1e3, 1e6])
def test_blocks_of_very_different_size_do_not_disturb_each_other(M: float) -> None:
    query = po.Identity([2])
    wanted = po.solve(mixed(1.0), query, LAPLACE, po.Analytic(eta=0.1))
    found = po.solve(mixed(M), query, LAPLACE, po.Analytic(eta=0.1))
    assert found.cost == pytest.approx(wanted.cost, rel=1e-6)
    worst = found.verify(50_000).rows
    assert worst.interval[0].max() <= 0.1 <= worst.interval[1].max()
    broken = po.output_perturbation(mixed(M), query, LAPLACE).verify(2000)
    assert broken.violation.value == 1.0
    assert broken.worst()[1].value == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("unit", [1e3, 1e6])
def test_a_variable_with_bounds_only_may_have_units_of_its_own(unit: float) -> None:
    """min ... - unit w, 0 <= w <= 5/unit, beside the suppliers: w is at its limit."""
    program = po.ConvexProgram(
        linear=[1, 2, 3, -unit], G=[[1, 1, 1, 0]], d=[6.0], lower=0, upper=[4, 4, 4, 5 / unit]
    )
    assert program.solve().z[3] * unit == pytest.approx(5.0, rel=1e-6)
    plan = po.solve(program, po.Identity([0]), LAPLACE, po.ExactBox(eta=0.05))
    assert plan.cost == pytest.approx(3.2995733, rel=1e-6)


@pytest.mark.parametrize("small", [1e-2, 1e-5, 1e-8])
def test_nearly_dependent_equalities_and_query_still_hold_exactly(small: float) -> None:
    G, S = np.array([[1, 1, small]]), np.array([[1.0, 1.0, 0.0]])
    program = po.ConvexProgram(
        linear=np.ones(3), quadratic=np.ones(3), G=G, d=[1.0], lower=-1e9, upper=1e9
    )
    Z = np.asarray(po.solve(program, po.Linear(S), LAPLACE, po.Analytic(eta=0.05)).recourse)
    assert np.abs(S @ Z - 1).max() <= 1e-9
    assert np.abs(G @ Z).max() <= 1e-9


def test_a_query_that_needs_large_recourse_is_implementable() -> None:
    program = po.ConvexProgram(linear=[1, 1], quadratic=[1, 1], G=[[1, 1e7]], d=[1.0])
    plan = po.solve(program, po.Identity([1]), LAPLACE, po.Analytic(eta=0.1))
    assert np.asarray(plan.recourse).ravel() == pytest.approx([-1e7, 1.0])


def test_rows_that_are_an_equality_carry_no_noise() -> None:
    pair = {"A": [[1, 0, 0], [-2, 0, 0]], "b": [2, -4]}
    program = toy(**pair)
    assert program.equalities.names == ("d[0]", "A[0] and A[1]")
    assert not any(name.startswith("A") for name in program.rows.names)
    with pytest.raises(po.errors.NotImplementableError, match="A\\[0\\] and A\\[1\\]"):
        po.solve(program, po.Identity(["x"]), LAPLACE, po.ExactBox(eta=0.05))
    for feasibility in (po.Analytic(eta=0.05), po.Joint(eta=0.1, beta=0.1), po.ExactBox(eta=0.1)):
        plan = po.solve(program, po.Identity(["y"]), LAPLACE, feasibility, rng=0)
        assert plan.expected[0] == pytest.approx(2.0, abs=1e-9)


@pytest.mark.parametrize("gap", [1e-6, 1e-7])
def test_no_plan_is_returned_that_breaks_its_rows(gap: float) -> None:
    """Noise of 1e-5 does not fit between 2 and 2 + gap, however close that is to rounding."""
    program = toy(A=[[1, 0, 0], [-1, 0, 0]], b=[2 + gap, -2])
    for feasibility in (po.ExactBox(eta=0.05), po.Analytic(eta=0.05, margin="unimodal")):
        with pytest.raises((po.errors.InfeasibleError, po.errors.SolverError)):
            po.solve(program, po.Identity(["x"]), po.Laplace(epsilon=1.0, alpha=1e-5), feasibility)


def test_plans_survive_pickling() -> None:
    data = random_program(0)
    plan = po.solve(convex(data), po.Linear(data["S"]), LAPLACE, po.Analytic(eta=0.1))
    again: po.Plan = pickle.loads(pickle.dumps(plan))  # noqa: S301 -- our own
    assert again.cost == plan.cost
    assert len(again.release().values) == 2
    assert again.verify(1000).violation.value == plan.verify(1000).violation.value


@pytest.mark.parametrize("seed", [186, 193, 195, 240])
def test_a_variable_held_twice_by_opposite_rows_is_a_fixed_one(seed: int) -> None:
    """f u x <= f v and -g u x <= -g v, two pairs that round differently: x = v / u."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    u = 10.0 ** rng.uniform(-4, 4, n)
    z, G = rng.uniform(1, 2, n), np.round(rng.normal(size=(1, n)), 3)
    j, rows, b = int(rng.integers(n)), [], []
    for _ in range(2):
        f, g = rng.choice([1, 0.5, 0.7, 1 / 3, 3, 7, 0.1, 1.3], 2)
        row = u * (np.arange(n) == j)
        rows += [f * row, -g * row]
        b += [f * z[j], -g * z[j]]
    common = {"linear": rng.uniform(1, 3, n) * u, "G": G * u, "d": G @ z}
    held = po.ConvexProgram(**common, A=np.array(rows), b=b, lower=0, upper=5 / u)
    own = np.arange(n) == j
    fixed = po.ConvexProgram(
        **common, lower=np.where(own, z / u, 0), upper=np.where(own, z / u, 5 / u)
    )
    assert not any(name.startswith("A") for name in held.rows.names)
    query = po.Identity([0 if j else 1])
    noise = po.Laplace(epsilon=1.0, alpha=0.01 / u[0 if j else 1])
    found, known = (
        po.solve(program, query, noise, po.ExactBox(eta=0.1)).cost for program in (held, fixed)
    )
    assert found == pytest.approx(known, rel=1e-6)
