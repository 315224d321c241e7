"""`privopt evidence`: a folder that passes its own check, and a code that says if it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import D, flat, run, shown

from privopt.report.evidence import making

COUNTED = "--ledger d.ledger --limit 3 --key 'a key of mine'"


@pytest.fixture
def released(folder: Path) -> Path:
    run("release job.toml", COUNTED, "--out r.json")
    return folder


def test_a_release_and_what_it_rests_on(released: Path) -> None:
    rests_on = ("r.measurement.json", "r.decision.json")
    words = ("evidence r.json", *rests_on, "--ledger d.ledger")
    result = run(*words, "--out e")
    for part in ("checks passed", "NOT RECOMPUTED", "Evidence: e"):
        assert part in flat(result.stdout)
    text = b"".join(path.read_bytes() for path in released.glob("e/**/*") if path.is_file())
    for secret in (str(D), "a key of mine", str(released)):
        assert secret.encode() not in text
    found = shown(*words, "--out other")
    assert found["sound"]
    assert {one["result"] for one in found["recomputed"]} == {"PASS", "NOTE"}
    assert "is there already" in run(*words, "--out e", code=2).stderr


def test_a_failure_ends_with_1(released: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (released / "pack").mkdir()
    (released / "pack" / "recompute.py").write_text("print('FAIL  planted')\n")
    monkeypatch.setattr(making, "resources", lambda _: released / "pack")
    assert "FAIL  planted" in run(
        "evidence r.json --ledger d.ledger --out e", code=1
    ).stdout  # fmt: skip
