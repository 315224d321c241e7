"""Frontiers of decisions: simulated on public draws, with the constant beside them."""

from __future__ import annotations

import dataclasses

import pytest
from tests.app.test_measuring import job

import privopt as po
from privopt.app.decisions import simulated_of, weight_of
from privopt.app.job import Job
from privopt.app.tracing import frontier, jobs_of
from privopt.errors import InputError

__all__ = ["job"]


@pytest.mark.long
def test_decisions_come_nearer_with_epsilon_and_the_constant_stays(job: Job) -> None:
    blind = dataclasses.replace(job, data=None)
    found = frontier(blind, "epsilon", [0.1, 10.0], decisions=True)
    assert not found.private
    low, high = found.points
    assert (low.distance or 0) > 3 * (high.distance or 9)
    assert (high.tells or 0) > 0.9
    still = found.constant
    assert still is not None
    assert (still.completed or 0) >= (high.completed or 9)
    assert "Decisions over epsilon" in found.summary()
    assert found.to_dict()["constant"]["distance"] == still.distance
    first, again = simulated_of(blind), simulated_of(blind)
    for one, other in zip(first, again, strict=True):
        assert one is not None
        assert other is not None
        assert (one.completed, one.worth.to_dict()) == (other.completed, other.worth.to_dict())


def test_what_no_decision_has_is_refused(job: Job) -> None:
    with pytest.raises(InputError, match="of decisions: epsilon, alpha, eta, fidelity"):
        frontier(job, "phi", [1.0], decisions=True)


def test_a_bound_on_the_distance_is_for_decisions_that_are_made(job: Job) -> None:
    near = dataclasses.replace(job, fidelity=po.Within(0.5))
    for act in (
        lambda: simulated_of(near),
        lambda: frontier(near, "epsilon", [1.0], decisions=True),
    ):
        with pytest.raises(InputError, match="within was given for simulated decisions"):
            act()
    weighed = jobs_of(near, "fidelity", [3.0], decisions=True)
    assert weight_of(weighed[3.0]) == 3.0  # a weight in its place


def test_where_there_is_none_it_is_marked(job: Job) -> None:
    wide = dataclasses.replace(job, measure="nothing", domain=po.Box([2.0, 2.0], [14.0, 4.0]))
    found = frontier(wide, "epsilon", [1.0], decisions=True)
    assert [point.status for point in found.points] == ["infeasible"]
    assert found.constant is None
