"""The unit of a job stands beside every number in it, from the dry run to the evidence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.running import CUSTOMERS as GOOD
from tests.cli.running import NETWORK as JOB
from tests.cli.running import run

LEDGER = "--ledger d.ledger --limit 2 --key may"


def words(*command: object) -> str:
    return " ".join(run(*command).stdout.split())


@pytest.fixture
def chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A job in MW, and its customers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loads.csv").write_text(GOOD)
    (tmp_path / "job.toml").write_text(toml(JOB | {"data": {"file": "loads.csv"}}))
    return tmp_path


def test_a_unit_goes_from_the_dry_run_to_the_evidence(chain: Path) -> None:
    dry = words("release job.toml", LEDGER, "--dry-run")
    assert "for changes up to 1 MW" in dry
    assert "costs in $/h" in dry
    released = words("release job.toml", LEDGER, "--out r.json --clamp")
    assert "private entry by at most 1 MW" in released
    assert "one of 5 private entries differs by at most 1 MW" in words("ledger show d.ledger")
    state = json.loads(run("ledger show d.ledger --json").stdout)
    assert state["unit"] == "MW"
    run("report r.json --ledger d.ledger")
    assert "by at most 1 MW" in (chain / "r.html").read_text(encoding="utf-8")
    files = ("r.json", "r.measurement.json", "r.decision.json")
    run("evidence", *files, "--ledger d.ledger --out e")
    page = (chain / "e" / "index.html").read_text(encoding="utf-8")
    assert "private entry by at most 1 MW" in page
    assert ">MW</td>" in page


def test_the_claim_in_a_file_has_no_unit_of_its_own(chain: Path) -> None:
    """A unit is shown, and is no part of the promise: files and digests stay as they were."""
    run("release job.toml", LEDGER, "--out r.json --clamp")
    data = json.loads((chain / "r.json").read_text(encoding="utf-8"))
    assert "unit" not in data["guarantee"]["privacy"]["terms"]
    assert data["units"]["data"] == "MW"
