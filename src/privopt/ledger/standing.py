"""What became of a charge whose release was stopped, by the ledger itself.

A Ctrl-C during a COMMIT is raised when the COMMIT has ended: whether the charge was made, or the
output stored, cannot be seen from where it strikes. So the ledger is asked.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable

from privopt.ledger.entry import Entry
from privopt.ledger.row import Row

__all__ = ["charged", "standing"]


def charged(row: int) -> str:
    """What is said of a charge without output."""
    return f"Row {row} of the ledger was charged; the charge stays. No output of it was stored."


def standing(find: Callable[[int], tuple[Row | None, Row | None]], entry: Entry, place: str) -> str:
    """Whether a charge stands and its output is kept, in words; `find` looks both up."""
    name = shlex.quote(place)
    try:
        row, output = find(entry.row)
    except BaseException:  # a second Ctrl-C too: the first one is what is raised
        return (
            f"Whether row {entry.row} of the ledger was charged could not be seen. Look with: "
            f"privopt ledger show {name} --last 1"
        )
    if row is None or not row.known_as(entry.digest):
        return "Nothing was charged."
    if output is None:
        return charged(entry.row)
    return (
        f"Row {entry.row} of the ledger was charged, and keeps the release. Get it, free: privopt "
        f"ledger fetch {name} --row {entry.row}"
    )
