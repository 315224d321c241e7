"""A small file that unfolds to more rows than anyone can read: refused, after little work."""

from __future__ import annotations

import contextlib
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.ledger.forging import leaf_of, only, roots, unfold
from tests.ledger.requests import fork, join, open_ledger, request, sqlite

from privopt.errors import LedgerError, PrivoptError
from privopt.ledger import Budget, Ledger, chain, compose
from privopt.ledger.row import Row
from privopt.ledger.stores.sqlite import connecting
from privopt.ledger.stores.sqlite.connecting import Connection


@pytest.fixture
def path(folder: Path) -> Path:
    with open_ledger(folder, 1, releaser="anna") as made:
        made.charge(request("0.1"), lambda _: b"x", "k")
        return made.path


def table(path: Path) -> None:
    """The rows of the ledger: its first row over and over, then the true ones."""
    root = roots(path)["entries"]
    unfold(path, root, only(leaf_of(path, root), 0), cell=b"\1")


def table_in_the_middle(path: Path) -> None:
    """The true rows, then the last one over and over."""
    root = roots(path)["entries"]
    unfold(path, root, only(leaf_of(path, root), 2), cell=b"\3", first=True)


def outputs(path: Path) -> None:
    """The index of outputs by their charge: that of row 2, over and over."""
    root = roots(path)["sqlite_autoindex_entries_1"]
    unfold(path, root, leaf_of(path, root), cell=bytes([4, 3, 1, 9, 2]))


def keys(path: Path) -> None:
    """The index of keys."""
    root = roots(path)["sqlite_autoindex_entries_2"]
    unfold(path, root, leaf_of(path, root), cell=bytes([3, 3, 0, 9]))


def releasers(path: Path) -> None:
    """The index of releasers: that of row 2, over and over."""
    root = roots(path)["entries_by_releaser"]
    unfold(path, root, leaf_of(path, root), cell=bytes([8, 3, 21, 1]) + b"anna" + b"\2")


def sequence(path: Path) -> None:
    """SQLite's own counter of rows: counters of other tables, then the true one."""
    root = roots(path)["sqlite_sequence"]
    leaf = leaf_of(path, root).replace(b"entries", b"entriez")
    unfold(path, root, leaf, cell=b"\1")


