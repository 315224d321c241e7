"""`privopt advise`: one page of advice, from public data alone; a ledger is only read."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.cli.running import run, shown
from tests.cli.test_choose import D, job

import privopt as po

__all__ = ["job"]


@pytest.fixture(autouse=True)
def quick(few_draws: None, few_runs: None) -> None:
    """Few simulated decisions."""


@pytest.mark.long
def test_the_page_and_the_terminal_say_the_same(
    folder: Path, job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privopt.mechanisms.measured.choosing.epsilons_of", lambda *_: (8.0,))
    ledger = ("--ledger", "l.ledger", "--limit", "2.5")
    found = shown("advise", job, *ledger, "--out", "advice.html")
    assert (found["fits"], found["private"], found["page"]) == (2, False, "advice.html")
    assert found["left"] == {"epsilon": "2.5", "delta": "0"}
    page = " ".join((folder / "advice.html").read_text(encoding="utf-8").split())
    said = " ".join(run("advise", job, *ledger).stdout.split())
    for text in (found["verdict"], "of what varies in the answers", "PROVEN", "PUBLIC"):
        assert text in said
    for text in (found["verdict"], "Cost by epsilon", "Distance by epsilon", "SAMPLED"):
        assert text in page
    assert not (folder / "l.ledger").exists()
    assert not any(str(value)[:6] in page + said for value in D)


def test_what_was_chosen_before_is_taken(folder: Path, job: Path) -> None:
    text = job.read_text(encoding="utf-8")
    job.write_text(text + '\n[output]\ninstrument = "kept.json"\n', encoding="utf-8")
    run("choose", job)
    kept = po.Instrument.load(folder / "kept.json")
    again = run("advise", job)
    assert "as chosen before in" in again.stderr
    assert kept.comparison is not None
    assert shown("advise", job)["loss"] == kept.comparison["loss"]


def test_what_was_chosen_for_another_query_is_simulated_anew(folder: Path, job: Path) -> None:
    """The numbers are those of a job that was never asked about anything else."""
    text = job.read_text(encoding="utf-8")
    job.write_text(text + '\n[output]\ninstrument = "kept.json"\n', encoding="utf-8")
    run("choose", job)
    kept = (folder / "kept.json").read_bytes()
    sums = po.Instrument.load(folder / "kept.json").comparison
    assert sums is not None
    asked = ("--identity", "gas")
    said = run("advise", job, *asked)
    assert "It was chosen for coal." in said.stderr
    assert "chosen for coal, and were simulated anew" in " ".join(said.stdout.split())
    found = shown("advise", job, *asked)
    assert found["values"]["errors"] != sums["errors"]
    bare = json.loads(kept)
    del bare["comparison"]
    (folder / "bare.json").write_text(json.dumps(bare), encoding="utf-8")
    alone = shown("advise", job, *asked, "--measure", "bare.json")
    assert found["values"] == alone["values"]
    assert found["loss"] == alone["loss"]
    assert (folder / "kept.json").read_bytes() == kept


def test_values_that_follow_from_the_data_are_named_before_anything_is_simulated(
    folder: Path, job: Path
) -> None:
    said = run("advise", job, "--identity", "coal,gas", code=2).stderr
    assert "coal + gas follows from the private data alone" in " ".join(said.split())
    assert "north" in said  # the equality that fixes them
    assert "simulated decisions" not in said


@pytest.mark.parametrize(
    "words",
    [
        ("advise", "chosen.toml"),
        ("frontier", "chosen.toml", "--values", "1,2"),
        ("report", "program.json"),
        ("audit", "--instrument", "none.json"),
    ],
)
def test_the_extra_of_pages_is_looked_for_before_the_work(
    folder: Path, job: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is simulated, chosen or written where the page could not be made."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    before = sorted(folder.iterdir())
    said = run(*words, "--out", "page.html", code=2).stderr
    assert "jinja2 is not installed" in said
    assert "[report]" in said
    assert "simulated" not in said
    assert sorted(folder.iterdir()) == before


def test_what_is_missing_is_said(folder: Path, job: Path) -> None:
    (folder / "bare.toml").write_text('[program]\nfile = "program.json"\n', encoding="utf-8")
    assert "no [privacy]" in run("advise", "bare.toml", code=2).stderr
    assert "No such option" in run("advise", job, "--data", "d.csv", code=2).stderr
