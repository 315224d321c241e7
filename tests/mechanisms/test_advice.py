"""An infeasible design says which epsilon, alpha, floor or domain would do; what it names does."""

from __future__ import annotations

import itertools
import re
import time
from typing import Any

import pytest

import privopt as po
from privopt.errors import Clause
from privopt.mechanisms.advice import no_policy
from privopt.mechanisms.designing import prepared
from privopt.mechanisms.question import Question
from privopt.solving.problem import Outcome

NUMBER = r"([0-9.]+(?:e[+-][0-9]+)?)"
UNIMODAL = po.Analytic(eta=0.05, margin="unimodal")
BOX = po.ExactBox(eta=0.05)
SUPPLY = po.ConvexProgram(
    linear=[1.0, 2.0, 3.0], quadratic=[0.1] * 3, G=[[1, 1, 1]], lower=0, upper=4,
    names=["coal", "gas", "hydro"],
)  # fmt: skip
QUERY = po.Identity(["coal", "gas"])
RANGE = po.Box(5.0, 7.0)
CONSTANT = "(a constant: it tells nothing about d)"


pytestmark = pytest.mark.usefixtures("few_draws")


def refused(*parts: Any, **asked: Any) -> po.errors.InfeasibleError:
    with pytest.raises(po.errors.InfeasibleError) as caught:
        po.design(*parts, **asked)
    return caught.value


def named(text: str, pattern: str) -> float:
    found = re.search(pattern, text)
    assert found is not None, text
    return float(found.group(1).rstrip("."))


@pytest.mark.parametrize("epsilon", [1e-3, pytest.param(0.05, marks=pytest.mark.slow)])
def test_epsilon_alpha_and_floor_as_printed_do_and_hardly_less_would(epsilon: float) -> None:
    noise = po.Laplace(epsilon=epsilon, alpha=0.1)
    text = refused(SUPPLY, QUERY, noise, BOX, domain=RANGE, floor=1.0).needed
    would, _, _ = text.partition(" Not enough")
    values = {name: named(would, f"{name}={NUMBER}") for name in ("epsilon", "alpha", "floor")}

    def asked(**changed: float) -> po.Policy:
        noise = po.Laplace(epsilon=changed.get("epsilon", epsilon), alpha=changed.get("alpha", 0.1))
        floor = changed.get("floor", 1.0)
        return po.design(SUPPLY, QUERY, noise, BOX, domain=RANGE, floor=floor)

    for name, value in values.items():
        assert asked(**{name: value}).calibration is not None
        harder = value / 1.15 if name == "epsilon" else 1.15 * value
        with pytest.raises(po.errors.InfeasibleError):
            asked(**{name: harder})
    assert CONSTANT not in text


def test_gaussian_noise_too() -> None:
    noise = po.Gaussian(epsilon=0.05, delta=1e-5, alpha=0.1)
    error = refused(SUPPLY, QUERY, noise, UNIMODAL, domain=RANGE, floor=1.0)
    text, take = error.needed, error.remedies[0]
    epsilon, alpha = named(text, f"epsilon={NUMBER}"), named(text, f"alpha={NUMBER}")
    assert isinstance(take, Clause)
    assert dict(take.values).items() >= {"epsilon": epsilon, "alpha": alpha}.items()
    for one in (
        po.Gaussian(epsilon=epsilon, delta=1e-5, alpha=0.1),
        po.Gaussian(epsilon=0.05, delta=1e-5, alpha=alpha),
    ):
        po.design(SUPPLY, QUERY, one, UNIMODAL, domain=RANGE, floor=1.0)


def test_a_floor_of_zero_that_is_a_constant_is_called_one() -> None:
    """At d = 0 nothing is supplied: no noise fits, whatever epsilon is."""
    noise, domain = po.Laplace(epsilon=1.0, alpha=0.1), po.Box(0.0, 2.0)
    text = refused(SUPPLY, QUERY, noise, BOX, domain=domain, floor=1.0).needed
    assert f"would do (tried): floor=0 {CONSTANT}." in text
    assert "Not enough alone (tried): epsilon=100; alpha=1e-07" in text
    policy = po.design(SUPPLY, QUERY, noise, BOX, domain=domain, floor=0.0)
    assert policy.calibration is None


def test_the_domain_it_names_does() -> None:
    one = po.experiments.instance("5_pjm", 1)
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    text = refused(one.program, one.query, noise, UNIMODAL, domain=po.Box(0.0, 2.8)).needed
    share = named(text, f"a domain {NUMBER} times as wide")
    assert 0 < share < 1
    narrow = po.Box(1.4 - 1.4 * share, 1.4 + 1.4 * share)
    po.design(one.program, one.query, noise, UNIMODAL, domain=narrow)


def test_a_domain_that_no_solution_serves_is_the_only_thing_to_change() -> None:
    error = refused(
        SUPPLY, QUERY, po.Laplace(epsilon=1.0, alpha=0.1), BOX, domain=po.Box(5.0, 13.0)
    )
    assert "no feasible point at some d of the domain" in error.got
    assert "epsilon" not in error.needed
    share = named(error.needed, f"a domain {NUMBER} times as wide")
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    po.design(SUPPLY, QUERY, noise, BOX, domain=po.Box(9 - 4 * share, 9 + 4 * share))


def test_where_nothing_would_do_it_says_so() -> None:
    one = po.experiments.instance("5_pjm", 1)
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    error = refused(one.program, one.query, noise, UNIMODAL, domain=po.Box(90.0, 100.0))
    assert "no feasible point at the middle of the domain" in error.got


def test_a_busy_machine_changes_no_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a time limit, computing is limited, and not the time that others take."""
    asked = SUPPLY, QUERY, po.Laplace(epsilon=1e-3, alpha=0.1), BOX
    before = refused(*asked, domain=RANGE, floor=1.0).needed
    hours = itertools.count(0.0, 3600.0)
    monkeypatch.setattr(time, "monotonic", lambda: next(hours))
    assert refused(*asked, domain=RANGE, floor=1.0).needed == before
    assert "tried" in before


def test_what_there_was_no_time_for_is_named() -> None:
    noise = po.Laplace(epsilon=1e-3, alpha=0.1)
    task = prepared(Question(SUPPLY, QUERY, noise, BOX), RANGE)
    assert task.solution(0.0, 1.0) is Outcome.INFEASIBLE
    late = task.under(noise, po.Settings(time_limit=1.0).started(itertools.count().__next__))
    needed = no_policy(late, 1.0, 0.1).needed
    assert "tried" not in needed
    assert "time_limit=...) may allow more): epsilon, alpha, floor, the domain." in needed
