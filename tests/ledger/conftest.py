"""Where the ledgers of these tests lie: a folder in memory, or a schema of a PostgreSQL server.

The tests are about order and locks, not about the speed of a disk. A module that asks for it
(`IN_STORES = BOTH`) runs once with files and once on the server.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.ledger.requests import ADDRESSES
from tests.ledger.stores.postgresql.server import Server


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test of a module for both stores runs in each, unless it says in which."""
    said = any("folder" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    stores = getattr(metafunc.module, "IN_STORES", None)
    if stores is not None and "folder" in metafunc.fixturenames and not said:
        metafunc.parametrize("folder", stores, indirect=True)


@pytest.fixture
def folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    memory = Path("/dev/shm")  # noqa: S108
    made = Path(tempfile.mkdtemp(prefix="ledger-", dir=memory if memory.is_dir() else None))
    if getattr(request, "param", "sqlite") == "postgresql":
        server: Server = request.getfixturevalue("running")
        ADDRESSES[made] = server.address()
    yield made
    ADDRESSES.pop(made, None)
    shutil.rmtree(made, ignore_errors=True)
