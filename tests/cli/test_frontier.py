"""`privopt frontier`: a point for each value, on the screen, as JSON and on a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cli.running import D, flat, run, shown

import privopt as po


def told(*words: str) -> str:
    return flat(run("frontier job.toml", *words).stdout)


def test_frontier(folder: Path) -> None:
    data = shown("frontier job.toml --values 0.5,2 --out page.html")
    assert data["private"] is False
    assert [point["status"] for point in data["points"]] == ["solved", "solved"]
    assert data["points"][1]["distance"] < data["points"][0]["distance"]
    assert data["constant"]["tells"] == 0
    page = (folder / "page.html").read_text()
    assert "Decisions over epsilon" in page
    assert "the constant: distance" in page
    assert len(page) < 50_000  # no library of plots in it
    text = re.sub(r"<script.*?</script>|http-equiv", "", page, flags=re.DOTALL)
    text = text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "http" not in text  # nothing is fetched
    etas = "frontier plan.toml --over eta --values 0.01,0.1"
    assert "PRIVATE" in run(etas, "--out p.html").stdout
    assert "PRIVATE" in (folder / "p.html").read_text()
    phi = shown("frontier job.toml --plan --over phi --values 0,0.5")
    assert phi["private"] is True
    assert phi["points"][0]["cost"] <= phi["points"][1]["cost"] + 1e-6


def test_points_are_the_plans_of_the_library(folder: Path) -> None:
    found = shown("frontier plan.toml --values 2,0.5,0.01")
    assert "constant" not in found
    assert [point["status"] for point in found["points"]] == ["infeasible", "solved", "solved"]
    program = po.PublicProgram.load("program.json").program.at([D])
    query, limits = po.Identity(["coal", "gas"]), po.ExactBox(eta=0.05)
    for point in found["points"][1:]:
        noise = po.Laplace(epsilon=point["value"], alpha=0.05)
        plan = po.solve(program, query, noise, limits)
        assert point["cost"] == pytest.approx(plan.cost, rel=1e-7)
    assert found["points"][1]["loss"] > found["points"][2]["loss"] > 0


def test_the_verdicts_stand_at_both_ends_and_where_half_is_told(folder: Path) -> None:
    """In the unit of the values; the constant is the last row."""
    data = shown("frontier job.toml --values 0.01,0.25,20")
    verdicts = [point["verdict"] for point in (*data["points"], data["constant"])]
    assert verdicts[-1] == "nothing: the release is a constant"
    assert data["half"] == {"least": 20.0, "is_bound": False}
    said = told("--values 0.01,0.25,20")
    for part in (f"0.01 tells {verdicts[0]}", f"20 tells {verdicts[2]}", "told at epsilon 20"):
        assert part in said
    assert said.index("constant ", said.index("by epsilon")) > said.index(" 20 solved")
    assert shown("frontier job.toml --values 1,5")["half"] == {"least": 1.0, "is_bound": True}
    assert "half is told below epsilon 1, the least of these, which tells 9" in told("--values 1,5")
    none = shown("frontier job.toml --values 0.01")
    assert none["half"] == {"least": None, "is_bound": False}
    assert "half is told at none" in told("--values 0.01")
    assert "half is told at all" in told("--over eta --values 0.05")
    text = (folder / "program.json").read_text()
    (folder / "program.json").write_text(text.replace('"G"', '"unit": "MW", "G"'))
    assert "distance, MW" in told("--values 1")
    assert shown("frontier job.toml --values 1")["unit"] == "MW"


def test_where_there_is_no_decision_it_is_marked(folder: Path) -> None:
    found = shown("frontier job.toml --upper 11.9 --lower 0.1 --values 1 --measure nothing")
    assert [point["status"] for point in found["points"]] == ["infeasible"]
    assert found["points"][0]["verdict"] is None
    assert found["constant"] is None


def test_values_are_a_list_or_a_range(folder: Path) -> None:
    """Even ratios where only ratios matter, even steps elsewhere."""

    def values(words: str) -> list[float]:
        found = shown("frontier plan.toml --points 3", words)
        return [point["value"] for point in found["points"]]

    assert values("--from 1 --to 100") == [1.0, 10.0, 100.0]
    assert values("--over phi --from 0 --to 1") == [0.0, 0.5, 1.0]
    assert values("--values 3,1,2,1") == [1.0, 2.0, 3.0]
