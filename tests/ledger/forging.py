"""Files that no ledger writes: pages with many parents, rows that say anything under right digests.

A page of SQLite's trees names its children by number, and nothing keeps two pages from naming the
same one: with eight levels of hundreds of equal children each, a few kilobytes hold 10^20 rows.
"""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.ledger.damage import PAGE

from privopt.ledger.row import COLUMNS, START, Row
from privopt.ledger.stores.sqlite.connecting import connect
from privopt.ledger.stores.sqlite.rows import StoredRows
from privopt.ledger.stores.sqlite.schema import STATEMENTS

_LEVELS = 8


def roots(path: Path) -> dict[str, int]:
    """The first page of each table and index."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT name, rootpage FROM sqlite_master WHERE rootpage")
        return {"sqlite_master": 1, **dict(found)}


def leaf_of(path: Path, root: int) -> bytes:
    """A root that is a leaf, as it would be on another page than the first."""
    page = path.read_bytes()[(root - 1) * PAGE : root * PAGE]
    if root > 1:
        return page
    head = page[100 : 108 + 2 * struct.unpack_from(">H", page, 103)[0]]
    return (head + bytes(100)).ljust(PAGE, b"\0")[: len(head)] + page[len(head) :]


def only(leaf: bytes, which: int) -> bytes:
    """A leaf with one of its rows."""
    page = bytearray(leaf)
    struct.pack_into(">H", page, 3, 1)
    page[8:10] = leaf[8 + 2 * which : 10 + 2 * which]
    return bytes(page)


def unfold(path: Path, root: int, shared: bytes, *, cell: bytes, first: bool = False) -> None:
    """Let a tree show the rows of a leaf as often as anyone asks, besides those that it has.

    `cell` is what an inner page says of a child, after its number. The true leaf comes last, or
    first.
    """
    inner = 5 if shared[0] == 13 else 2
    data, true = bytearray(path.read_bytes()), leaf_of(path, root)
    count = len(data) // PAGE
    below = range(count + 2, count + 2 + _LEVELS)
    pages = [true, shared, *(_inner(inner, child, child, cell, PAGE) for child in below)]
    top, last = count + len(pages), count + 1
    begin = 100 if root == 1 else 0
    if first:
        last, cells = top, [struct.pack(">I", count + 1) + cell, struct.pack(">I", top) + cell]
        root_page = _page(inner, cells, top, PAGE - begin, begin)
    else:
        root_page = _inner(inner, top, last, cell, PAGE - begin, begin)
    data[(root - 1) * PAGE + begin : root * PAGE] = root_page
    data += b"".join(pages)
    struct.pack_into(">I", data, 28, len(data) // PAGE)
    path.write_bytes(data)


def _inner(kind: int, child: int, last: int, cell: bytes, size: int, begin: int = 0) -> bytes:
    whole = struct.pack(">I", child) + cell
    return _page(kind, [whole] * ((size - 12) // (len(whole) + 2)), last, size, begin)


def _page(kind: int, cells: list[bytes], last: int, size: int, begin: int) -> bytes:
    content = b"".join(cells)
    places, at = [], size - len(content)
    for cell in cells:
        places.append(struct.pack(">H", begin + at))
        at += len(cell)
    head = struct.pack(">BHHHBI", kind, 0, len(cells), begin + size - len(content), 0, last)
    return (head + b"".join(places)).ljust(size - len(content), b"\0") + content


def rows_of(path: Path) -> list[Row]:
    """Every row, as it is."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM entries ORDER BY seq")  # noqa: S608
        return [Row(**dict(zip(COLUMNS, values, strict=True))) for values in found]


def forge(path: Path, seq: int, **changes: Any) -> None:
    """Change a row, and compute every digest from there on anew: the chain is right."""
    rows = rows_of(path)
    for place, row in enumerate(rows):
        changed = replace(row, **changes) if row.seq == seq else row
        previous = rows[place - 1].digest if place else START
        rows[place] = replace(changed, previous=previous).sealed()
    with closing(connect(path, "rw", 0.0)) as connection:
        connection.execute("BEGIN")
        for name in ("never_changed", "never_removed"):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM entries")
        for row in rows:
            StoredRows(connection, path).append(row)
        for statement in STATEMENTS[1:3]:
            connection.execute(statement)
        connection.execute("COMMIT")
