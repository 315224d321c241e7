"""Where the ledgers of these tests lie: a folder in memory, or a schema of a PostgreSQL server.

The tests are about order and locks, not about the speed of a disk. A module that asks for it
(`IN_STORES = BOTH`) runs once with files and once on the server. With PRIVOPT_REQUIRE_POSTGRES
set, as `.ci/run` does, a test that would be skipped for want of a server fails instead.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.ledger.requests import ADDRESSES
from tests.ledger.stores.postgresql.server import REQUIRE, Server, missing


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test of a module for both stores runs in each, unless it says in which."""
    said = any("folder" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    stores = getattr(metafunc.module, "IN_STORES", None)
    if stores is not None and "folder" in metafunc.fixturenames and not said:
        metafunc.parametrize("folder", stores, indirect=True)


@pytest.fixture(scope="session")
def running() -> Iterator[Server]:
    """One server for all tests of this process."""
    reason = missing()
    if reason is not None:
        (pytest.fail if os.environ.get(REQUIRE) else pytest.skip)(reason)
    server = Server()
    yield server
    server.remove()


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
