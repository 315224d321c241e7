"""Releasing through a ledger: the charge is on the disk before the release is made.

    without a ledger    make the release; its record says that nothing counted it
    with a ledger       charge, make, store, return: see `ledger.ledger` for the order

What is stored, and replayed under the same key, is the release as it would be saved.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from privopt.errors import KeyUsedError
from privopt.kernel import wire
from privopt.kernel.release import Release
from privopt.ledger.entry import Entry
from privopt.ledger.ledger import Ledger, checked_ledger
from privopt.ledger.request import Request

__all__ = ["released"]


def released(
    request: Callable[[], Request],
    make: Callable[[Entry | None], Release],
    ledger: Ledger | None,
    key: str | None,
    earlier: Callable[[Ledger, int, Request], bytes | None] | None = None,
) -> Release:
    """The release of a request; `make` is called once the charge is written, or never.

    `earlier` finds what an earlier version stored for the same request, put in other words.
    """
    ledger = checked_ledger(ledger, key)
    if ledger is None:
        return make(None)
    made: list[Release] = []

    def output(entry: Entry) -> bytes:
        made.append(make(entry))
        return wire.text(made[0]).encode()

    asked = request()
    try:
        stored = ledger.charge(asked, output, key)
    except KeyUsedError as error:
        if earlier is None or error.row is None:
            raise
        known = earlier(ledger, error.row, asked)
        if known is None:
            raise
        stored = known
    try:
        found = wire.read(Release, stored, f"the output in {ledger.path}")
        # What was made just now is claimed here; what is replayed, by the ledger's file.
        guarantee = made[0].guarantee if made else found.guarantee
        return dataclasses.replace(found, guarantee=guarantee, replayed=not made)
    except BaseException as stop:
        ledger.tell(stop)
        raise
