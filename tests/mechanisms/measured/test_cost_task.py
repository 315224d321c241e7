"""The parts of a cost query: optima, a rule that keeps every limit, finer polygons that save."""

from __future__ import annotations

import numpy as np
import pytest
from tests.mechanisms.measured import cases
from tests.mechanisms.measured.cost_cases import Plain
from tests.model.curved import both
from tests.solving.robust.cost_parts import parts

import privopt as po
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.certificate import Certificate
from privopt.mechanisms.measured.cost_task import CostTask
from privopt.solving.problem import Outcome
from privopt.solving.solver import Settings


def test_costs_are_those_of_the_plain_model() -> None:
    one = parts(2)
    u = np.random.default_rng(0).uniform(
        one.region.middle - one.region.half, one.region.middle + one.region.half,
        (8, len(one.region.half)),
    )  # fmt: skip
    found = one.task.costs(one.task.optima(u))
    wanted = Plain.of(one.program).values(one.program, u)
    np.testing.assert_allclose(found, wanted, atol=1e-6)


@pytest.mark.parametrize("seed", [1, 4])
def test_the_rule_keeps_every_row_and_equality(seed: int) -> None:
    one = parts(seed)
    checked = one.rule.check(one.limits, one.task.S, np.zeros(0))
    assert checked.excess <= 0
    assert checked.off <= 1e-12


def test_variables_that_only_price_follow_the_data_too() -> None:
    """Heights of epigraphs are limits here; finer polygons make the rule cheaper, not dearer."""
    one = both(2, ("norm",), n=4, k=2)
    d = one.program.d
    instrument = po.Instrument(
        [[1.0, 1.0]], program=one.program, privacy=po.Laplace(epsilon=1.0, alpha=0.02),
        domain=po.Box(d - 0.1, d + 0.1),
    )  # fmt: skip
    belief = Belief.of(cases.measured(instrument, d, np.random.default_rng(0)), one.program)
    region = belief.region(po.ExactBox(eta=0.1))
    task = CostTask(one.program, belief, Settings().started())
    assert task.certifying.limits.pricing.nothing
    before = len(task.certifying.limits.owner)
    rule = task.rule(region, task.optima(region.middle[None]))
    assert isinstance(rule, Certificate)
    assert sum(len(N) for N in rule.polygons) > 0
    assert len(task.certifying.limits.owner) >= before
    z = rule.solutions(region.middle[None])[0]
    height = one.program.cost(z)
    assert height >= one.optimum(region.middle) - 1e-7


def test_a_program_without_a_rule() -> None:
    """Supply of one at most, demand of two."""
    program = po.ConvexProgram(linear=[1.0], G=[[1.0]], lower=0.0, upper=1.0)
    instrument = po.Instrument(
        np.zeros((0, 1)), program=program, privacy=po.Laplace(epsilon=1.0, alpha=0.1),
        domain=po.Box(0.5, 2.0),
    )  # fmt: skip
    belief = Belief.of(instrument.measure([0.7]), program)
    task = CostTask(program, belief, Settings().started())
    region = belief.region(po.ExactBox(eta=0.1))
    z = task.optima(np.array([[0.7], [1.8]]))
    assert np.isfinite(z[0]).all()
    assert not np.isfinite(z[1]).any()
    assert task.rule(region, z) is Outcome.INFEASIBLE
