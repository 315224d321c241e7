"""A release, prepared: nothing is charged before it is drawn, and the job decides what it is."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.app.writing import toml

import privopt as po
from privopt.app.job import Job, read_job
from privopt.app.preparing import prepare, released
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
                "design": {"fidelity": 1.0},
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
    assert said == ["calibrating", "deciding at the middle of the domain"]
    assert ready.clamps
    assert ready.look is not None
    assert ready.look().clamped.any()  # 9 lies outside of the domain
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
