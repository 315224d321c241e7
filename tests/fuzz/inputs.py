"""Damaged files: bytes flipped, values of JSON swapped, rows of a ledger rewritten.

Everything is drawn from a numpy Generator, so that an input is named by its seed.
"""

from __future__ import annotations

import copy
import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from privopt.ledger.row import COLUMNS, START, Row
from privopt.ledger.stores.sqlite import schema

T = TypeVar("T")
Rng = np.random.Generator

# JSON texts in the place of a value; some are none that Python would write.
HOSTILE = (
    "null", "true", "false", "0", "1", "-1", "2", "7", "2147483648", "4294967296", "1000000000",
    "-1000000000", "1000000000000", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "1" + "0" * 30, "1" + "0" * 400, "1" + "0" * 5000, "0.5", "1.5", "-0.0",
    "-2.5", "1e-320", "1e-9", "1e9", "1e100", "1e308", "-1e308", "1e400", "-1e400", "NaN",
    "Infinity", "-Infinity", '""', '"x"', '"1"', '"1e400"', '"nan"', r'"\ud800"', r'"\u0000"',
    '"é€𝄞\u202e"', '"<script>[bold]{0}%s"', '"' + "a" * 5000 + '"', "[]", "{}", "[[]]", "[null]",
    "[0]", "[1, 2, 3]", "[[1, 2], [3]]", '{"a": 1}', '[{"a": []}]', "[" * 60 + "]" * 60,
    "[" * 900 + "]" * 900, "[" * 100_000, '{"a":' * 500 + "1" + "}" * 500,
    '{"shape": [1000000000000, 1000000000000], "indptr": [0], "indices": [], "data": []}',
)  # fmt: skip
PIECES = (
    b"\0", b"\xff", b"\xed\xa0\x80", b"\n" * 40, b"\r", b";", b"[", b"]", b"{", b"}", b'"', b"\\",
    b",", b"%", b"%{\n", b"...", b"=", b"mpc.", b"mpc.bus = [1 2];\n", b"function mpc = x\n", b"'",
    b"nan", b"Inf", b"1e400", b"-", b"9" * 400, b" " * 3000, "é€𝄞".encode(),
)  # fmt: skip
NUMBERS = (
    b"0", b"1", b"-1", b"2", b"3", b"4", b"7", b"1e308", b"1e-308", b"1e200", b"-1e200", b"1e400",
    b"1e155", b"nan", b"99999", b"", b"-0.0", b"Inf", b"-Inf", b"9007199254740993", b"1e-9", b"0.5",
)  # fmt: skip
MARK = "@hostile@"


def pick(rng: Rng, items: Sequence[T]) -> T:
    """One of them."""
    return items[int(rng.integers(len(items)))]


def damaged(rng: Rng, content: bytes, other: bytes = b"") -> bytes:
    """A file whose bytes were damaged, in one to four ways."""
    for _ in range(int(rng.integers(1, 5))):
        content = pick(rng, BYTES)(rng, content, other)
    return content


def _flip(rng: Rng, content: bytes, _: bytes) -> bytes:
    found = bytearray(content)
    for _place in range(int(rng.integers(1, 9)) if found else 0):
        found[int(rng.integers(len(found)))] ^= 1 << int(rng.integers(8))
    return bytes(found)


def _overwrite(rng: Rng, content: bytes, _: bytes) -> bytes:
    at, size = int(rng.integers(len(content) + 1)), int(rng.integers(1, 65))
    return content[:at] + rng.bytes(size) + content[at + size :]


def _insert(rng: Rng, content: bytes, _: bytes) -> bytes:
    at = int(rng.integers(len(content) + 1))
    return content[:at] + pick(rng, PIECES) + content[at:]


def _cut_out(rng: Rng, content: bytes, _: bytes) -> bytes:
    at = int(rng.integers(len(content) + 1))
    return content[:at] + content[at + int(rng.integers(1, 200)) :]


def _repeat(rng: Rng, content: bytes, _: bytes) -> bytes:
    a, b = sorted(int(at) for at in rng.integers(len(content) + 1, size=2))
    part = content[a : min(b, a + 20_000)]
    return content[:b] + part * int(rng.integers(1, 4)) + content[b:]


