"""Rows as SQLite gives them: read one by one, and no more of them than the file can hold."""

from __future__ import annotations

import contextlib
import sqlite3
import tracemalloc
from pathlib import Path

import pytest
from tests.ledger.forging import leaf_of, only, roots, unfold
from tests.ledger.requests import open_ledger, request

from privopt.errors import LedgerError
from privopt.ledger import Ledger
from privopt.ledger.row import COLUMNS
from privopt.ledger.stores.sqlite.connecting import connect
from privopt.ledger.stores.sqlite.rows import fitting


@pytest.fixture
def path(folder: Path) -> Path:
    with open_ledger(folder, 1) as made:
        made.charge(request("0.1"), lambda _: b"x", "k")
        return made.path


def test_rows_are_checked_as_they_come_and_not_kept(path: Path) -> None:
    """A row of a megabyte that 400 cells name: none of them is taken along."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        names = ", ".join(COLUMNS[2:]).replace("time", "? AS time").replace("of,", "NULL,", 1)
        names = names.replace("key_digest", "NULL")
        connection.execute(
            f"INSERT INTO entries SELECT 4, 'limit', {names} FROM entries WHERE seq = 3",  # noqa: S608
            ("x" * 1_000_000,),
        )
        connection.commit()
    root = roots(path)["entries"]
    leaf = leaf_of(path, root)
    assert leaf[0] == 13, "the rows are on one page"
    unfold(path, root, only(leaf, 3), cell=b"\4", first=True)
    tracemalloc.start()
    try:
        for use in (
            lambda seen: seen.events,
            lambda seen: seen.recent(300),
            lambda seen: seen.verify(),
        ):
            with pytest.raises(LedgerError):
                use(Ledger(path, read_only=True))
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_rows_that_are_longer_than_their_file_are_refused(path: Path) -> None:
    def row(seq: int, output: object) -> tuple[object, ...]:
        held = {"seq": seq, "output": output}
        return tuple(held.get(name) for name in COLUMNS)

    size = path.stat().st_size
    with contextlib.closing(connect(path, "ro", 1.0)) as connection:
        whole = [row(1, "x" * (size - 8)), row(2, b"12345678")]
        assert len(list(fitting(connection, whole))) == 2
        with pytest.raises(LedgerError, match="up to row 3, are longer than its file"):
            list(fitting(connection, [*whole, row(3, "x")]))
