"""A receipt is for one file, one job and one way of reading; it is written whatever d is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.app.test_bad_tables import GOOD, JOB
from tests.app.writing import toml

from privopt.app.job import Job, read_job
from privopt.app.looking import prepare_look
from privopt.app.receipt import holds, receipt_path, write_receipt
from privopt.errors import InputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "loads.csv").write_text(GOOD, encoding="utf-8")
    (tmp_path / "sites.csv").write_text("customer,bus\nann,2\n", encoding="utf-8")
    return tmp_path


def made(folder: Path, *, more: dict[str, Any] | None = None, **data: Any) -> tuple[Job, str]:
    tree = JOB | {"data": {"file": "loads.csv", **data}} | (more or {})
    (folder / "job.toml").write_text(toml(tree), encoding="utf-8")
    job = read_job(folder / "job.toml")
    return job, prepare_look(job).subject


def test_it_holds_for_what_it_was_written_for(folder: Path) -> None:
    job, subject = made(folder)
    path = receipt_path(job)
    assert path == folder / "loads.csv.checked"
    assert not holds(path, job, subject)
    write_receipt(path, job, subject)
    assert holds(path, job, subject)
    assert receipt_path(job, "other") == Path("other")
    write_receipt(path, job, subject)  # an older receipt may be replaced


@pytest.mark.parametrize(
    ("data", "more"),
    [
        ({"missing": "zero"}, {}), ({"columns": {"bus": "bus"}}, {}), ({"bounded": True}, {}),
        ({"sites": "public"}, {}), ({}, {"domain": {"around": 0.2}}),
        ({}, {"privacy": {"epsilon": 1.0, "alpha": 2.0}}),
        ({}, {"privacy": {"epsilon": 1.0, "alpha": 1.0, "owners": "sites.csv"}}),
    ],
)  # fmt: skip
def test_it_does_not_hold_for_another_job(folder: Path, data: Any, more: Any) -> None:
    job, subject = made(folder)
    path = folder / "r.checked"
    write_receipt(path, job, subject)
    assert not holds(path, *made(folder, more=more, **data))


def test_epsilon_does_not_matter_and_the_data_do(folder: Path) -> None:
    job, subject = made(folder)
    path = folder / "r.checked"
    write_receipt(path, job, subject)
    assert holds(path, *made(folder, more={"privacy": {"epsilon": 0.1, "alpha": 1.0}}))
    (folder / "loads.csv").write_text(GOOD.replace("400", "401"), encoding="utf-8")
    assert not holds(path, *made(folder))


def test_no_other_file_is_written_over(folder: Path) -> None:
    job, subject = made(folder)
    with pytest.raises(InputError, match="is no receipt"):
        write_receipt(folder / "loads.csv", job, subject)
    assert (folder / "loads.csv").read_text(encoding="utf-8") == GOOD
    with pytest.raises(InputError, match="could not be written"):
        write_receipt(folder / "nowhere" / "x", job, subject)
