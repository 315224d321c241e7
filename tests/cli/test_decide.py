"""`privopt decide`: from a measurement, free; a saved decision is checked in exact arithmetic."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.app.writing import toml
from tests.cli.running import DOMAIN, PROGRAM, TREE, run, shown

import privopt as po
from privopt.record import digest


@pytest.fixture
def measured(folder: Path) -> Path:
    domain = {"domain": {"lower": 5.0, "upper": 7.0}}
    (folder / "m.toml").write_text(toml(TREE | domain))
    run("measure --no-ledger m.toml --out m.json")
    (folder / "d.csv").unlink()  # nothing reads the data any more
    return folder / "m.json"


def test_one_measurement_serves_many_decisions(folder: Path, measured: Path) -> None:
    words = ("decide m.toml --measurement", measured)
    found = shown(*words, "--out one.json")
    assert (found["private"], found["fallback"]) == (False, False)
    made = po.Decision.load(folder / "one.json")
    assert found["values"] == made.values.tolist()
    assert po.Release.load(folder / "one.release.json") == made.release()
    program = po.PublicProgram.load("program.json").program
    asked = po.Identity(["coal", "gas"]), po.Measurement.load(measured), po.ExactBox(eta=0.05)
    assert made.to_dict() == po.decide(program, *asked).to_dict()
    other = shown(*words, "--identity hydro --eta 0.01 --fidelity 10")
    assert other["names"] == ["hydro"]
    assert other["rests_on"] == found["rests_on"]
    said = run(*words)
    assert "Decision" in said.stdout
    assert "Not saved" in said.stderr
    assert "is there already" in run(*words, "--out one.json", code=2).stderr
    assert shown("decide --check one.json")["confirmed"]
    assert "Confirmed" in run("decide --check one.json").stdout
    checked = shown("verify --decision one.json --samples 100", code=1)
    assert checked["confirmed"] is None  # no ledger counted it


def test_several_measurements_are_combined(folder: Path, measured: Path) -> None:
    (folder / "d.csv").write_text("demand,6.0\n")
    run("measure --no-ledger m.toml --out n.json")
    words = ("decide m.toml --measurement", measured, "--measurement n.json")
    found = shown(*words, "--out both.json")
    assert len(found["rests_on"]) == 2
    assert found["epsilon"] == pytest.approx(2)
    assert shown("decide --check both.json")["confirmed"]


def changed(path: Path, change: Any) -> Path:
    data = json.loads(path.read_text())
    change(data)
    other = path.with_name("changed.json")
    other.write_text(json.dumps(data))
    return other


def moved(data: dict[str, Any]) -> None:
    data["values"][0] += 0.5


def renamed(data: dict[str, Any]) -> None:
    """Another program, under its own digest."""
    program = data["parts"].pop(data["program"])
    program["upper"] = [value / 10 for value in program["upper"]]
    data["program"] = digest(program)
    data["parts"][data["program"]] = program


@pytest.mark.parametrize("change", [moved, renamed])
def test_a_forged_decision_is_not_confirmed(folder: Path, measured: Path, change: Any) -> None:
    run("decide m.toml --measurement", measured, "--out one.json")
    forged = changed(folder / "one.json", change)
    assert not shown("decide --check", forged, code=1)["confirmed"]
    assert "Not confirmed" in run("decide --check", forged, code=1).stdout


def test_values_within_a_distance(folder: Path, measured: Path) -> None:
    words = ("decide m.toml --measurement", measured)
    free = shown(*words)["distance"]
    near = shown(*words, "--within", free, "--out near.json")
    assert near["distance"] <= 1.05 * free
    assert shown("decide --check near.json")["confirmed"]
    program = po.PublicProgram.load("program.json").program
    asked = po.Identity(["coal", "gas"]), po.Measurement.load(measured), po.ExactBox(eta=0.05)
    same = po.decide(program, *asked, fidelity=po.Within(free))
    assert po.Decision.load("near.json").to_dict() == same.to_dict()
    far = run(*words, "--within 1e-4", code=3).stderr
    assert "needed: a distance of at least" in far
    assert "one of" in run(*words, "--within 1 --fidelity 1", code=2).stderr


def test_no_decision_is_public_and_a_fallback_is_named_in_advance(
    folder: Path, measured: Path
) -> None:
    tight = PROGRAM | {"upper": 2.2}
    (folder / "tight.json").write_text(json.dumps(tight))
    words = ("decide m.toml --measurement", measured, "--program tight.json")
    assert "fallback" in run(*words, "--eta 1e-9", code=3).stderr
    (folder / "back.csv").write_text("coal,2\ngas,2\n")
    for given in ("2", "back.csv", "2,2"):
        found = shown(*words, "--eta 1e-9 --out back.json --overwrite --fallback", given)
        assert found["fallback"]
        assert found["values"] == [2.0, 2.0]
    assert not shown("decide --check back.json", code=1)["confirmed"]


def test_the_optimal_cost_is_told_with_the_decision(folder: Path, measured: Path) -> None:
    words = ("decide m.toml --measurement", measured)
    found = shown(*words, "--out told.json")["optimal_cost"]
    made = po.Decision.load(folder / "told.json").optimal_cost
    assert found["value"] == made.value
    assert found["interval"] == list(made.interval)
    assert made.interval[0] < made.value < made.interval[1]
    assert "[SAMPLED]" in run(*words).stdout
    run("report told.json --out told.html")
    page = (folder / "told.html").read_text()
    assert made.summary() in page


def test_what_a_decision_does_not_use_is_refused_and_rounding_is_no_difference(
    folder: Path, measured: Path
) -> None:
    """Entries of the job that only plans know; a domain that differs in its last digits."""
    for part, entries, code in (
        ("objective", {"kind": "solution-deviation", "phi": 0.5}, 2),
        ("repeat", {"mu": 0.01}, 2),
        ("domain", {"lower": 5.0, "upper": 7.5}, 2),
        ("domain", {"lower": 5.0 + 1e-8, "upper": 7.0}, 0),
    ):
        (folder / "m.toml").write_text(toml(TREE | DOMAIN | {part: entries}))
        result = run("decide m.toml --measurement", measured, code=code)
        assert not code or f"[{part}]" in result.stderr
