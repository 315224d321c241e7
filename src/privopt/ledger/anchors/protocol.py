"""What an anchor is: the head of a ledger, kept where the ledger is not.

A ledger that is older than its anchor was rolled back; one whose row at the anchor has another
digest was rewritten, or is a copy that was charged beside its original. Both are refused:

    row of the anchor <= last row of the ledger,   and its digest there is the anchor's

An anchor that is kept (a file, a database) moves forward with every write, under a lock of its own:

    take the lock of the anchor; read it; begin the write; compare; write; COMMIT; move the anchor

So of a ledger and its copies that share an anchor only one can be charged. Whatever stops a process
in between leaves the ledger at most ahead of its anchor, by rows of which no output was returned.

A new kind is one file with a class, and one line in `registry`.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from privopt.errors import LedgerError

__all__ = ["Anchor", "Held", "Mark", "unreadable"]

_MARK = re.compile(r"([1-9][0-9]{0,17}):([0-9a-f]{64})")


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


class Held(Protocol):
    """An anchor whose lock is held.

    Attributes
    ----------
    mark
        What it says; None if it was not begun yet.
    """

    mark: Mark | None

    def advance(self, mark: Mark) -> None:
        """Keep another mark, for good when this returns; nothing to do if it is the same."""
        ...


class Anchor(Protocol):
    """The place of one mark.

    Every error is a `LedgerError` and says that nothing was released, or an `InputError`.

    Attributes
    ----------
    place
        The path, the address or the text. It is shown: no passwords.
    source
        By what it can be opened again in another process.
    """

    place: str
    source: str

    def look(self) -> Mark | None:
        """What it says now, without a lock; None if it was not begun yet."""
        ...

    def hold(self, timeout: float) -> AbstractContextManager[Held]:
        """Wait for the lock of the anchor, and hold it."""
        ...


def unreadable(place: str, why: str) -> LedgerError:
    """The error of an anchor that says nothing."""
    return LedgerError(
        f"the anchor {place} cannot be read: {why}. Nothing was charged or released.",
        "a row number, a colon and 64 hexadecimal digits, as `privopt ledger anchor` writes them.",
        "restore it. If it is lost: compare the ledger with a head that you noted elsewhere, then "
        "write the anchor anew with `privopt ledger anchor`.",
    )
