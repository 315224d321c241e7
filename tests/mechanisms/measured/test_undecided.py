"""No decision at this y: what is named was tried, does, and hardly less would."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.measured.cases import measured
from tests.mechanisms.measured.test_deciding import BOX, moved, of, program

import privopt as po
from privopt.errors import Clause, NoDecisionError
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.task import DecisionTask
from privopt.mechanisms.measured.undecided import no_decision

TIGHT = program(upper=[1.5, 1.1, 0.9, 0.9])
QUERY = po.Identity([0, 2])
EACH = np.eye(2)


def refused(one: po.ConvexProgram, given: Any, limits: Any = BOX) -> NoDecisionError:
    with pytest.raises(NoDecisionError) as caught:
        po.decide(one, QUERY, given, limits)
    return caught.value


def decided(given: Any, query: Any = QUERY, limits: Any = BOX) -> bool:
    """Whether there is a decision; nothing is looked for where there is none."""
    p = query.matrix(TIGHT).shape[0]
    return po.decide(TIGHT, query, given, limits, fallback=np.ones(p)).certificate is not None


@pytest.fixture(scope="module")
def error() -> NoDecisionError:
    return refused(TIGHT, of(TIGHT, EACH))


@pytest.mark.long
def test_the_eta_that_is_named_does_and_hardly_less_would(error: NoDecisionError) -> None:
    assert error.eta is not None
    given = of(TIGHT, EACH)
    assert decided(given, limits=po.ExactBox(eta=error.eta))
    assert not decided(given, limits=po.ExactBox(eta=error.eta / 1.2))


def test_the_epsilon_that_is_named_does_at_the_same_y(error: NoDecisionError) -> None:
    assert error.epsilon is not None
    given = of(TIGHT, EACH)

    def known(epsilon: float) -> po.Measurement:
        other = of(TIGHT, EACH, privacy=po.Laplace(epsilon=epsilon, alpha=0.1))
        return moved(other, given.values)

    assert decided(known(error.epsilon))
    assert not decided(known(error.epsilon / 1.2))


def test_the_domain_that_is_named_does_at_the_same_y(error: NoDecisionError) -> None:
    assert error.domain is not None
    given = of(TIGHT, EACH)

    def known(share: float) -> po.Measurement:
        other = of(TIGHT, EACH, domain=po.Box(1.5 - 0.5 * share, 1.5 + 0.5 * share))
        return moved(other, given.values)

    assert decided(known(error.domain))
    assert not decided(known(1.2 * error.domain))


def test_the_query_without_a_value_that_is_named_has_a_decision(error: NoDecisionError) -> None:
    assert error.leave_out == ("z[0]",)
    given = of(TIGHT, EACH)
    assert decided(given, po.Identity([2]))
    assert not decided(given, po.Identity([0]))


def test_words_and_data_say_the_same(error: NoDecisionError) -> None:
    text, take = str(error), error.remedies[0]
    assert isinstance(take, Clause)
    assert dict(take.values) == {"eta": error.eta, "epsilon": error.epsilon}
    for part in (
        f"eta={error.eta:g}", f"epsilon={error.epsilon:g}", "without the value z[0]",
        f"a domain {error.domain:g} times as wide", "(tried)", "fallback=", "largest",
    ):  # fmt: skip
        assert part in text
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 -- our own
    assert (again.eta, again.leave_out, str(again)) == (error.eta, error.leave_out, text)


@pytest.mark.slow
def test_several_measurements_are_sharpened_together() -> None:
    both = [of(TIGHT, EACH[[0]]), of(TIGHT, EACH[[1]])]
    error = refused(TIGHT, both)
    assert error.epsilon is not None
    assert error.epsilon > 2.0
    each = po.Laplace(epsilon=error.epsilon / 2, alpha=0.1)
    sharper = [
        moved(of(TIGHT, W, privacy=each), one.values)
        for W, one in zip((EACH[[0]], EACH[[1]]), both, strict=True)
    ]
    assert decided(sharper)


@pytest.mark.slow
def test_bounded_noise_has_no_eta() -> None:
    noise = po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.1)
    error = refused(TIGHT, of(TIGHT, EACH, privacy=noise), limits=po.Always())
    assert error.eta is None
    assert "eta=" not in error.needed


def test_nothing_measured_has_no_epsilon() -> None:
    error = refused(TIGHT, of(TIGHT, np.zeros((0, 2))))
    assert (error.eta, error.epsilon) == (None, None)
    assert error.domain is not None


def test_data_that_no_solution_serves_are_told_apart() -> None:
    """z0 + z1 + z3 is at most 2.3, and u0 up to 4."""
    one = program(upper=[1.2, 0.9, 1.0, 0.2])
    instrument = po.Instrument(
        EACH, program=one, privacy=po.Laplace(epsilon=0.05, alpha=1.0), domain=po.Box(1.0, 4.0)
    )
    error = refused(one, measured(instrument, np.array([3.9, 1.1]), np.random.default_rng(0)))
    assert "whatever is released" in error.got
    assert "without" not in error.needed


def test_what_there_was_no_time_for_is_named() -> None:
    given = of(TIGHT, EACH)
    belief = Belief.of(given, TIGHT)
    late = po.Settings(time_limit=1.0).started(itertools.count().__next__)
    task = DecisionTask(TIGHT, QUERY, belief.everywhere, belief.domain, late)
    error = no_decision(task, belief, BOX, 0.1)
    assert (error.eta, error.epsilon, error.domain, error.leave_out) == (None, None, None, ())
    assert "time_limit=...) may allow more): eta, epsilon, the domain." in error.needed
    assert "no time to try the query without" in error.needed
