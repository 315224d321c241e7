"""Fidelity as a bound, and the front between cost and fidelity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import privopt as po


@pytest.fixture(scope="module")
def parts() -> tuple[Any, ...]:
    one = po.experiments.instance("5_pjm", 1)
    noise, kind = po.Laplace(epsilon=1.0, alpha=0.1), po.Analytic(eta=0.05, margin="unimodal")
    return one.program, one.query, noise, kind, one.domain


@pytest.fixture(scope="module")
def front(parts: tuple[Any, ...]) -> po.Front:
    *asked, domain = parts
    return po.pareto(*asked, domain=domain, points=7)


def test_no_policy_of_the_front_is_beaten(front: po.Front) -> None:
    costs = [one.cost for one in front.policies]
    distances = [one.distance for one in front.policies]
    assert len(front) >= 3
    assert costs == sorted(costs)
    assert distances == sorted(distances, reverse=True)
    assert front.weights[0] == 0.0
    assert "distance" in repr(front)


def test_it_is_the_front_of_the_weighted_sums(parts: tuple[Any, ...], front: po.Front) -> None:
    """Each policy is the best for its own weight, among all of the front."""
    for weight, own in zip(front.weights, front.policies, strict=True):
        mine = own.cost + weight * own.distance**2
        others = [one.cost + weight * one.distance**2 for one in front.policies]
        assert mine <= min(others) + 1e-3 * abs(mine)


def test_a_bound_is_kept_at_the_cost_of_the_front(parts: tuple[Any, ...], front: po.Front) -> None:
    *asked, domain = parts
    wanted = 0.5 * (front.policies[0].distance + front.policies[-1].distance)
    policy = po.design(*asked, domain=domain, fidelity=po.Within(wanted))
    assert 0.9 * wanted <= policy.distance <= wanted
    assert policy.cost <= front.nearest(wanted).cost * (1 + 1e-6)
    far = 2 * front.policies[0].distance
    assert po.design(*asked, domain=domain, fidelity=po.Within(far)).cost == pytest.approx(
        front.policies[0].cost
    )


def test_a_bound_out_of_reach_says_what_is_in_reach(parts: tuple[Any, ...]) -> None:
    *asked, domain = parts
    with pytest.raises(po.errors.InfeasibleError, match="at least") as caught:
        po.design(*asked, domain=domain, fidelity=po.Within(1e-6))
    least = float(caught.value.needed.split("at least ")[1].split(" ")[0])
    assert po.design(*asked, domain=domain, fidelity=po.Within(least)).distance <= least


def test_the_distance_that_is_named_is_the_least_and_does_as_it_is_printed() -> None:
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], quadratic=[0.1] * 3, G=[[1, 1, 1]], lower=0, upper=4
    )
    noise, kind = po.Laplace(epsilon=1.0, alpha=0.1), po.ExactBox(eta=0.05)
    asked: Any = (program, po.Identity([0, 1]), noise, kind)

    def within(distance: float) -> po.Policy:
        return po.design(*asked, domain=po.Box(5.0, 7.0), fidelity=po.Within(distance))

    with pytest.raises(po.errors.InfeasibleError) as caught:
        within(0.1)
    least = float(caught.value.needed.split("at least ")[1].split(" ")[0])
    assert within(least).distance <= least
    assert least <= within(0.56).distance * 1.001
    with pytest.raises(po.errors.InfeasibleError):
        within(0.999 * least)


def test_the_picture_has_a_point_for_each_policy(front: po.Front) -> None:
    figure = front.plot()
    assert len(figure.data[0].x) == len(front)
    assert np.allclose(figure.data[0].y, [100 * one.loss for one in front.policies])


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), "near"])
def test_bad_bounds(bad: Any) -> None:
    with pytest.raises(po.errors.InputError, match="distance"):
        po.Within(bad)


def test_nothing_lies_nearer_than_the_front(front: po.Front) -> None:
    with pytest.raises(po.errors.InputError, match="at least"):
        front.nearest(1e-9)
