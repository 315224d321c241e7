"""What a large ledger costs: counts of rows that are read, not of seconds."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from tests.ledger.requests import never, open_ledger, request, sqlite

from privopt.ledger import Ledger, row, verification

ROWS = 400


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    made = open_ledger(folder, 1000)
    for number in range(ROWS // 2):
        made.charge(request("0.1"), lambda _: b"x" * 100, f"key {number}")
    return made


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows that are made of what SQLite gives."""
    rows: list[int] = []
    make = row.Row.__init__

    def init(self: row.Row, **held: object) -> None:
        make(self, **held)  # pyright: ignore[reportArgumentType]
        rows.append(self.seq)

    monkeypatch.setattr(row.Row, "__init__", init)
    return rows


def test_a_look_at_the_end_reads_the_end(ledger: Ledger, seen: list[int]) -> None:
    assert [event.row for event in ledger.recent(3)] == [ROWS - 4, ROWS - 2, ROWS]
    assert all(event.released for event in ledger.recent(3))
    assert set(seen) <= set(range(ROWS - 4, ROWS + 2))


def test_a_charge_a_rehearsal_and_a_key_read_a_few_rows(ledger: Ledger, seen: list[int]) -> None:
    works = (
        lambda: ledger.charge(request("0.1"), lambda _: b"x"),
        lambda: ledger.charge(request("0.1"), never, "key 7"),
        lambda: ledger.rehearse(request("0.1"), "key 9"),
        lambda: ledger.released("key 11"),
        lambda: ledger.fetch(key="key 13"),
        lambda: (ledger.spent, ledger.limit, ledger.left, ledger.head, repr(ledger)),
    )
    for work in works:
        seen.clear()
        work()
        assert 0 < len(seen) <= 14
    with sqlite(ledger).reading() as rows:
        for sql in ("key_digest = x'00'", "of = 3", "seq = 5"):
            asked = f"EXPLAIN QUERY PLAN SELECT seq FROM entries WHERE {sql}"  # noqa: S608
            plan = rows.connection.execute(asked)
            assert all("SEARCH" in step[3] for step in plan)


@pytest.mark.long
def test_verify_reads_in_portions_and_keeps_nothing(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "PORTION", 10)
    peaks: list[int] = []
    for _ in range(2):
        tracemalloc.start()
        assert ledger.verify().rows == 2 * ledger.verify().charges + 1
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        for number in range(ROWS):
            ledger.charge(request("0.1"), lambda _: b"x" * 100, f"more {number}")
    assert peaks[1] < 1.3 * peaks[0]


def test_verify_lets_others_charge_between_its_portions(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "PORTION", 10)
    other = Ledger(ledger.path)
    reading, charged = sqlite(ledger).reading, 0

    def between(**given: bool) -> object:
        nonlocal charged
        if charged < 5:
            charged += 1
            other.charge(request("0.1"), lambda _: b"x")
        return reading(**given)

    monkeypatch.setattr(sqlite(ledger), "reading", between)
    assert ledger.verify().rows == ROWS + 1 + 2 * charged
