"""What an audit takes for a mechanism, and what it refuses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.cases import toy

import privopt as po
from privopt.assess import audit
from privopt.assess.releases import draw
from privopt.errors import InputError

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)


@pytest.mark.parametrize(
    ("mechanism", "says"),
    [
        (3.0, "mechanism is float"),
        (None, "mechanism is NoneType"),
        (po.Instrument, "the class Instrument"),
        (lambda d: np.zeros(2 + d), "same number of values"),
        (lambda d: math.nan, "not finite"),
        (lambda d: [0.0, math.inf], "not finite"),
        (lambda d: "a secret", "returned str"),
        (lambda d: None, "returned NoneType"),
        (lambda d: [], "returned list"),
        (lambda d: np.zeros((2, 2)), "returned ndarray"),
    ],
)
def test_bad_mechanisms_are_refused(mechanism: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        audit(mechanism, 0, 1, samples=100)
    assert says in caught.value.got
    assert "secret" not in str(caught.value)


def test_a_changing_length_is_refused() -> None:
    lengths = iter([2] * 50 + [3] * 1000)
    with pytest.raises(InputError, match="same number"):
        audit(lambda d: np.zeros(next(lengths)), 0, 1, samples=100)


def test_a_plan_is_of_one_d_only() -> None:
    plan = po.solve(toy(), po.Identity(["x"]), LAPLACE, po.Analytic(eta=0.05))
    with pytest.raises(InputError, match="lambda d"):
        audit(plan, 0, 1, samples=100)  # pyright: ignore[reportCallIssue]


def test_a_plan_and_a_number_are_each_drawn_as_often_as_asked() -> None:
    plan = po.solve(toy(), po.Identity(["x", "y"]), LAPLACE, po.Analytic(eta=0.05))
    made: list[float] = []

    def planned(d: float) -> po.Plan:
        made.append(d)
        return plan

    told: list[int] = []
    of_plan = draw(planned, 6.0, 1200, told.append)
    assert made == [6.0]  # a plan is made once
    assert of_plan.values.shape == (1200, 2)
    assert len(np.unique(of_plan.values, axis=0)) == 1200
    assert of_plan.names == ("x", "y")
    assert of_plan.claim == (plan.calibration.epsilon, 0.0)
    assert told == [500, 1000, 1200]
    numbers = draw(lambda d: d + len(made), 1.0, 3, told.append)
    assert numbers.values.tolist() == [[2.0]] * 3
    assert (numbers.names, numbers.claim) == (("y",), None)
