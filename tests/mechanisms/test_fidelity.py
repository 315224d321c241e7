"""Fidelity as a bound on the distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import privopt as po
from privopt.mechanisms.fidelity import within


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

    def bounded(distance: float) -> po.Policy:
        return po.design(*asked, domain=po.Box(5.0, 7.0), fidelity=po.Within(distance))

    with pytest.raises(po.errors.InfeasibleError) as caught:
        bounded(0.1)
    least = float(caught.value.needed.split("at least ")[1].split(" ")[0])
    assert bounded(least).distance <= least
    assert least <= bounded(0.56).distance * 1.001
    with pytest.raises(po.errors.InfeasibleError):
        bounded(0.999 * least)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), "near"])
def test_bad_bounds(bad: Any) -> None:
    with pytest.raises(po.errors.InputError, match="distance"):
        po.Within(bad)


@dataclass(frozen=True)
class Curved:
    """The minimum of (x - 3)^2 + weight (x - 1)^2, and its distance from 1."""

    weight: float

    @property
    def distance(self) -> float:
        return 2 / (1 + self.weight)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e5])
@pytest.mark.parametrize("bound", [1.99, 1.0, 0.1, 1e-3])
def test_the_weight_is_that_of_the_bound_in_few_tries(scale: float, bound: float) -> None:
    tried: list[float] = []

    def make(weight: float) -> Curved:
        tried.append(weight)
        return Curved(weight)

    if Curved(0.01 * scale / 4 * 1e6).distance > bound:
        with pytest.raises(po.errors.InfeasibleError):
            within(po.Within(bound), make, scale)
        return
    assert 0.97 * bound <= within(po.Within(bound), make, scale).distance <= bound
    assert len(tried) <= 14


def test_what_was_refused_is_said_by_whoever_asked() -> None:
    def refused(least: float) -> po.errors.InfeasibleError:
        return po.errors.InfeasibleError(f"least {least:g}.", "n.", "r.")

    with pytest.raises(po.errors.InfeasibleError, match="least 2"):
        within(po.Within(0.5), lambda _: Curved(0.0), 1.0, refused)
