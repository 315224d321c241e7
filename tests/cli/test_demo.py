"""`privopt demo`: every part is shown, and nothing in its folder is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import flat, run, said, shown


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """One simulated measurement instead of several: each is decided anew."""
    monkeypatch.setattr("privopt.experiments.story.SIMULATED", 1)


def test_demo_runs_and_shows_each_part(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    text = flat(said("demo --runs 2 --jobs 1 --out", out))
    for part in (
        "noise outside", "noise inside", "measured", "constant", "OP", "PIQ-a", "joint factor",
        "epsilon", "PROVEN", "ASSUMED", "report.html", "demo.html",
    ):  # fmt: skip
        assert part in text, part
    assert (out / "report.html").stat().st_size < 200_000
    page = (out / "demo.html").read_text()
    assert len(page) < 100_000
    assert 'href="report.html"' in page
    assert (out / "drawing.json").exists()


@pytest.mark.long
def test_demo_keeps_what_lies_in_its_folder(tmp_path: Path) -> None:
    out = tmp_path / "results"
    common = f"--runs 1 --jobs 1 --out {out}"
    run("experiment table1 --networks 3_lmbd", common)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    refused = said("demo", common, code=2)
    assert "other or more networks, which this run would replace" in refused
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    found = shown("demo --overwrite", common)
    assert {row["network"] for row in found["summary"]} == {"14_ieee"}
    assert (out / "table1.journal").read_bytes().startswith(before["table1.journal"])


def test_demo_keeps_a_page_of_someone_else(tmp_path: Path) -> None:
    (tmp_path / "demo.html").write_text("mine")
    assert "privopt did not write it" in flat(said("demo --runs 1 --out", tmp_path, code=2))
    assert [path.name for path in tmp_path.iterdir()] == ["demo.html"]
    assert (tmp_path / "demo.html").read_text() == "mine"
