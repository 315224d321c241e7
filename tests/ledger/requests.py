"""Requests and ledgers for the tests, and processes that charge."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from privopt.ledger import Budget, Ledger, Request
from privopt.ledger.request import private_set
from privopt.ledger.stores.sqlite.store import SqliteStore

ADDRESSES: dict[Path, str] = {}  # of folders that stand for a schema on a server
BOTH = ("sqlite", "postgresql")
FILE = pytest.mark.parametrize("folder", ["sqlite"], indirect=True)  # about the file itself
PRIVATE = private_set(["north", "south"])


def request(epsilon: Any = "0.1", delta: Any = 0, **other: Any) -> Request:
    given = {"mechanism": "measurement", "alpha": 0.1, "private": PRIVATE, **other}
    return Request(epsilon=epsilon, delta=delta, **given)


def place(folder: Path) -> str:
    """Where the ledger of a test lies."""
    return ADDRESSES.get(folder) or str(folder / "loads.ledger")


def open_ledger(folder: Path, epsilon: Any = 1, delta: Any = 0, **other: Any) -> Ledger:
    return Ledger(place(folder), Budget(epsilon, delta), **other)


def sqlite(ledger: Ledger) -> SqliteStore:
    """The store of a ledger that is a file: some tests are about what SQLite is told."""
    store = ledger.store
    assert isinstance(store, SqliteStore)
    return store


def never(_: object = None) -> bytes:
    raise AssertionError("the data was read")


def fork(work: Callable[[], None], seconds: int = 600) -> int:
    """Run work in a child process that starts warm; its exit code is 0 if nothing was raised."""
    child = os.fork()
    if child:
        return child
    code = 1
    signal.alarm(seconds)  # a child that hangs ends, a slow one does not
    try:
        work()
        code = 0
    except BaseException:
        traceback.print_exc(file=sys.stderr)
    finally:
        os._exit(code)


def join(children: list[int]) -> list[int]:
    """Exit codes of children, or minus the signal that ended them."""
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
