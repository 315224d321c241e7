"""What lies beside a ledger: a journal or a log, and whether it belongs to this file.

SQLite names a journal after the database, and plays whatever it finds under that name back into the
file. A journal left behind by a kill, while the ledger was moved away, used and moved back, would
so undo charges that were paid for, and nothing but names ties the two together. So this looks at
the first page, which every transaction changes. Let C be the counter of changes in the old first
page that the journal keeps, and F the counter in the file. A journal is refused unless

    F = C or F = C + 1,   and the file's mark (`schema.mark`) is the journal's, or follows it.

It may then still be that of a write which was cut off, while another one was made in its place. So
it is never played back over a whole ledger, but removed: nobody has seen an output of a write that
was cut off, so whether it has not begun or is complete, the file is right as it is. A file that is
not whole needs its journal; unless a last row stands that was written elsewhere (`home`), it is
played back.

A ledger keeps no log: one (`-wal`) beside it is never its own, and a file that was turned to keep
one is refused.
"""

from __future__ import annotations

import sqlite3
import stat
import struct
from contextlib import closing, nullcontext
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from privopt.errors import LedgerError
from privopt.files import sync
from privopt.ledger import chain
from privopt.ledger.stores.sqlite.connecting import connect
from privopt.ledger.stores.sqlite.locks import HEADER
from privopt.ledger.stores.sqlite.rows import StoredRows
from privopt.ledger.stores.sqlite.schema import check_schema, same_mark
from privopt.ledger.verification import verify

__all__ = ["check_beside", "has_journal", "remove_journal"]

_MAGIC = bytes.fromhex("d9d505f920a163d7")
_HEAD = struct.Struct(">8sIIIII")  # magic, records, nonce, pages before, sector, page
_DATABASE = b"SQLite format 3\0"
_KEEPS_A_JOURNAL = b"\1\1"  # bytes 18 and 19 of the file
_LARGEST = 65536  # of a page and of a sector


@dataclass(frozen=True)
class _Page:
    """What the first page says: counter of changes, number of pages, and the mark."""

    counter: int
    pages: int
    marked: int

    @classmethod
    def read(cls, header: bytes) -> _Page:
        counter, pages = struct.unpack_from(">II", header, 24)
        return cls(counter, pages, struct.unpack_from(">I", header, 60)[0])


def has_journal(path: Path) -> bool:
    """Whether a journal with something in it lies beside the file."""
    return _has(path, "-journal")


def _has(path: Path, ending: str) -> bool:
    try:
        found = path.with_name(path.name + ending).lstat()
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(found.st_mode):  # SQLite would wait for a pipe, and follow a link
        raise _foreign(path, ending)
    return found.st_size > 0


def check_beside(path: Path, header: bytes, home: bytes) -> bool:
    """Refuse a journal that does not belong to the file, and a log; nobody else may be writing.

    `home` is what a row written here would have for its own. Returns whether there is a journal
    that must be removed before SQLite sees it.
    """
    if len(header) < HEADER:
        return False  # an empty file: SQLite removes what lies beside it
    page = _Page.read(header)
    if _has(path, "-wal"):
        raise _foreign(path, "-wal")
    if header.startswith(_DATABASE) and header[18:20] != _KEEPS_A_JOURNAL:
        raise LedgerError(
            f"the ledger {path} was turned to keep a write-ahead log. Nothing was released.",
            "a file that keeps a journal, as privopt wrote it.",
            f"turn it back with the program that turned it: sqlite3 {path} 'PRAGMA journal_mode = "
            "DELETE'.",
        )
    if not has_journal(path) or _is_never_played(path):
        return False
    old = _old_page(path, page)
    if _is_whole(path):
        return True
    if old is not None and page.counter != old.counter and _written_at(path) not in (None, home):
        raise _foreign(path, "-journal")
    return False


def _is_never_played(path: Path) -> bool:
    """Whether SQLite leaves a journal alone: one that was begun and never synced."""
    try:
        with path.with_name(path.name + "-journal").open("rb") as file:
            return file.read(1) in (b"", b"\0")
    except FileNotFoundError:
        return True


def remove_journal(path: Path) -> None:
    """Remove the journal of a write that is complete, on the disk when this returns."""
    path.with_name(path.name + "-journal").unlink()
    sync(path.parent)


def _old_page(path: Path, now: _Page) -> _Page | None:
    """The first page that a journal would restore, which must fit; None if there is none."""
    journal = path.with_name(path.name + "-journal")
    try:
        with journal.open("rb") as file:
            pages, old = _first_page(file, journal.stat().st_size)
    except FileNotFoundError:
        return None
    if pages is not None and old is None:  # it would only cut the file to its old size
        fits = pages == now.pages if pages else now.counter <= 1
    else:
        fits = old is not None and _follows(now, old)
    if not fits:
        raise _foreign(path, "-journal")
    return old


def _follows(now: _Page, old: _Page) -> bool:
    follows = (now.marked >> 14) & 0x3FFF == old.marked & 0x3FFF
    return now.counter in (old.counter, (old.counter + 1) % 2**32) and (
        follows or same_mark(now.marked, old.marked)
    )


def _is_whole(path: Path) -> bool:
    """Whether the whole ledger holds as it is, read past the journal."""
    try:
        with closing(connect(path, "ro&immutable=1", 0.0)) as connection:
            check_schema(connection)
            verify(lambda: nullcontext(StoredRows(connection, path)), "")
    except (sqlite3.Error, UnicodeDecodeError, LedgerError):
        return False
    return True


def _written_at(path: Path) -> bytes | None:
    """The home of the last row, read past the journal; None if that row is not whole."""
    try:
        with closing(connect(path, "ro&immutable=1", 0.0)) as connection:
            check_schema(connection)
            return chain.last(StoredRows(connection, path)).home
    except (sqlite3.Error, UnicodeDecodeError, LedgerError):
        return None


def _first_page(file: BufferedReader, size: int) -> tuple[int | None, _Page | None]:
    """Pages before the transaction (None: no journal), and the old first page if it is kept."""
    place, before = 0, None
    while True:
        file.seek(place)
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size or not head.startswith(_MAGIC):
            return before, None
        _, records, _, pages, sector, page = _HEAD.unpack(head)
        if not (0 < page <= _LARGEST and 0 < sector <= _LARGEST):
            return before, None
        before = pages if before is None else before
        place += sector
        if records == 2**32 - 1:
            records = (size - place) // (page + 8)
        for _ in range(min(records, size // (page + 8) + 1)):
            file.seek(place)
            if file.read(4) == b"\0\0\0\1":
                return before, _Page.read(file.read(HEADER))
            place += page + 8
        place += -place % sector
        if place >= size or not records:
            return before, None


def _foreign(path: Path, ending: str) -> LedgerError:
    return LedgerError(
        f"{path.name}{ending} beside the ledger {path} does not belong to it: it was left by "
        "another state of the file, or by another file. Nothing was released.",
        "the ledger alone, or with its own journal.",
        f"move {path.name}{ending} away (do not rename it into another ledger's), then run "
        f"`privopt ledger verify {path}` and compare with the head you noted.",
    )
