"""A ledger to hand out: its chain holds, and no key and no output is in it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from tests.kernel.loads import D, noise, program

import privopt as po
from privopt.ledger.handing import handed_out, lines
from privopt.ledger.row import THINGS, Row

KEY = "a key of the curator"


@pytest.fixture
def ledger(tmp_path: Path) -> po.Ledger:
    made = po.Ledger(tmp_path / "loads.ledger", limit=po.Budget(1.0))
    plan = po.solve(program(D), po.Identity([0]), noise(0.1), po.Analytic(eta=0.05))
    for name in ("one", "two", "three"):
        plan.release(made, f"{KEY}, {name}")
    made.redact(4)
    made.set_limit(po.Budget(2.0))
    return made


def test_the_chain_of_what_is_handed_out_holds(ledger: po.Ledger) -> None:
    """Recomputed here from the lines alone: redacted rows and new limits included."""
    found: list[dict[str, Any]] = [json.loads(line) for line in lines(ledger.store.reading)]
    before = "00" * 32
    for number, row in enumerate(found, 1):
        kept = {name: value for name, value in row.items() if name not in ("digest", *THINGS)}
        text = json.dumps(kept, sort_keys=True, separators=(",", ":"))
        assert row["seq"] == number
        assert row["previous"] == {"hex": before}
        before = hashlib.sha256(text.encode()).hexdigest()
        assert row["digest"] == {"hex": before}
    assert (len(found), before) == ledger.head
    assert [row["kind"] for row in found].count("charge") == 3
    assert found[-1]["limit_epsilon"] == str(2 * 10**30)


def test_keys_and_outputs_are_kept_back_and_requests_are_not(ledger: po.Ledger) -> None:
    text = "\n".join(lines(ledger.store.reading))
    assert KEY not in text
    output = ledger.fetch(row=2)
    value = json.loads(output)["values"][0]
    assert repr(value) not in text
    found = [json.loads(line) for line in text.splitlines()]
    assert not [row for row in found if "key" in row or "output" in row]
    charges = [row for row in found if row["kind"] == "charge"]
    assert ["request" in row for row in charges] == [True, False, True]  # one was redacted
    for row in charges:
        assert "key_digest" in row


def test_more_rows_than_a_portion(ledger: po.Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = list(lines(ledger.store.reading))
    for portion in (1, 2, len(whole), len(whole) + 1):
        monkeypatch.setattr("privopt.ledger.handing.PORTION", portion)
        assert list(lines(ledger.store.reading)) == whole


def test_releasers_are_digests() -> None:
    """The digest of the row can be made again from what is handed out."""
    row = Row(seq=2, kind="charge", releaser="Ann").sealed()
    plain = handed_out(row)
    assert "Ann" not in str(plain)
    assert plain["releaser"] == {"hex": hashlib.sha256(b"Ann").hexdigest()}
    text = {name: value for name, value in plain.items() if name != "digest"}
    canonical = json.dumps(text, sort_keys=True, separators=(",", ":")).encode()
    assert row.digest.hex() == hashlib.sha256(canonical).hexdigest()
