"""The factor that leads to itself, on maps whose slopes are known."""

from __future__ import annotations

import numpy as np
import pytest
from tests.assess.flows import ROWS
from tests.assess.programs import shares

import privopt as po
from privopt.assess.factor import FactorSearch
from privopt.errors import InfeasibleError, NotCertifiedError
from privopt.mechanisms.private_data import PrivateData
from privopt.mechanisms.question import Question


def search(query: int, limit: int = 100, epsilon: float = 50.0) -> FactorSearch:
    """Of x + y = d with 1 <= x <= 2, d from 0 to 6: x or y is released."""
    program, noise = shares(1), po.Laplace(epsilon=epsilon, alpha=0.1)
    question = Question(program, po.Identity([query]), noise, po.ExactBox(eta=0.1), rng=0)
    data = PrivateData.of(program, np.zeros(1), np.full(1, 6.0), None, None)
    return FactorSearch(question.started(), data, limit)


@pytest.mark.parametrize(("query", "slope"), [(0, 0.5), (1, 1.0)])
def test_the_factor_is_the_steepest_slope_and_its_noise_asks_for_no_more(
    query: int, slope: float
) -> None:
    found = search(query).found()
    assert slope <= found.factor <= slope * (1 + 1e-4)
    assert found.plan.calibration.sensitivity == pytest.approx(found.factor * 0.1)
    assert found.regions.end == "complete"
    assert len(found.regions.pieces) == 3
    steepest = max(piece.slopes.max() for piece in found.regions.pieces) / 3  # d is 3 + 3 v
    assert steepest <= found.factor


def test_margins_are_those_of_the_noise_and_a_little_more() -> None:
    found = search(1).found()
    plan = found.plan
    spread = plan.calibration.scale * plan.recourse.under(plan.program.rows.matrix)
    needed = plan.margins.value(spread, float(np.sqrt(plan.calibration.law.variance)))
    more = found.margins - needed
    assert (more >= found.room).all()
    assert (more <= 4.001 * found.room).all()
    assert len(set(more.tolist())) == len(more)  # no two rows coincide


def test_rows_that_give_way_less_are_taken_where_they_keep_more() -> None:
    looked = search(1)
    soft = looked.found()
    hard = looked.hardened(soft)
    assert hard.regions.whole >= soft.regions.whole
    assert hard.factor == pytest.approx(soft.factor, rel=1e-3)


def test_a_limit_says_what_was_seen_and_that_it_is_no_bound() -> None:
    noise = po.Laplace(epsilon=50.0, alpha=0.1)
    parts = shares(3), po.Identity([1, 3, 5]), noise, ROWS
    with pytest.raises(NotCertifiedError, match="NOT a bound") as caught:
        po.assess.certify(*parts, domain=po.Box(0.0, 6.0), limit=4)
    assert caught.value.regions == 4
    assert 0.5 <= caught.value.factor <= 1.1
    assert po.assess.certify(*parts, domain=po.Box(0.0, 6.0)).regions == 27


def test_noise_that_leaves_no_plan_is_told() -> None:
    with pytest.raises(InfeasibleError, match="leaves no plan") as caught:
        po.assess.certify(
            po.ConvexProgram(quadratic=[1.0, 1.0], G=[[1.0, 1.0]], lower=0.0, upper=1.0),
            po.Identity([0]),
            po.Laplace(epsilon=0.1, alpha=0.1),
            ROWS,
            domain=po.Box(0.5, 1.5),
        )
    assert caught.value.diagnose().rows