def _truncate(rng: Rng, content: bytes, _: bytes) -> bytes:
    return content[: int(rng.integers(len(content) + 1))]


def _splice(rng: Rng, content: bytes, other: bytes) -> bytes:
    return content[: int(rng.integers(len(content) + 1))] + other[
        int(rng.integers(len(other) + 1)) :
    ]  # fmt: skip


def _replace(rng: Rng, content: bytes, other: bytes) -> bytes:
    """Nothing of the file is left."""
    nothing = (
        b"", b"\n" * 20_000, rng.bytes(500), b"\0" * 5000, b"[" * 20_000, b"9" * 20_000, b"{}\n",
        b"null", b'"' + b"x" * 100_000 + b'"', other, b"%{\n" * 3000, b"\xef\xbb\xbf" + content,
        b" " * 50_000 + content,
    )  # fmt: skip
    return pick(rng, nothing)


def _number(rng: Rng, content: bytes, _: bytes) -> bytes:
    """One run of digits by another number."""
    places = [k for k, byte in enumerate(content) if 48 <= byte <= 57]
    if not places:
        return content
    start = end = pick(rng, places)
    while end < len(content) and 48 <= content[end] <= 57:
        end += 1
    new = pick(rng, NUMBERS)
    return content[:start] + new + content[end:]


def renumbered(rng: Rng, content: bytes) -> bytes:
    """A file with one to three of its numbers swapped for others."""
    for _ in range(int(rng.integers(1, 4))):
        content = _number(rng, content, b"")
    return content


BYTES: tuple[Callable[[Rng, bytes, bytes], bytes], ...] = (
    _flip, _flip, _overwrite, _insert, _insert, _cut_out, _repeat, _truncate, _splice, _number,
    _number, _replace,
)  # fmt: skip


def warped(rng: Rng, content: bytes) -> bytes:
    """A JSON file with one to three values swapped for others; it may be no JSON any more."""
    whole: Any = [json.loads(content)]
    hostile: list[str] = []
    for _ in range(int(rng.integers(1, 4))):
        _warp(rng, whole, hostile)
    text = json.dumps(whole[0]) if whole else ""
    for number, raw in enumerate(hostile):
        text = text.replace(f'"{MARK}{number}"', raw)
    return text.encode("utf-8", "surrogatepass")


