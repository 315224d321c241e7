"""Measure and decide for a job: the library's decision, refused where the job says otherwise."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import privopt as po
from privopt.app.job import Job, read_job
from privopt.app.making import instrument_of
from privopt.app.measuring import decided, tried
from privopt.errors import CombinationError, InfeasibleError, InputError

D = [3.1, 2.2]


@pytest.fixture
def job(tmp_path: Path) -> Job:
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], quadratic=[0.3] * 3, G=[[1, 1, 0], [0, 0, 1]], lower=0, upper=9,
        A=[[1.0, 0.0, 1.0]], b=[8.0], names=["coal", "gas", "hydro"], data_names=["day", "night"],
    )  # fmt: skip
    po.PublicProgram(program).save(tmp_path / "program.json")
    (tmp_path / "d.json").write_text(str(D))
    return read_job(
        flags={
            "program": str(tmp_path / "program.json"), "data": str(tmp_path / "d.json"),
            "identity": "coal", "epsilon": "1", "alpha": "0.05", "feasibility": "exact-box",
            "eta": "0.05", "lower": "2", "upper": "4", "mechanism": "measured", "measure": "each",
        }
    )  # fmt: skip


def test_it_is_the_decision_of_the_library(job: Job) -> None:
    instrument = instrument_of(job)
    assert np.array_equal(instrument.W, np.eye(2))
    measured = instrument.measure(D)
    found = decided(job, [measured])
    assert job.source is not None
    same = po.decide(job.source.program, po.Identity(["coal"]), measured, po.ExactBox(eta=0.05))
    assert found.to_dict() == same.to_dict()
    assert 0 <= found.worth.tells <= 1


def test_the_cheapest_values_within_a_distance_are_those_of_the_library(job: Job) -> None:
    measured = instrument_of(job).measure(D)
    bound = po.Within(1.2 * decided(job, [measured]).distance)
    found = decided(dataclasses.replace(job, fidelity=bound), [measured])
    assert job.source is not None
    asked = po.Identity(["coal"]), measured, po.ExactBox(eta=0.05)
    same = po.decide(job.source.program, *asked, fidelity=bound)
    assert found.to_dict() == same.to_dict()
    with pytest.raises(InfeasibleError, match="within 0.001"):
        decided(dataclasses.replace(job, fidelity=po.Within(0.001)), [measured])


def test_a_trial_reads_no_data_and_is_always_the_same(job: Job) -> None:
    blind = dataclasses.replace(job, data=None)
    instrument = instrument_of(blind)
    first, second = tried(blind, instrument), tried(blind, instrument)
    assert first.values.tolist() == second.values.tolist()
    middle = first.measurements[0].values
    assert middle.tolist() == [3.0, 3.0]


def test_nothing_measured_is_a_constant_and_free(job: Job) -> None:
    still = dataclasses.replace(job, measure="nothing")
    made = tried(still, instrument_of(still))
    assert made.epsilon == 0
    assert made.check().excess <= 0


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"objective": po.SolutionDeviation(phi=0.5)}, "[objective]"),
        ({"repeat": po.Repeat(mu=0.01)}, "[repeat]"),
        ({"domain": po.Box(2.0, 4.5)}, "the domain of day is 2 to 4.5 in the job, 2 to 4 in the"),
        ({"privacy": po.Laplace(epsilon=1.0, alpha=0.1)}, "alpha is 0.1 in the job, 0.05 in the"),
        ({"query": None}, "no [query]"),
        ({"fallback": [1.0, 2.0]}, "[design] fallback"),
    ],
)
def test_what_a_decision_cannot_use_is_refused(
    job: Job, change: dict[str, object], says: str
) -> None:
    measured = instrument_of(job).measure(D)
    with pytest.raises(InputError) as caught:
        decided(dataclasses.replace(job, **change), [measured])  # pyright: ignore[reportArgumentType]
    assert says in str(caught.value)


def test_a_domain_that_differs_by_rounding_is_the_same(job: Job) -> None:
    measured = instrument_of(job).measure(D)
    near = dataclasses.replace(job, domain=po.Box(2.0 + 1e-8, 4.0))
    assert decided(near, [measured]).names == ("coal",)
    both = dataclasses.replace(job, domain=po.Box(2.0, 5.0))
    with pytest.raises(InputError, match="and 1 more"):
        decided(both, [measured])


def test_limits_that_a_decision_does_not_know_are_refused_before_any_measurement(job: Job) -> None:
    other = dataclasses.replace(job, feasibility=po.Joint(eta=0.05, beta=0.01))
    with pytest.raises(CombinationError):
        tried(other, instrument_of(other))


def test_a_fallback_is_taken_where_nothing_else_is_possible(job: Job, tmp_path: Path) -> None:
    wide = dataclasses.replace(job, domain=po.Box([2.0, 2.0], [14.0, 4.0]), measure="nothing")
    with pytest.raises(po.errors.InfeasibleError):
        tried(wide, instrument_of(wide))
    (tmp_path / "back.csv").write_text("coal,1.5\n")
    for given in (1.5, [1.5], {"coal": 1.5}, str(tmp_path / "back.csv")):
        named = dataclasses.replace(wide, fallback=given)
        made = tried(named, instrument_of(named))
        assert made.values.tolist() == [1.5]
        assert made.certificate is None


def test_unknown_names_are_refused(job: Job) -> None:
    with pytest.raises(InputError, match="did you mean 'night'"):
        instrument_of(dataclasses.replace(job, measure={"x": ["nigt"]}))