def statements(path: Path) -> None:
    """SQLite's own list of tables: the true ones, then an index over and over."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    leaf = only(leaf_of(path, 1), names.index("sqlite_autoindex_entries_1"))
    unfold(path, 1, leaf, cell=b"\x09", first=True)


def uses(path: Path) -> list[Callable[[], object]]:
    """Everything that is done with a ledger."""

    def seen() -> Ledger:
        return Ledger(path, read_only=True, timeout=1)

    return [
        lambda: seen().events,
        lambda: seen().recent(1),
        lambda: seen().subject,
        lambda: (seen().spent, seen().limit, seen().left, seen().head),
        lambda: repr(seen()),
        lambda: seen().fetch(row=2),
        lambda: seen().fetch(key="k"),
        lambda: seen().released("k"),
        lambda: seen().find(2),
        lambda: seen().rehearse(request("0.1"), "k"),
        lambda: seen().rehearse(request("0.1"), "new"),
        lambda: compose(seen(), 1e-6),
        lambda: seen().verify(),
        lambda: seen().quotas,
        lambda: Ledger(path, timeout=1, releaser="anna").charge(request("0.1"), lambda _: b"x"),
        lambda: Ledger(path, timeout=1).charge(request("0.1"), lambda _: b"x", "k"),
        lambda: Ledger(path, timeout=1).charge(request("0.1"), lambda _: b"x", "more"),
        lambda: Ledger(path, timeout=1).set_limit(Budget(2)),
        lambda: Ledger(path, timeout=1).redact(2),
        lambda: Ledger(path, timeout=1).set_quota(Budget(1), releaser="anna"),
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    "change", [table, table_in_the_middle, outputs, keys, releasers, sequence, statements]
)
def test_pages_with_many_parents_hold_nobody_up(path: Path, change: Callable[[Path], None]) -> None:
    change(path)
    assert path.stat().st_size < 100_000

    def work() -> None:  # in a child: what does not end inside of SQLite, no signal ends
        for use in uses(path):
            with contextlib.suppress(PrivoptError):
                use()
        with pytest.raises(LedgerError):
            Ledger(path, read_only=True).verify()

    assert join([fork(work)]) == [0]


@pytest.mark.parametrize(
    "name", ["sqlite_autoindex_entries_1", "sqlite_autoindex_entries_2", "entries_by_releaser"]
)
def test_a_tree_of_50_000_levels_is_refused(path: Path, name: str) -> None:
    """SQLite's own check would go down to its leaf, and overflow the stack."""
    size, levels = 512, 50_000
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA page_size = {size}")
        connection.execute("VACUUM")
    root, data = roots(path)[name], bytearray(path.read_bytes())
    count, leaf = len(data) // size, data[(roots(path)[name] - 1) * size : roots(path)[name] * size]
    assert leaf[0] == 10, "the index is on one page"

    def over(child: int) -> bytes:
        return struct.pack(">BHHHBI", 2, 0, 0, size, 0, child).ljust(size, b"\0")

    data += leaf + b"".join(over(count + level) for level in range(1, levels))
    data[(root - 1) * size : root * size] = over(count + levels)
    struct.pack_into(">I", data, 28, len(data) // size)
    path.write_bytes(data)

    def work() -> None:
        for look in (lambda: Ledger(path, read_only=True).verify(), lambda: move(path)):
            with pytest.raises(LedgerError):
                look()

    assert join([fork(work)]) == [0]


def move(path: Path) -> None:
    """A moved ledger is checked in full before its next charge."""
    moved = path.with_name("moved.ledger")
    path.rename(moved)
    Ledger(moved).charge(request("0.1"), lambda _: b"x")


def bulk(ledger: Ledger, count: int, make: Callable[[Row], Row]) -> None:
    """Many rows in one transaction."""
    with sqlite(ledger).writing() as rows:
        row = chain.last(rows)
        for _ in range(count):
            row = make(row)
            rows.append(row)


def small(ledger: Ledger) -> None:
    """The smallest rows that there are."""
    bulk(ledger, 6000, lambda row: row.after("limit", limit=row.limit))


def usual(ledger: Ledger) -> None:
    """Charges and outputs, the outputs small."""
    asked, charge = request("0.000001"), request("0.000001").charge.charge

    def make(row: Row) -> Row:
        if row.kind == "charge":
            return row.after("output", of=row.seq, output=b"")
        return row.after("charge", charge=charge, key=f"key {row.seq}", request=asked.text)

    bulk(ledger, 4000, make)


def large(ledger: Ledger) -> None:
    """Outputs on many pages."""
    for number in range(20):
        ledger.charge(request("0.001"), lambda _: b"x" * 50_000, f"large {number}")


def redacted(ledger: Ledger) -> None:
    """Blanked ones: the file has free pages, more than used ones."""
    large(ledger)
    for event in ledger.events:
        if event.kind == "charge":
            ledger.redact(event.row)


@pytest.mark.long
@pytest.mark.parametrize("grow", [small, usual, large, redacted])
def test_an_honest_ledger_is_far_from_the_bound(
    path: Path, monkeypatch: pytest.MonkeyPatch, grow: Callable[[Ledger], None]
) -> None:
    """Every statement, of everything that is done: at most half of the steps that it may take."""
    with Ledger(path) as ledger:
        grow(ledger)
    taken: list[list[Any]] = []

    def execute(self: Connection, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        one: list[Any] = [0, self.size, sql]
        taken.append(one)

        def look() -> int:
            one[0] += 20
            return 0

        self.set_progress_handler(look, 20)
        return sqlite3.Connection.execute(self, sql, parameters)

    monkeypatch.setattr(Connection, "execute", execute)
    for use in uses(path):
        with contextlib.suppress(PrivoptError):
            use()
    moved = path.with_name("moved.ledger")
    path.rename(moved)
    named = Ledger(moved, releaser="anna")
    named.charge(request("0.001"), lambda _: b"x")  # it is checked in full
    assert any("integrity_check" in sql for _, _, sql in taken)
    for steps, size, sql in taken:
        assert steps <= 1e5 + connecting.STEPS * size / 2, (steps / size, sql)


def test_a_commit_waits_for_the_disk(folder: Path) -> None:
    ledger = open_ledger(folder)
    ledger.charge(request(0.1), lambda _: b"")
    with sqlite(ledger).reading() as rows:
        asked = {
            name: rows.connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "fullfsync", "trusted_schema")
        }
    assert asked == {
        "journal_mode": "delete",
        "synchronous": 3,
        "fullfsync": 1,
        "trusted_schema": 0,
    }


@pytest.mark.parametrize("sql", ["PRAGMA journal_mode", "COMMIT", "PRAGMA user_version"])
def test_a_statement_that_an_interrupt_cut_off_is_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    """Also while someone holds the interrupt: the next transaction ends as ever."""
    ledger, real = open_ledger(folder), sqlite3.Cursor.execute

    class Struck(sqlite3.Cursor):
        def execute(self, given: str, *parameters: object) -> sqlite3.Cursor:  # type: ignore[override]
            real(self, given, *parameters)  # pyright: ignore[reportArgumentType]
            if given == sql:
                raise KeyboardInterrupt
            return self

    with monkeypatch.context() as patched:
        patched.setattr(Connection, "cursor", lambda self: sqlite3.Connection.cursor(self, Struck))
        with pytest.raises(KeyboardInterrupt) as kept:
            ledger.charge(request(0.1), lambda _: b"")
    assert ledger.charge(request(0.1), lambda _: b"x") == b"x"
    assert kept.value is not None
