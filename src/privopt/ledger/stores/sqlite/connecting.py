"""Connections to SQLite: what it is told, and what its failures mean.

A rollback journal and synchronous=EXTRA: COMMIT returns when the data are on the disk, the journal
is gone, and that too is on the disk. The state of a ledger is then one file, under whatever name.
Nothing in the file is trusted: no functions of others run, sizes are bounded, and so is work.

In a hostile file many pages can have the same child, so that a few kilobytes unfold to 2^60 rows. A
statement may therefore take so many of SQLite's steps and no more:

    3 10^5 + 4 x bytes of the file

That never stops an honest one: the longest statement here, the check of all indexes, takes some 50
steps for a row, and a row has 200 bytes or more (its digests, its sums and their like). SQLite's
loops that are no steps are bounded otherwise: trees deeper than 20 pages and values longer than the
file are refused by SQLite, and statements that count or drop whole trees are not used before the
pages were checked.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from itertools import chain, repeat
from pathlib import Path
from typing import Any
from urllib.parse import quote
from weakref import ref

from privopt.errors import LedgerError

__all__ = [
    "FAILURES",
    "STEPS",
    "Connection",
    "connect",
    "failure",
    "size_of",
]

FAILURES = (sqlite3.Error, UnicodeDecodeError, OSError)

LARGEST = 1 << 28  # bytes of one value
_MANY = 1000  # statements of a transaction, before those that nobody holds are forgotten
_EVERY = 100_000  # steps of SQLite between two looks at how many there were
STEPS = 4  # for each byte of the file
_NOTHING = "Nothing was released."
# How SQLite names a failure, and what it means here: got, needed, remedy.
_MEANING = {
    "SQLITE_FULL": ("the disk is full", "room for a few kilobytes.", "make room."),
    "SQLITE_READONLY_ROLLBACK": (
        "a write to it was interrupted and must be undone first", "someone who may write to it.",
        "open it once with the rights to write: `privopt ledger show` by its owner will do.",
    ),
    "SQLITE_READONLY": (
        "it may only be read", "a file that may be written to.",
        "check the rights of the file and of its folder.",
    ),
    "SQLITE_CANTOPEN": (
        "it could not be opened", "a file and a folder that may be written to.",
        "check path and rights; to look at a ledger that may only be read, read_only=True.",
    ),
    "SQLITE_BUSY": (
        "others kept it locked for too long", "the write lock within the timeout.",
        "try again, or set a longer timeout.",
    ),
    "SQLITE_NOTADB": ("it is no database", "a ledger written by privopt.", "check the path."),
    "SQLITE_CORRUPT": ("it is damaged", "the file as privopt wrote it.", "restore a backup."),
    "SQLITE_INTERRUPT": (
        "it unfolds to more than a file of its size can hold: the same pages are used many times",
        "the file as privopt wrote it.", "restore a backup.",
    ),
    "SQLITE_TOOBIG": (
        "a value in it is larger than any ledger holds", f"values of {LARGEST} bytes at most.",
        "restore a backup; if the release itself is that large, release less at once.",
    ),
}  # fmt: skip
_OTHER = ("the system failed to read or write it", "a disk that works.", "check the disk.")
_ERRNO = {
    errno.EACCES: "SQLITE_CANTOPEN",
    errno.EPERM: "SQLITE_CANTOPEN",
    errno.EROFS: "SQLITE_READONLY",
    errno.ENOSPC: "SQLITE_FULL",
    errno.EDQUOT: "SQLITE_FULL",
    errno.ENOENT: "SQLITE_CANTOPEN",
}


class Connection(sqlite3.Connection):
    """A connection whose statements do no more than a file of its size can ask for."""

    size = 0  # bytes of the file, when the transaction began

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 -- as is
        super().__init__(*given, **named)
        # Without callbacks: a Ctrl-C raised inside of one would be lost.
        self._begun: list[ref[sqlite3.Cursor]] = []

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:  # noqa: ANN401 -- as is
        """Begin a statement; one that takes too many steps ends with SQLITE_INTERRUPT."""
        looks = 2 + self.size * STEPS // _EVERY
        # Not a function of Python: a Ctrl-C raised inside of one would be lost.
        self.set_progress_handler(chain(repeat(0, looks), repeat(1)).__next__, _EVERY)
        begun = self.cursor()
        if len(self._begun) >= _MANY:
            self._begun = [one for one in self._begun if one() is not None]
        self._begun.append(ref(begun))  # first: an interrupt may strike when it has begun
        return begun.execute(sql, parameters)

    def finish(self) -> None:
        """End every statement: one that someone still holds would keep the file locked."""
        while self._begun:
            begun = self._begun[-1]()
            if begun is not None:
                begun.close()
            self._begun.pop()


def size_of(path: Path) -> int:
    """Bytes of a file; 0 where there is none."""
    return path.stat().st_size if path.exists() else 0


def connect(path: Path, mode: str, timeout: float) -> Connection:
    """A connection that trusts nothing in the file, and waits for the disk."""
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?mode={mode}",
        uri=True,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
        factory=Connection,
    )
    try:
        connection.size = size_of(path)
        if hasattr(connection, "setconfig"):  # Python 3.12
            connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # pyright: ignore
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA synchronous = EXTRA")
        # macOS: without this a write may stay in the drive's own memory.
        connection.execute("PRAGMA fullfsync = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def failure(path: Path, error: BaseException | str) -> LedgerError:
    """What a failure of SQLite or of the system means."""
    if isinstance(error, str):
        name = error
    elif isinstance(error, UnicodeDecodeError):  # text that is none, in a row or in a message
        name = "SQLITE_CORRUPT"
    elif isinstance(error, OSError):
        name = _ERRNO.get(error.errno or 0, "")
    else:
        name = getattr(error, "sqlite_errorname", None) or (
            "SQLITE_TOOBIG" if isinstance(error, sqlite3.DataError) else str(error)
        )
        name = name if name.startswith("SQLITE_") else ""
    kind = next((kind for kind in _MEANING if name.startswith(kind)), None)
    what, needed, remedy = _OTHER if kind is None else _MEANING[kind]
    shown = f" ({name})" if name else ""
    return LedgerError(f"the ledger {path} was not used: {what}{shown}. {_NOTHING}", needed, remedy)
