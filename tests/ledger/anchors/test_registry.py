"""An anchor is one file and one line: one in memory is added, and follows a ledger."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.ledger.damage import charge
from tests.ledger.requests import open_ledger

from privopt.errors import InputError, LedgerError
from privopt.ledger import Ledger
from privopt.ledger.anchors.protocol import Mark
from privopt.ledger.anchors.registry import ANCHORS, open_anchor

SHELF: dict[str, Mark] = {}


@dataclass
class ToyHeld:
    place: str
    mark: Mark | None

    def advance(self, mark: Mark) -> None:
        self.mark = SHELF[self.place] = mark


class ToyAnchor:
    def __init__(self, place: str) -> None:
        self.place = self.source = place

    def look(self) -> Mark | None:
        return SHELF.get(self.place)

    @contextmanager
    def hold(self, timeout: float) -> Generator[ToyHeld]:
        yield ToyHeld(self.place, self.look())


def test_another_kind_is_one_class_and_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ANCHORS, "toy", ToyAnchor)
    with open_ledger(folder, 1, anchor="toy://a") as ledger:
        older = ledger.path.read_bytes()
        charge(ledger)
        assert SHELF["toy://a"] == ledger.head
    ledger.path.write_bytes(older)
    with pytest.raises(LedgerError, match="toy://a at row 3"):
        Ledger(ledger.path, anchor="toy://a")


def test_a_scheme_that_nobody_knows_is_refused_without_its_address() -> None:
    with pytest.raises(InputError, match="no anchor is kept in other://") as refused:
        open_anchor("Other://user:secret@host/db")
    assert "secret" not in str(refused.value)
