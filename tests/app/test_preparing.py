"""A release, prepared: nothing is charged before it is drawn, and the job decides what it is."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from tests.app.writing import toml

import privopt as po
from privopt.app.job import Job, read_job
from privopt.app.preparing import clamping, prepare, released
from privopt.app.verifying import simulate
from privopt.kernel import wire


@pytest.fixture
def job(tmp_path: Path) -> Job:
    program = po.ConvexProgram(
        linear=[1.0, 2.0], quadratic=[0.1, 0.1], G=[[1, 1]], lower=0, upper=8, data_names=["load"]
    )
    po.PublicProgram(program).save(tmp_path / "program.json")
    path = tmp_path / "job.toml"
    path.write_text(
        toml(
            {
                "program": {"file": str(tmp_path / "program.json")},
                "data": {"values": [9.0]},
                "query": {"identity": [0]},
                "privacy": {"epsilon": 1.0, "alpha": 0.1},
                "feasibility": {"kind": "exact-box", "eta": 0.1},
                "domain": {"lower": 3.0, "upper": 5.0},
                "design": {"fidelity": 1.0, "floor": 0.1},
                "ledger": {"path": str(tmp_path / "d.ledger"), "limit": "1", "key": "may"},
            }
        )
    )
    return read_job(path)


def test_nothing_is_charged_before_it_is_drawn(job: Job) -> None:
    said: list[str] = []

    @contextmanager
    def status(words: str) -> Generator[None]:
        said.append(words)
        yield

    ready = prepare(job, status=status)
    assert said == ["designing"]
    assert ready.clamps
    assert "load" in ready.look()  # 9 lies outside of the domain
    assert not Path(job.ledger or "").exists()
    assert not released(job)
    ledger = job.open_ledger()
    assert ledger is not None
    made = ready.draw(ledger)
    assert made.ledger is not None
    assert len(wire.text(made, indent=2)) <= ready.room
    assert released(job)
    assert ready.draw(ledger).replayed
    assert ledger.spent == ready.request.charge


def test_a_plan_takes_the_data_as_they_are(job: Job) -> None:
    ready = prepare(job, plan=True)
    assert not ready.clamps
    assert ready.request.mechanism == "plan"


def test_a_plan_is_private_and_a_policy_is_not(job: Job) -> None:
    assert simulate(job, plan=True, samples=100).private
    found = simulate(job, samples=100)
    assert not found.private
    assert not found.verdict.refuted


NAMES = [f"load {k}" for k in range(12)]


@pytest.fixture(scope="module")
def policy() -> po.Policy:
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    box = po.Box(np.zeros(12), np.linspace(0.1, 1 / 3, 12))
    program = po.ConvexProgram(
        linear=[1.0, 2.0, *[0.0] * 12], quadratic=[0.1] * 14, lower=-40, upper=40,
        G=np.vstack([np.ones((1, 14)), np.eye(12, 14, 2)]),
        data_names=["public", *NAMES], private=NAMES, d=[6.0] + [0.0] * 12,
    )  # fmt: skip
    kept = po.ExactBox(eta=0.05)
    return po.design(program, po.Identity([0]), noise, kept, domain=box, floor=1.0)


def test_what_lies_outside_is_named(policy: po.Policy) -> None:
    d = np.r_[99.0, policy.domain[1]]  # a public entry has no domain
    assert clamping(policy, d) == "No private entry of 12 lies outside of the domain."
    d[2], d[4] = -0.5, 7.0
    assert clamping(policy, d) == (
        "2 of 12 private entries lie outside of the domain and are clamped to it: load 1, load 3"
    )
    assert clamping(policy, d + 9).endswith("load 9, ...")


def test_the_ends_of_the_domain_lie_within_although_they_are_rounded(policy: po.Policy) -> None:
    ends = np.linspace(0.1, 1 / 3, 12)
    assert (ends > policy.domain[1]).any()
    assert clamping(policy, np.r_[6.0, ends]).startswith("No private entry")
    assert clamping(policy, np.r_[6.0, ends + 1e-5]).startswith("12 of 12")
