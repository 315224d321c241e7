"""`privopt verify`: a claim that does not hold is refuted, a forged release found."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.app.writing import toml
from tests.cli.running import TREE, run, shown

import privopt as po


def test_verify_simulates(folder: Path) -> None:
    plan = shown("verify plan.toml --samples 2000")
    assert plan["private"] is True
    assert plan["refuted"] is False
    assert plan["allowed"] == 0.05
    assert 0 <= plan["violation"]["value"] <= 0.05
    assert "PRIVATE" in run("verify plan.toml --samples 1000").stdout
    assert "say --plan" in run("verify job.toml", code=2).stderr
    assert shown("verify job.toml --plan --samples 2000") == plan


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """No honest plan breaks its limits: makes simulations see as many breaks as a test says."""

    def plant(together: int, rows: Sequence[int], samples: int = 10_000) -> None:
        one, each = po.Estimate.of(together, samples), po.Estimate.of(np.array(rows), samples)
        names = tuple(f"row{k}" for k in range(len(rows)))
        seen = po.Verification(one, one, each, names, 1e-7)
        monkeypatch.setattr(po.Plan, "verify", lambda *_: seen)

    return plant


EACH = "analytic --eta 0.01,0.1,0.1,0.1,0.1,0.1"
KINDS = [
    ("exact-box --eta 0.05", 0.05), ("analytic --eta 0.05", 0.05), ("analytic --eta 1e-5", 1e-5),
    ("analytic --eta 0.07 --scope joint", 0.07), ("sampled-box --eta 0.1 --beta 0.01", 0.1),
    ("joint --eta 0.1 --beta 0.01", 0.1), ("scenario --eta 0.2 --beta 0.01", 0.2),
    ("always --noise truncated --delta 0.01", 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "allowed"), KINDS)
def test_a_claim_that_does_not_hold_is_refuted(
    folder: Path, broken: Callable[..., None], kind: str, allowed: float
) -> None:
    words = f"verify --feasibility {kind} --alpha 0.01"
    job = {name: TREE[name] for name in ("program", "data", "query", "privacy")}
    (folder / "kind.toml").write_text(toml(job))
    for count in (0, 5000):
        broken(count, [count] * 6)
        found = run(words, "kind.toml --json", code=1 if count else 0)
        data = json.loads(found.stdout)
        assert data["refuted"] is bool(count)
        assert data["allowed"] == pytest.approx(allowed, abs=1e-6)
    assert "Refuted" in run(words, "kind.toml", code=1).stdout


def test_of_one_draw_in_several_the_claim_of_the_plan_says_what_is_allowed(
    folder: Path, broken: Callable[..., None]
) -> None:
    words = "verify plan.toml --mu 0.01 --feasibility"
    broken(5000, [5000] * 6)
    assert shown(words, "joint --beta 0.01", code=1)["refuted"]
    for none in ("analytic", "scenario --beta 0.01 --scenarios 20"):  # no one number, or no claim
        found = run(words, none).stdout
        assert "Not compared" in found


@pytest.mark.parametrize(
    ("kind", "together", "rows", "refuted"),
    [
        ("exact-box", 510, [510, 0], False), ("exact-box", 560, [560, 0], False),
        ("exact-box", 650, [650, 0], True), ("analytic", 1100, [540, 500], False),
        ("analytic", 1100, [680, 0], True), ("analytic", 3000, [550] * 6, False),
        (EACH, 1100, [110, 1000], False), (EACH, 1100, [180, 1000], True),
        (EACH, 1100, [110, 1200], True), (EACH, 0, [0], None),
    ],
)  # fmt: skip
def test_chance_alone_does_not_refute(
    folder: Path, broken: Callable[..., None], kind: str, together: int, rows: list[int],
    refuted: bool | None,
) -> None:  # fmt: skip
    """5% of 10,000 are allowed: of all limits together, or of each; or a share for each limit."""
    broken(together, rows + [0] * (6 - len(rows)) * (refuted is not None))
    found = shown("verify plan.toml --feasibility", kind, code=int(refuted or False))
    allowed = None if refuted is None else 0.1 if kind == EACH else 0.05
    assert (found["refuted"], found["allowed"]) == (bool(refuted), allowed)


def test_verify_a_release_against_its_ledger(folder: Path) -> None:
    run(
        "release plan.toml --ledger a.ledger --limit 1 --key may --out r.json",
    )  # fmt: skip
    data = shown("verify --release r.json --ledger a.ledger")
    assert data["confirmed"] is True
    assert all(one.keys() == {"what", "holds", "seen"} for one in data["findings"])
    assert "Confirmed" in run("verify --release r.json --ledger a.ledger").stdout
    assert "not compared" in run("verify --release r.json", code=1).stdout
    whole = json.loads((folder / "r.json").read_text())
    forgeries: list[dict[str, Any]] = [
        whole | {"values": [whole["values"][0] + 2.0**-20, *whole["values"][1:]]},
        whole | {"ledger": whole["ledger"] | {"row": 1}},
        whole | {"ledger": whole["ledger"] | {"row": 10**30}},
        whole | {"ledger": whole["ledger"] | {"digest": "0" * 64}},
        whole | {"ledger": whole["ledger"] | {"dataset": "b"}},
        whole | {"ledger": whole["ledger"] | {"epsilon": "0.5"}},
        whole | {"ledger": None},
        whole | {"ledger": whole["ledger"] | {"row": 99}},
    ]
    for forged in forgeries:
        (folder / "forged.json").write_text(json.dumps(forged))
        found = shown("verify --release forged.json --ledger a.ledger", code=1)
        assert found["confirmed"] is False
    (folder / "forged.json").write_text(json.dumps({**whole, "names": []}))
    run("verify --release forged.json", code=2)
    run("verify --release r.json --ledger none.ledger", code=2)


def test_a_decided_release_is_compared_with_the_decision_beside_it(folder: Path) -> None:
    """One that was edited is not confirmed; alone it is only partly compared: exit code 1."""
    counted = "--ledger a.ledger --limit 2 --key may"
    words = f"--mechanism measured --lower 5 --upper 7 {counted}"
    run("release plan.toml", words, "--out r.json")
    assert shown("verify r.json --ledger a.ledger")["confirmed"] is True
    # What a decision says of its loss is in no ledger, so nothing can confirm it.
    alone = shown("verify r.decision.json --ledger a.ledger", code=1)
    assert alone["confirmed"] is None
    assert all(one["holds"] is not False for one in alone["findings"])
    whole = json.loads((folder / "r.json").read_text())
    kept = folder / "alone.json"
    kept.write_text(json.dumps(whole))
    assert shown("verify", kept, "--ledger a.ledger", code=1)["confirmed"] is None
    whole["values"][0] += 0.01
    (folder / "r.json").write_text(json.dumps(whole))
    said = run("verify r.json --ledger a.ledger", code=1).stdout
    assert "Not confirmed" in said
    assert "Confirmed" not in said
    alone = run("verify", kept, "--ledger a.ledger", code=1).stdout
    assert "Partly confirmed" in alone
    run(
        "release plan.toml", words.replace("may", "june"), "--out other.json"
    )  # with a decision of its own
    assert not shown("verify", kept, "--decision other.decision.json", "--ledger a.ledger", code=1)[
        "confirmed"
    ]


def test_any_file_of_ours_is_taken_or_told_what_it_is(folder: Path) -> None:
    counted = "--ledger a.ledger --limit 2 --key may"
    run("release plan.toml", counted, "--out r.json")
    run("measure plan.toml --lower 5 --upper 7 --no-ledger --out m.json")
    assert shown("verify r.json --ledger a.ledger")["confirmed"] is True
    assert shown("verify m.json", code=1)["confirmed"] is None
    assert shown("verify a.ledger")["charges"] == 1
    run("evidence r.json --ledger a.ledger --out evidence")
    run("report r.json")
    for command in ("verify", "report"):
        for name, what in (("evidence", "an evidence folder"), ("r.html", "a page"),
                           ("program.json", "a program")):  # fmt: skip
            assert f"is {what}" in run(command, name, code=2).stderr
    assert "secret" not in run("report postgresql://u:secret@nowhere/x", code=2).output
    both = "verify r.json --release r.json"
    assert "one by one" in run(both, code=2).stderr


def test_of_a_redacted_output_the_digest_is_compared(folder: Path) -> None:
    run("release plan.toml --ledger a.ledger --limit 1 --out r.json")
    run("ledger redact a.ledger 2 --yes")
    assert shown("verify r.json --ledger a.ledger")["confirmed"] is True
    data = json.loads((folder / "r.json").read_text())
    data["values"][0] = math.nextafter(data["values"][0], 9.0)
    (folder / "r.json").write_text(json.dumps(data))
    assert shown("verify r.json --ledger a.ledger", code=1)["confirmed"] is False


def test_what_a_file_states_a_ledger_confirms(tmp_path: Path) -> None:
    """Of a measurement, and of what is decided from it; of another ledger nothing is."""
    program = po.ConvexProgram(linear=[1.0, 2.0], G=[[1, 1]], lower=0, upper=4)
    noise, box = po.Laplace(epsilon=1.0, alpha=0.1), po.Box(2, 3)
    instrument = po.Instrument([[1.0]], program=program, privacy=noise, domain=box)
    limits = po.ExactBox(eta=0.05)
    with po.Ledger(tmp_path / "own", po.Budget(3), dataset="loads") as ledger:
        made = instrument.measure([2.5], ledger)
        other = instrument.measure([2.5], ledger)
        made.save(tmp_path / "made.json")
        stated = po.Measurement.load(tmp_path / "made.json")
        decided = po.decide(program, po.Identity([0]), stated, limits)
        for one in (stated.claim, *dict(decided.guarantee.both).values()):
            assert one is not None
            assert one.label == "PROVEN as stated in its file"
        confirmed = stated.confirmed(ledger)
        decided = po.decide(program, po.Identity([0]), confirmed, limits)
        assert decided.guarantee.privacy.label == "PROVEN"
        assert confirmed == made
        assert made.release is not None
        assert other.release is not None
        forged = replace(made.release, values=other.release.values)
        with pytest.raises(po.errors.LedgerError, match="something else"):
            replace(made, release=forged).confirmed(ledger)
    with (
        po.Ledger(tmp_path / "other", po.Budget(3), dataset="loads") as ledger,
        pytest.raises(po.errors.LedgerError, match="not its charge"),
    ):
        stated.confirmed(ledger)
