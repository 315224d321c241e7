"""One program, many measurements: what is prepared once."""

from __future__ import annotations

import json
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from tests.mechanisms.measured import cases

import privopt as po
from privopt.mechanisms.measured.task import DecisionTask, without_private
from privopt.solving.robust.region import Region
from privopt.solving.solver import Settings


def task(program: po.ConvexProgram, query: Any, domain: Any) -> DecisionTask:
    ends = domain.ends(len(program.private))
    where = Region.of(*ends, *domain.slabs(program.private_names))
    return DecisionTask(program, query, where, ends, Settings())


def test_private_entries_are_taken_out_and_public_ones_stay() -> None:
    one = cases.case(0).program  # entry 2 is public
    found = without_private(one)
    assert found.d[one.private].tolist() == [0.0] * len(one.private)
    assert found.d[2] == one.d[2]
    assert not without_private(cases.case(1).program).has_data


def test_a_cvxpy_problem_with_values_is_decided_as_one_without() -> None:
    x: Any = cp.Variable(3, name="x", nonneg=True)
    oven: Any = cp.Parameter(name="oven")
    problem = cp.Problem(cp.Minimize(cp.sum_squares(x) - 3 * cp.sum(x)), [cp.sum(x) <= oven])
    found: list[str] = []
    for value in (None, 2.2, 2.9):
        oven.value = value
        one = po.from_cvxpy(problem, private=oven)
        instrument = po.Instrument(
            np.ones((0, 1)), program=one, privacy=po.Laplace(epsilon=1.0, alpha=0.1),
            domain=po.Box(2.0, 3.0),
        )  # fmt: skip
        decision = po.decide(one, po.Identity(x[:2]), instrument.measure([2.5]), po.Always())
        assert decision.names == ("x[0]", "x[1]")
        found.append(json.dumps(decision.to_dict()))
    assert found[0] == found[1] == found[2]


def test_slopes_are_differences_of_answers() -> None:
    one = po.experiments.instance("5_pjm", 0)
    found = task(one.program, one.query, one.domain)
    u = found.data.mean
    J, _ = found.slopes(u)
    step = 1e-4
    for j in range(3):
        moved = [found.outlook(np.zeros(len(J)), (u + s * np.eye(len(u))[j])[None]).answers[0]
                 for s in (step, -step)]  # fmt: skip
        np.testing.assert_allclose(J[:, j], (moved[0] - moved[1]) / (2 * step), atol=1e-3)


def test_where_rows_fix_a_value_nothing_curves() -> None:
    # a + b + c = d with a and b at their limits: c = d - 2, whatever the cost.
    one = po.ConvexProgram(
        linear=[1.0, 1, 5], quadratic=[0.1] * 3, G=[[1.0, 1, 1]], lower=0.0, upper=[1.0, 1, 9]
    )
    found = task(one, po.Identity([2]), po.Box(3.0, 5.0))
    J, curved = found.slopes(np.array([4.0]))
    np.testing.assert_allclose(J, [[1.0]], atol=1e-9)
    assert not curved.any()
    fixed = task(one, po.Identity([0]), po.Box(3.0, 5.0))
    assert not fixed.slopes(np.array([4.0]))[0].any()  # exactly: rounding would be weighed


def test_the_prior_of_a_domain_with_rows_is_uniform_on_it() -> None:
    one = po.ConvexProgram(
        linear=[1.0, 2, 1], quadratic=[1.0, 1, 1], G=[[1.0, 1, 0], [0, 1, 1]], lower=0.0, upper=1.0
    )
    domain = po.Domain(0.0, 9.0, rows=([[1.0, 1.0]], 0.5, 1.5))
    found = task(one, po.Identity([0]), domain)
    assert (found.data.mean < 0.8).all()
    assert np.isfinite(found.scale)
    drawn = found.data.mean + found.answers.drawn
    assert (drawn.sum(axis=1) <= 1.5 + 1e-9).all()
    thin = task(one, po.Identity([0]), po.Domain(0.0, 9.0, rows=(np.eye(2), 0.4, 0.6)))
    np.testing.assert_allclose(thin.data.mean, 0.5, atol=0.05)


def test_without_a_value_it_is_the_task_of_the_other_values() -> None:
    one = cases.case(1)
    whole = task(one.program, po.Identity([0, 1, 2]), one.domain)
    draws = whole.data.mean + 0.1 * whole.answers.drawn[:6]
    assert whole.decided(whole.everywhere, draws, 1.0)  # everything that is kept is there
    less, fresh = whole.without(1), task(one.program, po.Identity([0, 2]), one.domain)
    assert less.names == fresh.names == (whole.names[0], whole.names[2])
    np.testing.assert_array_equal(less.S.toarray(), fresh.S.toarray())
    np.testing.assert_array_equal(less.answers.values, fresh.answers.values)
    none = np.zeros((0, draws.shape[1])), np.zeros(0), np.zeros(0)
    region = Region.of(draws[0] - 0.01, draws[0] + 0.01, *none)
    made, same = (found.decided(region, draws[:1], 0.0) for found in (less, fresh))
    assert isinstance(made, tuple)
    assert isinstance(same, tuple)
    np.testing.assert_allclose(made[0], same[0], atol=1e-5)
    assert len(whole.names) == 3


def test_errors_without_an_answer_are_unknown() -> None:
    one = cases.case(1)
    found = task(one.program, one.query, one.domain)
    far = np.full((2, len(one.program.private)), 1e6)
    outlook = found.outlook(np.zeros(len(found.names)), far)
    assert np.isnan(outlook.errors(np.zeros(len(found.names)))).all()


def test_a_program_without_a_feasible_point_says_so() -> None:
    one = po.ConvexProgram(linear=[1.0, 1], quadratic=[1.0, 1], G=[[1.0, 1]], lower=0.0, upper=1.0)
    with pytest.raises(po.errors.InfeasibleError):
        _ = task(one, po.Identity([0]), po.Box(5.0, 6.0)).scale
