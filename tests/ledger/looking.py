"""All the ways to look at a ledger, or to charge it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.ledger.requests import never, request

from privopt.ledger import Ledger


def looks(path: Path) -> list[Callable[[], object]]:
    def opened(**given: bool) -> Ledger:
        return Ledger(path, **given)

    return [
        lambda: opened().charge(request("0.1"), never),
        lambda: opened().charge(request("0.1"), never, "k"),
        lambda: opened(read_only=True).spent,
        lambda: opened(read_only=True).events,
        lambda: opened(read_only=True).recent(5),
        lambda: opened(read_only=True).fetch(row=2),
        lambda: opened(read_only=True).verify(),
        lambda: opened(read_only=True).rehearse(request("0.1")),
    ]
