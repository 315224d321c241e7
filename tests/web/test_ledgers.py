"""The ledger that a session names: made with a limit, read, verified; it is never charged here."""

from __future__ import annotations

from pathlib import Path

import pytest

from privopt.errors import InputError, PrivoptError
from privopt.ledger import Budget, Ledger
from privopt.web.ledgers import LedgerAt, name_ledger, named_ledger


def test_a_ledger_is_made_with_a_limit_and_shown(tmp_path: Path) -> None:
    place = str(tmp_path / "a.ledger")
    with pytest.raises(InputError) as caught:
        LedgerAt(place).made()
    assert "limit" in caught.value.remedy
    at = LedgerAt(place, "2", dataset="loads")
    assert at.amounts()["new"] is True
    assert not Path(place).exists()
    found = at.made().to_dict()
    assert found["dataset"] == "loads"
    assert found["limit"]["epsilon"] == "2"
    assert [row["kind"] for row in found["rows"]] == ["opened"]
    assert at.verified()["charges"] == 0
    with Ledger(place) as ledger:
        ledger.set_quota(Budget(1), releaser="anna")
    quota = at.to_dict()["quotas"][0]
    assert (quota["releaser"], quota["left"]["epsilon"]) == ("anna", "1")


def test_both_processes_know_which_it_is(tmp_path: Path) -> None:
    assert named_ledger(tmp_path) is None
    at = LedgerAt(str(tmp_path / "a.ledger"), "1", None, "x")
    name_ledger(tmp_path, at)
    assert named_ledger(tmp_path) == at
    assert (tmp_path / "ledger.json").stat().st_mode & 0o077 == 0


def test_what_is_no_ledger_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.ledger"
    path.write_text("no ledger")
    with pytest.raises(PrivoptError):
        LedgerAt(str(path), "1").made()
    assert path.read_text() == "no ledger"
