"""Connections to SQLite: what it is told, and what its failures mean.

A rollback journal and synchronous=EXTRA: COMMIT returns when the data are on the disk, the journal
is gone, and that too is on the disk. The state of a ledger is then one file, under whatever name.
Nothing in the file is trusted: no functions of others run, sizes are bounded.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from urllib.parse import quote

from privopt.errors import LedgerError

__all__ = ["connect", "failure", "leave_log_mode"]

LARGEST = 1 << 28  # bytes of one value
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


def connect(path: Path, mode: str, timeout: float) -> sqlite3.Connection:
    """A connection that trusts nothing in the file, and waits for the disk."""
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?mode={mode}",
        uri=True,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
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


def leave_log_mode(connection: sqlite3.Connection) -> None:
    """Bring what the log holds into the file, and keep a journal from now on."""
    # An open connection notices the log when it reads.
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
    if mode != "delete":
        raise sqlite3.OperationalError("SQLITE_BUSY")


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
