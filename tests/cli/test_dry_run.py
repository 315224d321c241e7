"""`release --dry-run`: what would be charged, and nothing else happens."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.running import DOMAIN, TREE, flat, run, shown

import privopt as po

pytestmark = pytest.mark.usefixtures("folder")
DRY = "--dry-run --ledger d.ledger"


def test_nothing_is_made() -> None:
    before = set(Path().iterdir())
    words = ("release job.toml", DRY, "--limit 2 --key may")
    result = run(*words, "--out r.json")
    said = flat(result.stdout)
    for part in (
        "PUBLIC Dry run: nothing was charged or released",
        "would charge epsilon 1, for changes up to 0.05",
        "d.ledger (would be made)",
        "spent epsilon 0 of epsilon 2: epsilon 2 left",
        "after it epsilon 1 left",
    ):
        assert part in said
    assert "privopt check" in result.stderr
    assert set(Path().iterdir()) == before
    data = shown(*words)
    assert data["dry_run"] is True
    assert data["new"] is True
    assert data["charge"] == {"epsilon": "1", "delta": "0"}
    assert data["left_after"] == {"epsilon": "1", "delta": "0"}
    assert "values" not in data
    assert set(Path().iterdir()) == before


def test_it_says_what_the_release_then_does() -> None:
    common = "release plan.toml --ledger d.ledger"
    run(common, "--limit 1.5 --key may")
    again = shown(common, "--dry-run --key may")
    assert again["replayed"] is True
    assert again["charge"] == {"epsilon": "0", "delta": "0"}
    assert again["left"] == again["left_after"] == {"epsilon": "0.5", "delta": "0"}
    assert "would be replayed" in run(common, "--dry-run --key may").stdout
    # What the release would refuse, with the same words and exit code.
    dry, wet = (run(common, how, "--key june", code=4) for how in ("--dry-run", ""))
    assert dry.stderr == wet.stderr
    assert dry.stdout == ""
    for words, code in (
        (["--key may --limit 3"], 2),
        (["--dataset other"], 2),
        (["--ledger none.ledger"], 2),
    ):
        dry, wet = (run(common, how, words, code=code) for how in ("--dry-run", ""))
        assert dry.stderr == wet.stderr
    run("ledger limit d.ledger 2 --yes")
    assert shown(common, "--dry-run --key june")["left_after"]["epsilon"] == "0"
    with po.Ledger("d.ledger", read_only=True) as ledger:
        assert ledger.spent == po.Budget(1)
        assert [event.key for event in ledger.events if event.key] == ["may"]


def test_a_key_of_another_request_is_refused() -> None:
    words = "--ledger d.ledger --limit 9 --key may"
    run("release plan.toml", words)
    dry, wet = (run("release job.toml", words, how, code=2) for how in ("--dry-run", ""))
    assert "stands for another request" in dry.stderr
    assert dry.stderr == wet.stderr


def test_a_dry_run_says_nothing_of_the_data() -> None:
    Path("far.csv").write_text("demand,9.87654\n")
    words = "release plan.toml --dry-run --ledger d.ledger --limit 2"
    quiet, inside = (run(words, "--data", file) for file in ("far.csv", "d.csv"))
    assert quiet.output == inside.output  # not a word depends on d
    assert not Path("d.ledger").exists()


def test_bad_data_are_found() -> None:
    Path("d.csv").write_text("demand,x\n")
    said = run("release plan.toml", DRY, "--limit 2", code=2).stderr
    assert "d.csv" in said
    assert not Path("d.ledger").exists()


def test_plans_and_jobs_too() -> None:
    assert shown("release plan.toml --dry-run")["privacy"] == "ASSUMED"
    found = shown("release job.toml --dry-run")
    assert (found["privacy"], found["ledger"], found["left"]) == ("PROVEN", None, None)
    said = flat(run("release job.toml --dry-run").stdout)
    assert "nothing would count it" in said
    assert found["worth"]["provenance"] == "SAMPLED"
    # What it tells is of the middle of the domain; a release, of what was measured.
    assert f"tells {found['worth']['verdict']} (if the sums are those of the middle" in said
    made = flat(run("release job.toml --no-ledger").stdout)
    assert "(given what was measured)" in made
    assert found == shown("release job.toml --dry-run")  # the trial draws the same
    assert "without a ledger" in run(
        "release job.toml --dry-run --key may", code=2
    ).stderr  # fmt: skip


def test_a_file_that_is_there_makes_no_ledger() -> None:
    Path("r.json").write_text("{}")
    for how in ("--dry-run", ""):
        words = "--ledger d.ledger --limit 2 --key may --out r.json"
        said = run("release plan.toml", words, how, code=2).stderr
        assert "is there already" in said
        assert not Path("d.ledger").exists()


def test_values_that_tell_nothing_are_told_before_the_charge(folder: Path) -> None:
    """The cheapest unit is at its limit whatever the demand is."""
    tree = TREE | DOMAIN | {"query": {"identity": ["coal"]}}
    (folder / "job.toml").write_text(toml(tree))
    (words,) = shown("release job.toml --dry-run")["warnings"]
    assert words.startswith("The values tell nothing")
    release = "release job.toml"
    assert words in flat(run(release, "--no-ledger").stderr)
    assert words in flat(run(release, "--dry-run").stderr)
    # Also where the charge is refused: it is told before.
    ledger = "--ledger d.ledger --limit 0.1 --out r.json"
    assert words in flat(run(release, ledger, code=4).stderr)
