"""`privopt release`: charged once, replayed free, and not a word of the data unasked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.running import D, flat, run, shown
from tests.ledger.stores.toy import SHELVES, ToyStore

import privopt as po
from privopt.ledger.stores.registry import STORES


def test_release_counts_and_replays(folder: Path) -> None:
    common = "release plan.toml --ledger d.ledger"
    missing = run(common, "--key may", code=2).stderr
    assert "name its place, if it was moved" in missing
    first = shown(common, "--limit 2 --key may --out may.json")
    assert po.Release.load(folder / "may.json").to_dict().items() <= first.items()
    content = (folder / "may.json").read_bytes()
    again = run(common, "--key may --out may.json --json")
    assert json.loads(again.stdout) == first
    assert "Replayed from row 2 of the ledger: free" in again.stderr
    (folder / "other.csv").write_text("demand,5.5\n")
    other = run(common, "--data other.csv --key may --out may.json")
    assert "replayed" in other.stdout
    assert "The data that were given now are not in them." in other.stderr
    assert (folder / "may.json").read_bytes() == content
    ledger = po.Ledger(folder / "d.ledger", read_only=True)
    assert ledger.spent == po.Budget(1)
    # Another release does not write over the one that was paid for, and is not charged either.
    refused = run(common, "--key june --out may.json", code=2)
    assert "Nothing was charged" in refused.stderr
    assert ledger.spent == po.Budget(1)
    june = run(common, "--key june --out june.json")
    assert "spent epsilon 2 of epsilon 2" in june.stdout
    assert "eplayed" not in june.output
    refused = run(common, "--key july --out july.json", code=4)
    assert "privopt ledger limit" in refused.stderr
    assert "costs epsilon 1, and epsilon 0" in refused.stderr
    assert "Budget(" not in refused.stderr
    assert refused.stdout == ""
    assert not (folder / "july.json").exists()
    ledger.close()


def test_a_release_of_a_job_by_plan_or_decision(folder: Path) -> None:
    result = run("release --no-ledger job.toml --json")
    assert json.loads(result.stdout)["mechanism"] == "decision"
    assert "No ledger counted this release" in result.stderr
    for words in ("job.toml --plan", "job.toml --mechanism plan", "plan.toml"):
        assert shown("release --no-ledger", words)["mechanism"] == "plan"
    said = run("release plan.toml --ledger x.ledger --limit 1 --key a")
    assert "PUBLIC" in said.stdout
    assert "ASSUMED" in said.stdout
    assert "There is no ledger at x.ledger. A new one is made" in said.stderr
    assert "the same command again is charged again" not in said.stderr
    said = run("release plan.toml --ledger x.ledger --limit 1 --key a")
    assert "warning" not in said.stderr  # it is there by now


def test_what_is_clamped_is_told_to_the_curator_who_asks(folder: Path) -> None:
    words = "release --no-ledger job.toml --json --data"
    (folder / "far.csv").write_text("demand,9.87654\n")
    quiet, inside = run(words, "far.csv"), run(words, "d.csv")
    assert quiet.stderr == inside.stderr  # not a word depends on d
    hint = "are clamped to it. Which, the curator can see at no charge: privopt check."
    assert quiet.stderr.count(hint) == 1
    plan = run("release --no-ledger plan.toml --json").stderr
    assert hint not in plan  # a plan clamps nothing
    measured = "measure --no-ledger job.toml --json --data"
    assert run(measured, "far.csv").stderr == run(measured, "d.csv").stderr
    told = run(words, "far.csv --reveal").stderr
    assert told == quiet.stderr  # --reveal is about errors


@pytest.mark.parametrize(
    "content",
    [f"demand,{D}\nother,{D}", f"demand,{D}x", f"[{D}, {D}]", f"client {D},{D}", "\udcff"],
)
def test_errors_about_data_quote_nothing_of_them(folder: Path, content: str) -> None:
    (folder / "d.csv").write_bytes(content.encode("utf-8", "surrogateescape"))
    result = run("release --no-ledger plan.toml", code=2)
    assert "6.01" not in result.output
    assert "d.csv" in result.stderr
    assert "name,value" in result.stderr
    assert "client" not in result.output
    told = run("release --no-ledger plan.toml --reveal", code=2)
    assert "PRIVATE" in told.stderr
    assert "--reveal" not in told.stderr


def test_a_ledger_may_lie_in_another_store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address in the place of a file: made, charged, replayed, looked at and checked."""
    monkeypatch.setitem(STORES, "toy", ToyStore)
    place = "toy://shelf/d"
    common = ("release plan.toml --ledger", place)
    assert "there is no ledger at toy://shelf/d" in run(*common, code=2).stderr
    dry = run(*common, "--limit 2 --key may --dry-run")
    assert "charge" in dry.stdout
    assert not SHELVES
    first = shown(*common, "--limit 2 --key may --out may.json")
    assert shown(*common, "--key may --out may.json") == first
    assert shown("ledger show", place)["spent"]["epsilon"] == "1"
    assert shown("ledger verify", place)["charges"] == 1
    assert "is there already" in run("ledger create", place, "1", code=2).stderr
    run("ledger fetch", place, "--key may --out again.json")
    assert po.Release.load(folder / "again.json") == po.Release.load(folder / "may.json")
    refused = run("ledger show other://host/secret", code=2).stderr
    assert "no store of ledgers is called other://" in refused
    assert sorted(path.name for path in folder.iterdir() if ":" in path.name) == []
    SHELVES.clear()


def test_an_address_in_a_job_file_is_said_again_by_whoever_means_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job may come from someone else: no new ledger is made where it says, outside its folder."""
    monkeypatch.setitem(STORES, "toy", ToyStore)
    job = folder / "job.toml"
    job.write_text(f'{job.read_text()}\n[ledger]\npath = "toy://shelf/j"\nlimit = 2\n')
    refused = run("release", job, "--plan", code=2)
    assert "leads out of its folder" in refused.stderr
    assert not SHELVES


@pytest.mark.parametrize("command", ["release", "measure"])
def test_nothing_is_published_without_a_ledger_unless_that_is_asked_for(
    folder: Path, command: str
) -> None:
    before = sorted(path.name for path in folder.iterdir())
    said = run(command, "job.toml --out r.json", code=2).stderr
    for part in ("--ledger FILE --limit 1.0", "privopt ledger create", "--no-ledger"):
        assert part in flat(said)
    assert sorted(path.name for path in folder.iterdir()) == before
    dry = run(command, "job.toml --dry-run")
    assert "--no-ledger" in flat(dry.stderr)
    assert "--no-ledger" not in run(command, "job.toml --dry-run --no-ledger").stderr
    both = run(command, "job.toml --no-ledger --ledger d.ledger --limit 1", code=2)
    assert "leave one out" in both.stderr
    assert "without a ledger" in run(command, "job.toml --key may", code=2).stderr
    run(command, "job.toml --no-ledger --out r.json")
    assert (folder / "r.json").exists()
