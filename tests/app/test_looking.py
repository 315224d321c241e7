"""The look at a job's data is the same for all that the job can release."""

from __future__ import annotations

from pathlib import Path

from tests.app.test_bad_tables import GOOD, JOB
from tests.app.writing import toml

from privopt.app.job import read_job
from privopt.app.looking import prepare_look


def test_all_measurements_of_a_job_have_one_look(tmp_path: Path) -> None:
    (tmp_path / "loads.csv").write_text(GOOD, encoding="utf-8")
    found: list[str] = []
    for design in ({"mechanism": "measured", "measure": "choose"}, {"mechanism": "plan"}):
        tree = JOB | {"design": design, "data": {"file": "loads.csv"}}
        (tmp_path / "job.toml").write_text(toml(tree), encoding="utf-8")
        job = read_job(tmp_path / "job.toml")
        ready = prepare_look(job)  # nothing is chosen and nothing is decided for it
        assert ready.look().rows is not None
        found.append(ready.subject)
    assert found[0] == found[1]
