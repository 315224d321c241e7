"""Releasing through a ledger: the charge is on the disk before the release is made.

    without a ledger    make the release; its record says that nothing counted it
    with a ledger       charge, make, store, return: see `ledger.ledger` for the order

What is stored, and replayed under the same key, is the release as it would be saved. Its date is
that of the charge, or else that of the call: both are before d is read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from privopt.claims.guarantee import Guarantee
from privopt.kernel import wire
from privopt.kernel.release import Release
from privopt.ledger.entry import Entry
from privopt.ledger.ledger import Ledger, checked_ledger, now
from privopt.ledger.request import Request

__all__ = ["released"]


def released(
    request: Callable[[], Request],
    make: Callable[[Entry | None], Release],
    ledger: Ledger | None,
    key: str | None,
    guarantee: Guarantee,
) -> Release:
    """The release of a request; `make` is called once the charge is written, or never.

    `guarantee` is what is claimed of it: also of a replay, which is what the ledger holds.
    """
    ledger, asked = checked_ledger(ledger, key), request()
    if ledger is None:
        date = now()
        return dataclasses.replace(make(None), date=date, maker=asked.subject)
    made: list[Release] = []

    def output(entry: Entry) -> bytes:
        made.append(dataclasses.replace(make(entry), date=entry.time, maker=asked.subject))
        return wire.text(made[0]).encode()

    stored = ledger.charge(asked, output, key)
    try:
        found = wire.read(Release, stored, f"the output in {ledger.path}")
        return dataclasses.replace(found, guarantee=guarantee, replayed=not made)
    except BaseException as stop:
        ledger.tell(stop)
        raise
