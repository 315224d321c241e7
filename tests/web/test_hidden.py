"""The public process reads no file of the private data, however a field of the form names it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.web.workbench import FORM, LOADS, with_data, workbench

from privopt.web.hidden import hidden_named, hide

FIELDS = ("lower", "upper", "alpha", "owners", "measure", "linear", "program", "case")


def test_what_names_a_hidden_file_is_found_by_any_of_its_names(tmp_path: Path) -> None:
    data = tmp_path / "loads.csv"
    data.write_text("x")
    os.link(data, tmp_path / "hard.csv")
    (tmp_path / "soft.csv").symlink_to(data)
    (tmp_path / "other.csv").write_text("x")
    hide(tmp_path, [data])
    for name in ("loads.csv", "hard.csv", "soft.csv", "../" + tmp_path.name + "/loads.csv"):
        found = hidden_named(tmp_path, {"eta": "0.05", "lower": str(tmp_path / name)})
        assert found is not None
        assert found.field == "lower"
    texts = (str(tmp_path / "other.csv"), str(tmp_path), "~nobody/x", "90,100", "a\0b", "x" * 5000)
    for text in texts:
        assert hidden_named(tmp_path, {"lower": text}) is None


def test_a_pipe_is_refused_before_anything_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found = hidden_named(tmp_path, {"owners": str(tmp_path / "pipe")})
    assert found is not None
    assert "no ordinary file" in found.got


@pytest.mark.parametrize("field", FIELDS)
def test_no_answer_of_the_public_process_shows_the_data(tmp_path: Path, field: str) -> None:
    with workbench(with_data(tmp_path)) as (_, page):
        form = {name: text for name, text in FORM.items() if name not in ("around", "measure")}
        for gone in ("network",) if field in ("program", "case") else ():
            form.pop(gone)
        answer = page.put({**form, field: str(tmp_path / "loads.csv")})
        assert "names the file of the private data" in answer.text
        for path in ("/api/state", "/api/model", "/api/job.toml", "/api/job.py"):
            text = page.get(path).text
            assert not any(str(value) in text for value in LOADS.values()), path


def test_a_job_file_whose_domain_is_the_data_opens_with_that_problem(tmp_path: Path) -> None:
    job = with_data(tmp_path)
    text = job.read_text().replace("around = 0.1", 'lower = "loads.csv"\nupper = "loads.csv"')
    job.write_text(text)
    with workbench(job) as (_, page):
        (problem,) = page.get("/api/state").json()["problems"]
        assert "names the file of the private data" in problem["got"]
        assert page.get("/api/model").status_code == 422
