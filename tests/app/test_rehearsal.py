"""A rehearsal: what it says is what the release then does, and it leaves nothing behind."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from tests.app.test_preparing import job

import privopt as po
from privopt.app.job import Job
from privopt.app.making import instrument_of
from privopt.app.measuring import tried
from privopt.app.preparing import prepare
from privopt.app.rehearsal import rehearsed

__all__ = ["job"]


def test_what_it_says_is_what_the_release_does(job: Job, tmp_path: Path) -> None:
    before = set(tmp_path.iterdir())
    ready = prepare(job)
    first = rehearsed(ready, job)
    assert set(tmp_path.iterdir()) == before
    assert (first.new, first.replayed, first.left) == (True, False, po.Budget(1))
    ledger = job.open_ledger()
    assert ledger is not None
    ready.draw(ledger)
    assert ledger.spent == first.charge == ready.request.charge
    again = rehearsed(ready, job)
    assert (again.new, again.replayed, again.charge) == (False, True, po.Budget(0))
    assert again.left == again.left_after == first.left_after


def test_what_the_ledger_would_refuse_is_refused_with_the_same_words(job: Job) -> None:
    ready = prepare(job)
    small = dataclasses.replace(job, limit=po.Budget("0.5"))
    with pytest.raises(po.errors.BudgetExceededError) as dry:
        rehearsed(ready, small)
    with pytest.raises(po.errors.BudgetExceededError) as wet:
        ready.draw(small.open_ledger())
    assert str(dry.value) == str(wet.value)


def test_without_a_ledger_nothing_is_left_to_tell(job: Job) -> None:
    alone = dataclasses.replace(job, ledger=None, key=None)
    found = rehearsed(prepare(job), alone)
    facts = {fact.name: fact.text for fact in found.view().facts}
    assert facts["ledger"] == "none: nothing would count it"
    assert facts["would charge"] == "epsilon 1, for changes up to 0.1"
    worth = tried(job, instrument_of(job)).worth
    assert facts["tells"].startswith(worth.verdict)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["worth"]["tells"] == worth.to_dict()["tells"]
    assert told["worth"]["provenance"] == "SAMPLED"
    assert told["charge"] == {"epsilon": "1", "delta": "0"}
    assert [told[name] for name in ("limit", "spent", "left", "left_after")] == [None] * 4


def test_dry_run_and_release_each_say_what_their_number_is(job: Job) -> None:
    """They may differ: one is of the middle of the domain, the other of the y that came."""
    alone = dataclasses.replace(
        job, ledger=None, limit=None, key=None, measure="total", mechanism="measured"
    )
    ready = prepare(alone)
    (dry,) = [one.text for one in rehearsed(ready, alone).view().facts if one.name == "tells"]
    assert ready.worth is not None
    assert dry.startswith(f"{ready.worth.verdict} (if the sums are those of the middle")
    release = ready.draw(None)
    (wet,) = [one.text for one in release.view().facts if one.name == "tells"]
    assert release.worth is not None
    assert wet == f"{release.worth.verdict} (given what was measured)"
