"""What a failure of PostgreSQL means, in our words and without secrets.

The functions of a ledger refuse a row with a code of their own (`REFUSED` and the like below) and a
sentence; everything else is told by the server's code. Messages of the server are not repeated,
because they may quote values; what libpq says of a connection that failed is, without passwords.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from privopt.errors import LedgerError
from privopt.ledger.stores.postgresql.address import Address

if TYPE_CHECKING:
    import psycopg

__all__ = [
    "BUSY",
    "FORKED",
    "NESTED",
    "NO_RIGHT",
    "READ_ONLY",
    "REFUSED",
    "RIGHTS",
    "failure",
    "unsettled",
]

REFUSED = "PV001"  # a row that no ledger writes
RIGHTS = "PV002"  # a row that this role may not write
NO_RIGHT = "42501"
BUSY = "55P03"
READ_ONLY = "25006"
NESTED = "PV003"
FORKED = "PV004"
_NOTHING = "Nothing was released."
# The server's code, or the beginning of it, and what it means here: got, needed, remedy.
_MEANING = {
    REFUSED: ("the server refused a row", "a row as privopt writes it.", "see the reason above."),
    RIGHTS: (
        "the server refused a row", "the rights of the ledger's owner.",
        "ask the owner of the ledger (the role that made it) to do this.",
    ),
    NESTED: (
        "it was written to in the middle of another write by the same thread",
        "one write at a time.", "write to the ledger when the other write has ended.",
    ),
    FORKED: (
        "this process was forked in the middle of a transaction", "a transaction in one process.",
        "fork before the transaction or after it.",
    ),
    BUSY: (
        "others kept it locked for too long", "the write lock within the timeout.",
        "try again, or set a longer timeout.",
    ),
    READ_ONLY: (
        "it may only be read", "a ledger that may be written to.",
        "open it without read_only, on a server that is no standby.",
    ),
    NO_RIGHT: (
        "this role has no right to do that", "a role that the owner let in.",
        "ask the owner of the ledger for: privopt ledger grant ADDRESS --releaser ROLE (or "
        "--reader ROLE). To make a ledger, a role needs CREATE on the database.",
    ),
    "23505": (
        "a row of this number, key or charge is there already", "the next row of the chain.",
        "run: privopt ledger verify ADDRESS.",
    ),
    "53": ("the server has no room", "room on its disk, and free connections.", "make room."),
    "54": ("a value is larger than the server takes", "values of less than 1 GB.", "release less."),
    "57014": ("the server took too long", "an answer in time.", "try again, or set a timeout."),
    "XX": ("the server found it damaged", "the rows as privopt wrote them.", "restore a backup."),
    "58": ("the server failed to read or write", "a disk that works.", "check the server."),
}  # fmt: skip
_LOST = (
    "the connection to the server was lost", "a server that answers.",
    "check server and network, and try again.",
)  # fmt: skip
_OTHER = ("the server refused a statement", "a ledger as privopt made it.", "check the server.")


def failure(address: Address, error: psycopg.Error | str) -> LedgerError:
    """What a failure means; a code stands for itself."""
    code = error if isinstance(error, str) else error.sqlstate
    kind = next((kind for kind in _MEANING if code is not None and code.startswith(kind)), None)
    # 57P: the server stops, crashed, or starts; 25P03: it ended a transaction that stood idle.
    lost = code is None or code.startswith(("08", "57P", "25P03"))
    what, needed, remedy = _MEANING[kind] if kind else _LOST if lost else _OTHER
    said = ""
    if not isinstance(error, str):
        if code in (REFUSED, RIGHTS):  # our own sentence
            said = f": {error.diag.message_primary}"
        elif code is None:
            said = f" ({_plain(address, str(error))})"
    shown = f" ({code})" if code and not code.startswith("PV") else ""
    got = f"the ledger {address.place} was not used: {what}{said}{shown}. {_NOTHING}"
    return LedgerError(got, needed, remedy)


def unsettled(address: Address, row: int) -> LedgerError:
    """The error of a transaction whose end was not seen."""
    return LedgerError(
        f"the connection to the ledger {address.place} was lost while row {row} was being written, "
        f"and whether it was could not be seen since. {_NOTHING}",
        "a server that answers.",
        f"when the server is back, look whether row {row} is there: privopt ledger show. If it is "
        "a charge, it stays.",
        row,
    )


def _plain(address: Address, text: str) -> str:
    """What libpq says, on one line, without any password that we know of."""
    for secret in (*address.secrets, os.environ.get("PGPASSWORD", "")):
        if secret:
            text = text.replace(secret, "***")
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())[:500]
