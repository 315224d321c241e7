"""What holds for all tests: one thread each, no deadline for an example, commands built once.

With PRIVOPT_REQUIRE_BROWSER set, as `.ci/run` does, a test that would be skipped for want of a
browser fails instead: a machine that cannot show the page has not shown that it works. Likewise
with PRIVOPT_REQUIRE_POSTGRES for a server of PostgreSQL, which the tests start in a folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # workers run side by side; read by the first numpy

import pytest
import typer.testing
from hypothesis import settings
from tests.ledger.stores.postgresql.server import REQUIRE as REQUIRE_SERVER
from tests.ledger.stores.postgresql.server import Server, missing
from typer.main import get_command

from privopt.cli import app

settings.register_profile("steady", deadline=None)  # a busy machine is no counterexample
settings.load_profile("steady")

REQUIRE = "PRIVOPT_REQUIRE_BROWSER"


@pytest.fixture(scope="session", autouse=True)
def commands_built_once() -> Iterator[None]:
    """Typer's runner builds the whole tree anew for each command: most of what such a test took."""
    command = get_command(app)

    def built(asked: typer.Typer) -> Any:
        return command if asked is app else get_command(asked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", built)
        yield


@pytest.fixture(scope="session", autouse=True)
def releases_have_one_date() -> Iterator[None]:
    """Without a ledger: two releases are compared to the byte, and no test depends on the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("privopt.kernel.releasing.now", lambda: "2026-05-01T10:00:00Z")
        yield


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions that are quicker, for tests that do not look at means over the prior."""
    monkeypatch.setattr("privopt.mechanisms.private_data.DRAWS", 32)


@pytest.fixture
def few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instruments that are chosen in a fifth of the time, for tests that do not look at which."""
    monkeypatch.setattr("privopt.mechanisms.measured.choosing.FIRST", range(1))
    monkeypatch.setattr("privopt.mechanisms.measured.choosing.FRESH", range(1, 3))
    monkeypatch.setattr("privopt.mechanisms.measured.choosing.epsilons_of", lambda *_: ())


def pytest_configure(config: pytest.Config) -> None:
    """The mark of tests that take a browser."""
    config.addinivalue_line("markers", "browser(found): needs chromium, which is there or not")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test marked `browser` needs one."""
    mark = item.get_closest_marker("browser")
    if mark is None or mark.kwargs["found"]:
        return
    wanted = "no browser: apt-get install chromium"
    if os.environ.get(REQUIRE):
        pytest.fail(f"{wanted} ({REQUIRE} is set)", pytrace=False)
    pytest.skip(wanted)


@pytest.fixture(scope="session")
def running() -> Iterator[Server]:
    """One server for all tests of this process."""
    reason = missing()
    if reason is not None:
        (pytest.fail if os.environ.get(REQUIRE_SERVER) else pytest.skip)(reason)
    server = Server()
    yield server
    server.remove()
