"""Baselines: output perturbation breaks constraints, input perturbation answers another problem."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import convex, toy
from tests.reference.plain import random_program

import privopt as po
from privopt.mechanisms.baselines import nearest_feasible

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)


def test_output_perturbation_is_centred_on_the_optimum() -> None:
    """Mean of 2000 secure releases within five standard errors: false alarm 6e-7."""
    op = po.output_perturbation(toy(), po.Identity(["y"]), LAPLACE)
    values = np.array([op.release().values[0] for _ in range(2000)])
    error = op.calibration.deviation / np.sqrt(len(values))
    assert abs(values.mean() - op.optimum.z[1]) <= 5 * error
    assert op.release().epsilon <= 1.0
    assert op.guarantee.feasibility.scope is po.Scope.NONE


def test_output_perturbation_at_a_bound_is_infeasible_half_the_time() -> None:
    """x = 4 is at its bound: noise above it cannot be completed."""
    op = po.output_perturbation(toy(), po.Identity(["x"]), LAPLACE)
    low, high = op.verify(20_000).completion.interval
    assert low <= 0.5 <= high


def test_plans_break_far_less_than_output_perturbation() -> None:
    data = random_program(2, n=10, equalities=3, rows=12, p=3)
    program, query = convex(data), po.Linear(data["S"])
    op = po.output_perturbation(program, query, LAPLACE).verify(5000).completion
    plan = po.solve(program, query, LAPLACE, po.ExactBox(eta=0.05)).verify(5000).completion
    assert plan.value < 0.05 < op.value


def test_input_perturbation_is_proven_and_needs_no_sensitivity() -> None:
    ip = po.input_perturbation(toy(), po.Identity(["x"]), LAPLACE, domain=po.Box(0.0, 12.0))
    assert ip.guarantee.privacy.provenance is po.Provenance.PROVEN
    assert 0.1 < ip.calibration.sensitivity < 0.1 + 1e-14
    assert ip.release().epsilon <= 1.0
    assert ip.verify(100).violation.value == 1.0  # G z = d fails: another problem was solved


def test_input_perturbation_answers_even_where_the_noisy_data_are_infeasible() -> None:
    """Demand 11.9 of 12 with large noise: about half of the noisy demands exceed the supply."""
    noise = po.Laplace(epsilon=1.0, alpha=1.0)
    ip = po.input_perturbation(toy(11.9), po.Identity(["x"]), noise)
    for _ in range(20):
        value = ip.release().values[0]
        assert -1e-6 <= value <= 4 + 1e-6


def test_only_private_entries_get_noise() -> None:
    program = po.ConvexProgram(
        linear=[1, 2, 3, 4], quadratic=np.ones(4), G=[[1, 1, 0, 0], [0, 0, 1, 1]], d=[1, 2],
        lower=-9, upper=9, private=[0],
    )  # fmt: skip
    ip = po.input_perturbation(program, po.Linear([[0, 0, 1, 1]]), LAPLACE)
    assert ip.calibration.size == 1
    assert ip.release().values[0] == pytest.approx(2.0, abs=1e-6)


def test_noise_is_added_to_clamped_data() -> None:
    """A demand of 40 in a domain that ends at 5: the noise is drawn around 5."""
    program = po.ConvexProgram(quadratic=[1.0, 1.0], G=[[1, 1]], d=[40.0])
    noise = po.Laplace(epsilon=1000.0, alpha=0.1)
    made = po.input_perturbation(program, po.Identity([0]), noise, domain=po.Box(0.0, 5.0))
    assert made.centre.tolist() == [5.0]
    assert made.release().values[0] == pytest.approx(2.5, abs=0.1)


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
