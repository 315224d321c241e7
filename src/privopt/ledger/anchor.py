"""An anchor: the head of a ledger, kept elsewhere, against an older copy and a copy beside it.

A ledger that is older than its anchor was rolled back; one whose row at the anchor has another
digest was rewritten, or is a copy that was charged beside its original. Both are refused:

    row of the anchor <= last row of the ledger,   and its digest there is the anchor's

It is written down, as the text `ROW:DIGEST`, and stays as it is; or it is a small file with that
line, on another disk than the ledger, and moves forward with every write, under a lock of its own:

    take the lock of the anchor; read it; begin the write; compare; write; COMMIT; move the anchor

So of a ledger and its copies that share a file only one can be charged. Whatever stops a process in
between leaves the ledger at most ahead of its anchor, by rows of which no output was returned.

The file is replaced as a whole, and is on the disk when that returns (`files.write_whole`). The
lock is a file of the same name and `-lock` at the end, there only while someone writes (`lockfile`;
where there are no such locks, two processes that charge a ledger and its copy at the same instant
could both go on).
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from privopt.errors import InputError, LedgerError
from privopt.files import write_whole
from privopt.ledger import lockfile
from privopt.ledger.stores.registry import scheme_of

__all__ = ["Anchor", "Mark"]

_MARK = re.compile(r"([1-9][0-9]{0,17}):([0-9a-f]{64})")
_MOST = 200  # bytes of the file
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)


class Mark(NamedTuple):
    """Number and digest of a row; as text `ROW:DIGEST`. Nothing private is in it."""

    row: int
    digest: str

    @classmethod
    def read(cls, text: str) -> Mark | None:
        """The mark that a text is; None if it is none."""
        found = _MARK.fullmatch(text.strip())
        return None if found is None else cls(int(found[1]), found[2])

    def __str__(self) -> str:
        return f"{self.row}:{self.digest}"


class Anchor:
    """A file with the head of a ledger, or the head as text.

    Attributes
    ----------
    place
        The path, or the text: by it the anchor can be opened again.
    """

    def __init__(self, place: str | os.PathLike[str]) -> None:
        self._noted = Mark.read(place) if isinstance(place, str) else None
        if self._noted is not None:
            self.place = str(self._noted)
            return
        scheme = scheme_of(place)
        try:
            self._path = Path(place).absolute().resolve()
            usable = not scheme and self._path.parent.is_dir() and not self._path.is_dir()
        except (TypeError, ValueError, OSError, RuntimeError):
            usable = False
        if not usable:
            raise InputError(
                f"anchor is {f'{scheme}://...' if scheme else place!r:.80}.",
                "a file in a folder that exists, or ROW:DIGEST.",
                "check the path.",
            )
        self.place = str(self._path)

    def look(self) -> Mark | None:
        """What it says now, without a lock; None if there is no file."""
        if self._noted is not None:
            return self._noted
        try:
            file = os.open(self._path, _FLAGS)
            try:
                content = os.read(file, _MOST)
            finally:
                os.close(file)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unreadable(error.strerror or "the system failed") from None
        mark = Mark.read(content.decode("ascii", "replace"))
        if mark is None:
            raise self._unreadable("it holds something else")
        return mark

    @contextmanager
    def hold(self, timeout: float) -> Generator[Mark | None]:
        """Wait for the lock and hold it; what the anchor says then, None if it was not begun."""
        if self._noted is not None:
            yield self._noted
            return
        lock = self._path.with_name(f"{self._path.name}-lock")
        with lockfile.held(lock, timeout, self._late, self._impossible):
            yield self.look()

    def advance(self, before: Mark | None, mark: Mark) -> None:
        """Replace what the file said before, for good when this returns; inside `hold`."""
        if self._noted is not None or mark == before:
            return
        try:
            write_whole(self._path, f"{mark}\n".encode(), private=before is None)
        except OSError as error:
            raise LedgerError(
                f"the anchor {self.place} could not be moved to row {mark.row} ({error.strerror}). "
                "Nothing was released.",
                "a file and a folder that may be written to, with room.",
                "check rights and space of the anchor's folder, and ask again: the anchor then "
                "follows the ledger.",
            ) from None

    def _unreadable(self, why: str) -> LedgerError:
        return LedgerError(
            f"the anchor {self.place} cannot be read: {why}. Nothing was charged or released.",
            "a row number, a colon and 64 hexadecimal digits, as `privopt ledger anchor` writes "
            "them.",
            "restore it. If it is lost: compare the ledger with a head that you noted elsewhere, "
            "then write the anchor anew with `privopt ledger anchor`.",
        )

    def _late(self) -> LedgerError:
        return LedgerError(
            f"others kept the anchor {self.place} locked for too long. Nothing was charged or "
            "released.",
            "the lock of the anchor within the timeout.",
            "try again, or set a longer timeout.",
        )

    def _impossible(self, error: OSError) -> LedgerError:
        return LedgerError(
            f"no lock could be made beside the anchor {self.place} ({error.strerror}). Nothing was "
            "charged or released.",
            "a folder that may be written to, with room.",
            "check rights and space of the anchor's folder.",
        )
