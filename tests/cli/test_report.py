"""`privopt report`: a page of a release, of a policy and of an experiment."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.cli.running import D, run, shown


def test_report_of_a_release_and_of_a_policy(folder: Path, policy: Path) -> None:
    shutil.copy(policy, folder / "policy.json")
    run("release", "--policy", policy, "--data", "d.csv", "--out", "r.json")
    assert shown("report", "r.json") == {"page": "r.html"}
    page = (folder / "r.html").read_text(encoding="utf-8")
    for part in ("coal", "PROVEN", "No ledger counted"):
        assert part in page
    assert str(D) not in page
    run("report", "policy.json", "--out", "p.html")
    assert "demand" in (folder / "p.html").read_text(encoding="utf-8")
    run("report", "program.json", code=2)
    run("report", "d.csv", code=2)


def test_the_page_can_be_written_anew(tmp_path: Path) -> None:
    out = str(tmp_path)
    arguments = ["--networks", "3_lmbd", "--runs", "1", "--algorithms", "OP", "--jobs", "1"]
    run("experiment", "table1", *arguments, "--out", out)
    page = Path(out, "report.html")
    before = page.read_bytes()
    page.unlink()
    run("report", out)
    assert page.read_bytes() == before
    assert "there is no folder" in run("report", tmp_path / "none", code=2).stderr
    assert "leave it out" in run("report", out, "--out", tmp_path / "x.html", code=2).stderr


def test_a_page_is_written_over_only_where_it_is_the_same(folder: Path, policy: Path) -> None:
    shutil.copy(policy, folder / "policy.json")
    page = folder / "policy.html"
    run("report", "policy.json")
    before = page.read_bytes()
    run("report", "policy.json")
    assert page.read_bytes() == before
    page.write_text("another's")
    assert "--overwrite" in run("report", "policy.json", code=2).stderr
    assert page.read_text() == "another's"
    run("report", "policy.json", "--overwrite")
    assert page.read_bytes() == before
    assert "input of this command" in run(
        "report", "policy.json", "--out", "policy.json", "--overwrite", code=2
    ).stderr  # fmt: skip