def _places(node: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every container with every key or position in it."""
    items = (
        list(node.items())
        if isinstance(node, dict)
        else list(enumerate(node))
        if isinstance(node, list)
        else []
    )
    for key, value in items:
        found.append((node, key))
        _places(value, found)
    return found


def _warp(rng: Rng, whole: Any, hostile: list[str]) -> None:
    places = _places(whole, [])
    if not places:
        return
    node, key = pick(rng, places)
    value = node[key]
    match int(rng.integers(9)):
        case 0 | 1 | 2:
            node[key] = f"{MARK}{len(hostile)}"
            hostile.append(pick(rng, HOSTILE))
        case 3:
            del node[key]
        case 4 if isinstance(value, list):
            value.append(copy.deepcopy(value[0]) if value else 0)
        case 5 if isinstance(value, list) and value:
            value.pop(int(rng.integers(len(value))))
        case 6:
            other, place = pick(rng, places)
            if other is not value:  # no circles
                node[key] = copy.deepcopy(other[place])
        case 7 if isinstance(node, dict):
            node[pick(rng, ("", "x", "é", key + " ", "sensitivity", "kind"))] = node.pop(key)
        case _ if isinstance(value, (int, float)):
            node[key] = _nudged(rng, value)
        case _:
            node[key] = str(value)


def _nudged(rng: Rng, value: float) -> float:
    many: tuple[Callable[[], float], ...] = (
        lambda: value + 1, lambda: value - 1, lambda: -value, lambda: 2 * value,
        lambda: value / 2, lambda: float(np.nextafter(value, np.inf)), lambda: value * 0,
        lambda: value * 10**15, lambda: float(value) * 1e-15,
    )  # fmt: skip
    try:
        return pick(rng, many)()
    except OverflowError:
        return 0


# --- ledgers: damage that SQLite itself does not see ---------------------------------------------

AMOUNTS = ("epsilon", "delta", "spent_epsilon", "spent_delta", "limit_epsilon", "limit_delta")
CELLS: tuple[Any, ...] = (
    None, 0, 1, -1, 2**62, 0.5, "", "0", "1", "-1", "x", "9" * 40, "9" * 5000, "1e5", b"", b"\xff",
    b"\0" * 32, "{}", "[]", "null", "charge", "output", "opened", "limit",
    '{"alpha":null,"dataset":"x","private":null}', '{"alpha":-1,"dataset":3,"private":[1]}',
    '{"alpha":"a","dataset":"x","private":"7"}', "[" * 3000, '{"a":1}',
)  # fmt: skip


def rewritten(rng: Rng, path: Path) -> bool:
    """Rows of a ledger changed behind its back; sometimes with digests that fit again.

    Returns whether it must be noticed: neither digests nor the largest row number were forged.
    """
    connection = sqlite3.connect(path)
    fair = True
    try:
        for name in ("never_changed", "never_removed"):
            connection.execute(f"DROP TRIGGER IF EXISTS {name}")
        rows = [seq for (seq,) in connection.execute("SELECT seq FROM entries")]
        for _ in range(int(rng.integers(1, 3))):
            seq = pick(rng, rows)
            match int(rng.integers(8)):
                case 0:
                    connection.execute("DELETE FROM entries WHERE seq = ?", (seq,))
                case 1:
                    connection.execute("DELETE FROM entries WHERE seq > ?", (seq,))
                case 2:
                    _copy_row(rng, connection, rows)
                case 3:
                    fair = False
                    connection.execute(
                        pick(rng, ("DELETE FROM sqlite_sequence", "DROP TABLE entries",
                                   "CREATE TABLE more (x)", "PRAGMA user_version = 0",
                                   "PRAGMA application_id = 5",
                                   "ALTER TABLE entries DROP COLUMN time",
                                   "UPDATE sqlite_sequence SET seq = 3",
                                   "CREATE VIEW more AS SELECT * FROM entries",
                                   "CREATE TRIGGER more AFTER INSERT ON entries BEGIN "
                                   "UPDATE entries SET output = NULL; END",
                                   "ALTER TABLE entries ADD COLUMN more AS (abs(seq))",
                                   "ALTER TABLE entries RENAME TO hidden"))
                    )  # fmt: skip
                case _:
                    column = pick(rng, (*COLUMNS, *AMOUNTS))
                    connection.execute(
                        f"UPDATE entries SET {column} = ? WHERE seq = ?",  # noqa: S608
                        (pick(rng, CELLS), seq),
                    )
        if rng.integers(2):
            fair = False
            _seal(connection)
        if rng.integers(4):
            for statement in schema.STATEMENTS[1:3]:
                connection.execute(statement)
        connection.commit()
    except (sqlite3.Error, TypeError, OverflowError, AttributeError):
        connection.rollback()  # a change that the tables do not take
    finally:
        connection.close()
    return fair


def _copy_row(rng: Rng, connection: sqlite3.Connection, rows: list[int]) -> None:
    columns = ", ".join(name for name in COLUMNS if name not in ("seq", "key", "of"))
    connection.execute(
        f"INSERT INTO entries (seq, {columns}) SELECT ?, {columns} FROM entries WHERE seq = ?",  # noqa: S608
        (max(rows) + int(rng.integers(1, 3)), pick(rng, rows)),
    )


def _seal(connection: sqlite3.Connection) -> None:
    """Digests of all rows anew, as whoever can write the file can."""
    before = START
    names = ", ".join(COLUMNS)
    for values in list(connection.execute(f"SELECT {names} FROM entries ORDER BY seq")):  # noqa: S608
        held = {**dict(zip(COLUMNS, values, strict=True)), "previous": before}
        row = Row(**held).sealed()
        digests = ("key_digest", "request_digest", "output_digest", "previous", "digest")
        connection.execute(
            f"UPDATE entries SET {' = ?, '.join(digests)} = ? WHERE seq = ?",  # noqa: S608
            (*(getattr(row, name) for name in digests), row.seq),
        )
        connection.execute(f"PRAGMA user_version = {schema.mark(row)}")
        before = row.digest
