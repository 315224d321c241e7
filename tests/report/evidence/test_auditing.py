"""Audits of what made the releases: each maker once, at data that are made up."""

from __future__ import annotations

import json

from tests.report.evidence.conftest import D, World

import privopt as po
from privopt.report.evidence.auditing import MEANING, audits, makers
from privopt.report.evidence.exhibits import exhibits


def test_each_maker_is_audited_once_whoever_names_it(world: World) -> None:
    with po.Ledger(world.ledger, read_only=True) as ledger:
        shown = exhibits(ledger, ledger.events, world.files)
        subjects = {one.request.subject for one in ledger.events if one.request}
    assert len(makers(shown)) == 3
    assert set(makers(shown)) < subjects  # a plan has no maker that could be audited
    inside = [one for one in shown if one.kind in ("decision", "measurement")]
    assert len(makers(inside)) == 3
    told: list[str] = []
    (found,) = audits([one for one in shown if one.kind == "decision"], 100, told.append)
    assert found.kind == "instrument"
    assert told == [f"auditing the instrument {found.digest[:12]}"]
    record = found.to_dict()
    assert record["claimed"] == found.found.claimed
    assert "made-up neighbours" in record["neighbours"]
    assert not any(str(value) in json.dumps(record) for value in D)
    assert audits(shown, 0) == ()


def test_it_says_what_an_audit_means() -> None:
    assert "proves nothing" in MEANING
