"""Opening a ledger: under its own name, alpha, private set and limit, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.ledger.requests import PRIVATE, never, open_ledger, request

from privopt.errors import (
    InputError,
    LedgerError,
)
from privopt.ledger import Budget, Ledger
from privopt.ledger.request import private_set


def test_the_first_charge_settles_what_was_not_said(folder: Path) -> None:
    ledger = open_ledger(folder)
    assert ledger.subject.alpha is None
    assert ledger.dataset == "loads"
    ledger.charge(request(0.1), lambda _: b"")
    assert (ledger.subject.alpha, ledger.subject.private) == (0.1, PRIVATE)
    for other in ({"alpha": 0.2}, {"private": private_set(["x"])}):
        with pytest.raises(LedgerError):
            ledger.charge(request(0.1, **other), never)


@pytest.mark.parametrize(
    "other", [{"dataset": "x"}, {"alpha": 0.2}, {"private": ["north"]}, {"limit": Budget(2)}]
)
def test_a_ledger_is_not_opened_as_something_else(folder: Path, other: dict[str, object]) -> None:
    open_ledger(folder, alpha=0.1, private=["north", "south"]).close()
    Ledger(folder / "loads.ledger", Budget(1), alpha=0.1, private=["south", "north"])
    with pytest.raises(LedgerError, match="Needed: .* What to do:"):
        Ledger(folder / "loads.ledger", **other)


@pytest.mark.parametrize(
    "wrong",
    [{"limit": 1.0}, {"dataset": ""}, {"alpha": 0}, {"alpha": "x"}, {"private": []},
     {"timeout": -1}, {"path": None}, {"path": "/no/such/folder/x"}, {"path": "/"}],
)  # fmt: skip
def test_what_cannot_be_a_ledger_is_refused(folder: Path, wrong: dict[str, object]) -> None:
    given: dict[str, object] = {"path": folder / "new", "limit": Budget(1), **wrong}
    with pytest.raises(InputError):
        Ledger(**given)
    assert not list(folder.iterdir())


def test_no_file_without_a_limit(folder: Path) -> None:
    for read_only in (False, True):
        with pytest.raises(LedgerError, match="there is no ledger at"):
            Ledger(folder / "new", read_only=read_only)
    assert not list(folder.iterdir())
    (folder / "new").touch()
    with pytest.raises(LedgerError, match="is empty"):
        Ledger(folder / "new")
    Ledger(folder / "new", Budget(1)).verify()
