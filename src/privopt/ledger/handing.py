"""A ledger to hand out: every row with its chain and its amounts, without keys and outputs.

    {"seq":2,"kind":"charge","time":...,"previous":{"hex":...},"digest":{"hex":...},"request":...}

One row a line, as JSON. Bytes are written {"hex": ...}, as in the text that a digest is of, so that

    digest = SHA-256(the line without digest and things, keys sorted, no spaces)

holds for what is handed out: the digests of keys and outputs stand for them. Requests stay: they
are public parameters, and say what each charge was for. A digest hides nothing from who can guess.

People are not named: a releaser is the digest of his name, as in the text that the digest of the
row is of.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from privopt.ledger import chain
from privopt.ledger.row import COLUMNS, Row, thing_digest
from privopt.ledger.stores.protocol import Reading
from privopt.ledger.verification import PORTION

__all__ = ["KEPT_BACK", "handed_out", "lines"]

KEPT_BACK = ("key", "output")  # never handed out; what is released is shown by its own file


def handed_out(row: Row) -> dict[str, Any]:
    """A row as plain data, for others to read."""
    held = {name: getattr(row, name) for name in COLUMNS if name not in KEPT_BACK}
    if row.releaser is not None:
        held["releaser"] = thing_digest(row.releaser)
    return {name: _plain(value) for name, value in held.items() if value is not None}


def lines(reading: Reading) -> Iterator[str]:
    """The lines of a ledger, from its first row to its last; each row is checked as it is read."""
    for row in _rows(reading):
        yield json.dumps(handed_out(row), separators=(",", ":"))


def _rows(reading: Reading) -> Iterator[Row]:
    """All rows without their outputs, in portions: a reader holds up whoever charges."""
    done, more = 0, True
    while more:
        with reading() as transaction:
            found = list(islice(chain.rows(transaction, done + 1, light=True), PORTION))
            done += len(found)
            more = len(found) == PORTION
            if not more:
                chain.last(transaction)  # these are all
        yield from found


def _plain(value: object) -> object:
    return {"hex": value.hex()} if isinstance(value, bytes) else value
