"""Which store keeps a ledger: a plain path is a file of SQLite, `scheme://...` names another one.

A new store is one file beside this one, and one line in `STORES`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from privopt.errors import InputError
from privopt.ledger.stores.postgresql.store import PostgresqlStore
from privopt.ledger.stores.protocol import Store
from privopt.ledger.stores.sqlite.store import SqliteStore

__all__ = ["STORES", "exists", "file_of", "open_store", "scheme_of", "shown_as"]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


# What makes a store of a path or a whole address, read_only= and timeout=, and opens nothing yet.
STORES: dict[str, Callable[..., Store]] = {
    "": SqliteStore,
    "postgresql": PostgresqlStore,
}


def scheme_of(place: str | os.PathLike[str]) -> str:
    """How an address begins, before the ://; "" of a plain path."""
    found = _SCHEME.match(place) if isinstance(place, str) else None
    return "" if found is None else found[1].lower()


def shown_as(place: str | os.PathLike[str]) -> str:
    """A path as it was given; an address as it may be shown, without a password."""
    if scheme_of(place) not in ("", *STORES):
        return f"{scheme_of(place)}://..."
    return str(place) if file_of(place) else open_store(place, read_only=True, timeout=0.0).place


def file_of(place: str | os.PathLike[str]) -> Path | None:
    """The file that a plain path names; None of an address."""
    return None if isinstance(place, str) and _SCHEME.match(place) else Path(place)


def exists(place: str | os.PathLike[str]) -> bool:
    """Whether something is there already, a ledger or another file."""
    file = file_of(place)
    if file is not None:
        return file.exists()
    return not open_store(place, read_only=True, timeout=0.0).blank


def open_store(place: str | os.PathLike[str], *, read_only: bool, timeout: float) -> Store:
    """The store that a path or an address names."""
    scheme = scheme_of(place)
    if scheme not in STORES:
        known = ", ".join(f"{name}://" for name in sorted(STORES) if name) or "none"
        raise InputError(
            f"no store of ledgers is called {scheme}://.",
            f"the path of a file, or an address of a store that there is ({known}).",
            "check how the address begins.",
        )
    return STORES[scheme](place, read_only=read_only, timeout=timeout)
