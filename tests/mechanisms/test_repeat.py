"""Repetition: T tries, their charge, and what each test may claim."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from tests.cases import toy

import privopt as po

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.05)
BOX = po.ExactBox(eta=0.2)


@pytest.mark.parametrize(
    ("mu", "eta", "T"), [(0.01, 0.1, 2), (0.001, 0.1, 3), (0.09, 0.1, 2), (0.02, 0.2, 3)]
)
def test_number_of_tries_is_the_printed_formula(mu: float, eta: float, T: int) -> None:
    assert po.Repeat(mu=mu).tries(po.ExactBox(eta=eta)) == T


@pytest.mark.parametrize("noise", [
    LAPLACE, po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.01),
    po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.02),
])  # fmt: skip
def test_all_tries_together_are_charged_at_most_what_was_asked(
    noise: po.Laplace | po.Gaussian | po.TruncatedLaplace,
) -> None:
    once = po.solve(toy(), po.Identity(["x"]), noise, BOX)
    thrice = po.solve(toy(), po.Identity(["x"]), noise, BOX, repeat=po.Repeat(mu=0.01))
    assert thrice.calibration.tries == 3
    assert thrice.release().epsilon <= 1.0
    assert thrice.calibration.delta <= noise.delta
    if isinstance(noise, po.Laplace):
        assert thrice.calibration.scale == pytest.approx(3 * once.calibration.scale, rel=1e-6)
    else:
        assert thrice.calibration.scale > 2 * once.calibration.scale


def test_published_test_reaches_one_minus_mu_and_is_not_called_proven_private() -> None:
    mu = 0.01
    plan = po.solve(toy(7.5), po.Identity(["x", "y"]), LAPLACE, BOX,
                    repeat=po.Repeat(mu=mu, test="published"))  # fmt: skip
    assert plan.verify(50_000).violation.interval[0] <= mu
    privacy, feasibility = plan.guarantee.privacy, plan.guarantee.feasibility
    assert privacy.provenance is po.Provenance.ASSUMED
    assert "not released" in privacy.because
    assert "0.99" in feasibility.statement
    assert plan.release().mechanism == "plan, repeated (published)"


def test_public_test_keeps_the_single_promise_and_says_what_it_does_not_inherit() -> None:
    program, query = toy(7.5), po.Identity(["x", "y"])
    plan = po.solve(program, query, LAPLACE, BOX, repeat=po.Repeat(mu=0.01, test="public"))
    assert "not inherited" in plan.guarantee.feasibility.because
    assert "0.8" in plan.guarantee.feasibility.statement
    repeated = plan.verify(50_000).violation
    assert repeated.interval[0] <= 0.2
    for _ in range(20):
        plan.release()


def kept(plan: po.Plan, y: float) -> bool:
    """Whether a value, drawn first, is released, or drawn again."""
    drawn = itertools.chain([np.array([y])], itertools.repeat(np.array([1.25])))
    calibration = replace(plan.calibration, draw=lambda _: next(drawn))
    return replace(plan, calibration=calibration).release().values[0] == y


def test_public_test_does_not_see_the_private_data() -> None:
    """x is released, y = d - x is not: y < 0 cannot be seen, x < 0 can."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0], quadratic=[0.1, 0.1], G=[[1, 1]], d=[1.0], lower=0.0, upper=9.0
    )
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    plan = po.solve(program, po.Identity([0]), noise, po.ExactBox(eta=0.3),
                    repeat=po.Repeat(mu=0.05, test="public"))  # fmt: skip
    assert kept(plan, 5.0)  # y = 1 - 5 < 0, yet x = 5 is publicly possible
    assert not kept(plan, -5.0)


def test_public_test_gives_neighbours_the_same_verdict() -> None:
    """Verdicts on y next to the tolerance are the same for any d: they may not depend on it."""

    def verdict(d: float, y: float) -> bool:
        program = po.ConvexProgram(linear=[2, 1], G=[[1, 1]], d=[d], lower=[0, -np.inf])
        plan = po.solve(program, po.Identity([0]), po.Laplace(epsilon=1.0, alpha=0.1),
                        po.ExactBox(eta=0.1), repeat=po.Repeat(mu=0.01))  # fmt: skip
        return kept(plan, y)

    for y in (-1e-12, -1e-9, -1e-7, -1e-4, -1.0, 0.5):
        assert len({verdict(d, y) for d in (10.0, 1000.0, 1000.1, 1e8)}) == 1


@pytest.mark.parametrize("make", [po.SampledBox(eta=0.2, beta=0.2), po.Joint(eta=0.2, beta=0.2)])
def test_confidence_is_carried_over(make: po.SampledBox | po.Joint) -> None:
    plan = po.solve(toy(), po.Identity(["x"]), LAPLACE, make, rng=0,
                    repeat=po.Repeat(mu=0.01, test="published"))  # fmt: skip
    assert plan.guarantee.feasibility.confidence == 0.8
    assert "confidence 0.8" in plan.guarantee.feasibility.statement


def test_rows_by_themselves_give_no_claim_when_repeated() -> None:
    plan = po.solve(toy(), po.Identity(["x"]), LAPLACE, po.Analytic(eta=0.1),
                    repeat=po.Repeat(mu=0.01, test="published"))  # fmt: skip
    assert plan.guarantee.feasibility.scope is po.Scope.NONE


def test_public_repetition_can_raise_the_violation_of_a_single_row() -> None:
    """Why no row claim is made: with f = P(public test fails) and a row it cannot see.

    P(row broken at release) = g (1 + f) for T = 2 when its violation g is never seen: above g.
    """
    g, f, T = 0.1, 0.1, 2
    released = g * (1 - f**T) / (1 - f)
    assert released > g


@pytest.mark.parametrize("bad", [
    lambda: po.Repeat(mu=0.0), lambda: po.Repeat(mu=1.0), lambda: po.Repeat(mu=0.1, test="best"),  # pyright: ignore[reportArgumentType]
])  # fmt: skip
def test_bad_repetition_is_refused(bad: object) -> None:
    with pytest.raises(po.errors.InputError):
        bad()  # pyright: ignore[reportCallIssue]


def test_combinations_without_sense_are_refused() -> None:
    repeat = po.Repeat(mu=0.01)
    with pytest.raises(po.errors.CombinationError, match="always feasible"):
        repeat.tries(po.Always())
    with pytest.raises(po.errors.CombinationError, match="vector"):
        repeat.tries(po.Analytic(eta=[0.1, 0.2]))
