"""`privopt advise`: one page of advice, from public data alone; a ledger is only read."""

from __future__ import annotations

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


def test_what_is_missing_is_said(folder: Path, job: Path) -> None:
    (folder / "bare.toml").write_text('[program]\nfile = "program.json"\n', encoding="utf-8")
    assert "no [privacy]" in run("advise", "bare.toml", code=2).stderr
    assert "No such option" in run("advise", job, "--data", "d.csv", code=2).stderr
