"""Diagnosis: each value it names is feasible, and one a little closer to the request is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.cases import toy

import privopt as po
from privopt.mechanisms.diagnosis import Diagnosis

QUERY = po.Identity(["x"])


def attempt(feasibility: Any, epsilon: float = 1.0, alpha: float = 0.5) -> po.Plan:
    return po.solve(toy(11.0), QUERY, po.Laplace(epsilon=epsilon, alpha=alpha), feasibility, rng=0)


@pytest.mark.long
@pytest.mark.parametrize("make", [
    lambda eta: po.Analytic(eta=eta), lambda eta: po.Analytic(eta=eta, margin="unimodal"),
    lambda eta: po.ExactBox(eta=eta), lambda eta: po.Joint(eta=eta, beta=0.05),
])  # fmt: skip
def test_named_values_are_feasible_and_nearly_tight(make: Any) -> None:
    eta = 0.01
    with pytest.raises(po.errors.InfeasibleError) as caught:
        attempt(make(eta))
    found = caught.value.diagnose()
    assert found.epsilon is not None
    assert found.alpha is not None
    assert attempt(make(eta), epsilon=found.epsilon)
    assert attempt(make(eta), alpha=found.alpha)
    for closer in ({"epsilon": found.epsilon / 1.05}, {"alpha": found.alpha * 1.05}):
        with pytest.raises(po.errors.InfeasibleError):
            attempt(make(eta), **closer)
    if found.eta is not None:
        assert attempt(make(found.eta))
        with pytest.raises(po.errors.InfeasibleError):
            attempt(make(found.eta / 1.1))


def test_blocking_rows_are_the_ones_in_the_way() -> None:
    """Demand 11 of 12: x carries the noise, the others absorb it, upper bounds are in the way."""
    with pytest.raises(po.errors.InfeasibleError) as caught:
        attempt(po.ExactBox(eta=0.01))
    found = caught.value.diagnose()
    assert found.rows
    assert all(name.startswith("upper") for name in found.rows)
    assert all(amount > 0 for amount in found.excess)


def test_it_is_private_in_message_and_repr() -> None:
    with pytest.raises(po.errors.InfeasibleError) as caught:
        attempt(po.ExactBox(eta=0.01))
    found = caught.value.diagnose()
    assert "upper" not in str(caught.value)
    assert "upper" not in repr(found)
    assert f"{found.epsilon:.3g}" not in repr(found)
    assert "upper" in found.summary()
    assert "epsilon" in found.summary()


def test_a_program_infeasible_before_any_noise_is_diagnosed_too() -> None:
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    with pytest.raises(po.errors.InfeasibleError, match="before any privacy") as caught:
        po.solve(toy(13.0), QUERY, noise, po.Analytic(eta=0.1))
    found = caught.value.diagnose()
    assert found.before_noise
    assert found.rows
    assert all(name.startswith("upper") for name in found.rows)
    assert "before any noise" in found.summary()
    with pytest.raises(po.errors.InfeasibleError) as caught:
        po.ConvexProgram(G=[[1, 1], [1, 1]], d=[1, 2]).solve()
    assert "contradict" in caught.value.diagnose().summary()


def test_no_eta_where_there_is_none() -> None:
    noise = po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.2)
    with pytest.raises(po.errors.InfeasibleError) as caught:
        po.solve(toy(11.0), QUERY, noise, po.Always())
    found = caught.value.diagnose()
    assert found.eta is None
    assert found.epsilon is not None
    again = po.TruncatedLaplace(epsilon=found.epsilon, delta=1e-3, alpha=0.2)
    assert po.solve(toy(11.0), QUERY, again, po.Always())


@pytest.mark.long
def test_vector_eta_and_generators_are_handled() -> None:
    eta = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06]
    noise = po.Laplace(epsilon=1.0, alpha=0.5)
    with pytest.raises(po.errors.InfeasibleError) as caught:
        po.solve(toy(11.0), QUERY, noise, po.Analytic(eta=eta))
    found = caught.value.diagnose()
    assert found.rows
    assert found.eta is not None
    assert po.solve(toy(11.0), QUERY, noise, po.Analytic(eta=found.eta))
    rng = np.random.default_rng(5)
    with pytest.raises(po.errors.InfeasibleError) as caught:
        po.solve(toy(11.0), QUERY, noise, po.SampledBox(eta=0.05, beta=0.1), rng=rng)
    found = caught.value.diagnose()
    assert found.epsilon is not None
    again = po.Laplace(epsilon=found.epsilon, alpha=0.5)
    same = np.random.default_rng(5)
    assert po.solve(toy(11.0), QUERY, again, po.SampledBox(eta=0.05, beta=0.1), rng=same)


def test_classical_gaussian_is_searched_within_its_range() -> None:
    noise = po.Gaussian(epsilon=0.5, delta=1e-5, alpha=0.5, calibration="classical")
    with pytest.raises(po.errors.InfeasibleError) as caught:
        po.solve(toy(11.0), QUERY, noise, po.Analytic(eta=0.05))
    found = caught.value.diagnose()
    assert found.epsilon is None or found.epsilon < 1
    assert found.alpha is not None


def test_no_epsilon_where_none_helps() -> None:
    """Truncated noise spans at least Delta however large epsilon is; 1.5 does not fit here."""
    noise = po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=1.5)
    with pytest.raises(po.errors.InfeasibleError) as caught:
        po.solve(toy(11.0), QUERY, noise, po.Always())
    found = caught.value.diagnose()
    assert found.epsilon is None
    assert "none in its range" in found.summary()


def test_only_a_program_that_is_infeasible_by_itself_has_equalities_that_contradict() -> None:
    for before, told in ((True, True), (False, False)):
        found = Diagnosis((), (), None, None, None, before_noise=before)
        assert ("contradict" in found.summary()) == told
