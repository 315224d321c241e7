"""`privopt frontier`: a point for each value, on the screen, as JSON and on a page."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.running import run, shown


def test_frontier(folder: Path) -> None:
    data = shown("frontier", "job.toml", "--values", "0.5,2", "--out", "page.html")
    assert [point["status"] for point in data["points"]] == ["solved", "solved"]
    assert data["points"][1]["distance"] < data["points"][0]["distance"]
    assert data["constant"]["tells"] == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "Decisions over epsilon" in page
    assert len(page) < 50_000  # no library of plots in it
    text = re.sub(r"<script.*?</script>|http-equiv", "", page, flags=re.DOTALL)
    assert "http" not in text.replace(
        'xmlns="http://www.w3.org/2000/svg"', ""
    )  # nothing is fetched
    plans = shown("frontier", "plan.toml", "--values", "0.01,0.5,2")
    assert [point["status"] for point in plans["points"]] == ["infeasible", "solved", "solved"]
    assert plans["points"][1]["loss"] > plans["points"][2]["loss"] > 0
    etas = ("--over", "eta", "--values", "0.01,0.1")
    result = run("frontier", "plan.toml", *etas, "--out", "p.html")
    assert "PRIVATE" in result.stdout
    assert "PRIVATE" in (folder / "p.html").read_text(encoding="utf-8")
    phi = shown("frontier", "job.toml", "--plan", "--over", "phi", "--values", "0,0.5")
    assert phi["private"] is True
    assert phi["points"][0]["cost"] <= phi["points"][1]["cost"] + 1e-6


def test_values_are_a_list_or_a_range(folder: Path) -> None:
    """Even ratios where only ratios matter, even steps elsewhere."""

    def values(*words: str) -> list[float]:
        found = shown("frontier", "plan.toml", "--points", "3", *words)
        return [point["value"] for point in found["points"]]

    assert values("--from", "1", "--to", "100") == [1.0, 10.0, 100.0]
    assert values("--over", "phi", "--from", "0", "--to", "1") == [0.0, 0.5, 1.0]
    assert values("--values", "3,1,2,1") == [1.0, 2.0, 3.0]
    for wrong in (["--from", "1"], ["--values", "1", "--to", "2"], ["--values", "1e301"]):
        assert "--from 0.1 --to 10" in run("frontier", "job.toml", *wrong, code=2).stderr
