"""`privopt verify`: a claim that does not hold is refuted, a forged release found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import run, shown

from privopt.app.verifying import Verdict


def test_verify_simulates(folder: Path) -> None:
    plan = shown("verify", "plan.toml", "--samples", "2000")
    assert plan["private"] is True
    assert plan["refuted"] is False
    assert plan["allowed"] == 0.05
    assert 0 <= plan["violation"]["value"] <= 0.05
    assert "PRIVATE" in run("verify", "plan.toml", "--samples", "1000").stdout
    assert "say --plan" in run("verify", "job.toml", code=2).stderr
    assert shown("verify", "job.toml", "--plan", "--samples", "2000") == plan


def test_a_claim_that_does_not_hold_is_refuted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuted = Verdict(True, "Refuted: 5% is allowed, of each limit, and more was seen.", 0.05)
    monkeypatch.setattr("privopt.app.verifying.judge", lambda *_: refuted)
    words = ("verify", "plan.toml", "--samples", "100")
    assert shown(*words, code=1)["refuted"] is True
    assert "Refuted" in run(*words, code=1).stdout


def test_verify_a_release_against_its_ledger(folder: Path) -> None:
    run(
        "release", "plan.toml", "--ledger", "a.ledger", "--limit", "1",
        "--key", "may", "--out", "r.json",
    )  # fmt: skip
    data = shown("verify", "--release", "r.json", "--ledger", "a.ledger")
    assert data["confirmed"] is True
    assert all(one.keys() == {"what", "holds", "seen"} for one in data["findings"])
    assert "Confirmed" in run("verify", "--release", "r.json", "--ledger", "a.ledger").stdout
    assert "not compared" in run("verify", "--release", "r.json", code=1).stdout
    whole = json.loads((folder / "r.json").read_text())
    forgeries: list[dict[str, Any]] = [
        whole | {"values": [whole["values"][0] + 2.0**-20, *whole["values"][1:]]},
        whole | {"ledger": whole["ledger"] | {"row": 1}},
        whole | {"ledger": whole["ledger"] | {"row": 10**30}},
        whole | {"ledger": whole["ledger"] | {"digest": "0" * 64}},
        whole | {"ledger": whole["ledger"] | {"dataset": "b"}},
        whole | {"ledger": whole["ledger"] | {"epsilon": "0.5"}},
        whole | {"ledger": None},
    ]
    for forged in forgeries:
        (folder / "forged.json").write_text(json.dumps(forged))
        found = shown("verify", "--release", "forged.json", "--ledger", "a.ledger", code=1)
        assert found["confirmed"] is False
    (folder / "forged.json").write_text(json.dumps({**whole, "names": []}))
    run("verify", "--release", "forged.json", code=2)
    run("verify", "--release", "r.json", "--ledger", "none.ledger", code=2)


def test_a_decided_release_is_compared_with_the_decision_beside_it(folder: Path) -> None:
    """One that was edited is not confirmed; alone it is only partly compared: exit code 1."""
    counted = ("--ledger", "a.ledger", "--limit", "2", "--key", "may")
    words = ("--mechanism", "measured", "--lower", "5", "--upper", "7", *counted)
    run("release", "plan.toml", *words, "--out", "r.json")
    assert shown("verify", "r.json", "--ledger", "a.ledger")["confirmed"] is True
    # What a decision says of its loss is in no ledger, so nothing can confirm it.
    alone = shown("verify", "r.decision.json", "--ledger", "a.ledger", code=1)
    assert alone["confirmed"] is None
    assert all(one["holds"] is not False for one in alone["findings"])
    whole = json.loads((folder / "r.json").read_text())
    kept = folder / "alone.json"
    kept.write_text(json.dumps(whole))
    assert shown("verify", kept, "--ledger", "a.ledger", code=1)["confirmed"] is None
    whole["values"][0] += 0.01
    (folder / "r.json").write_text(json.dumps(whole))
    said = run("verify", "r.json", "--ledger", "a.ledger", code=1).stdout
    assert "Not confirmed" in said
    assert "Confirmed" not in said
    alone = run("verify", kept, "--ledger", "a.ledger", code=1).stdout
    assert "Partly confirmed" in alone


def test_any_file_of_ours_is_taken_or_told_what_it_is(folder: Path) -> None:
    counted = ("--ledger", "a.ledger", "--limit", "2", "--key", "may")
    run("release", "plan.toml", *counted, "--out", "r.json")
    run("measure", "plan.toml", "--lower", "5", "--upper", "7", "--no-ledger", "--out", "m.json")
    assert shown("verify", "r.json", "--ledger", "a.ledger")["confirmed"] is True
    assert shown("verify", "m.json", code=1)["confirmed"] is None
    assert shown("verify", "a.ledger")["charges"] == 1
    run("evidence", "r.json", "--ledger", "a.ledger", "--out", "evidence")
    run("report", "r.json")
    for command in ("verify", "report"):
        for name, what in (("evidence", "an evidence folder"), ("r.html", "a page"),
                           ("program.json", "a program")):  # fmt: skip
            assert f"is {what}" in run(command, name, code=2).stderr
    assert "secret" not in run("report", "postgresql://u:secret@nowhere/x", code=2).output
    both = ("verify", "r.json", "--release", "r.json")
    assert "one by one" in run(*both, code=2).stderr
