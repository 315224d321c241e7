"""One browser for all, and one workbench for each module."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.web.browser.visiting import Visit, chromium, visiting
from tests.web.workbench import with_data

from privopt.web.serving import Bench, opened


@pytest.fixture(scope="package")
def browser() -> Generator[Browser]:
    """The browser."""
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the module's job, data and ledger."""
    return tmp_path_factory.mktemp("place")


@pytest.fixture(scope="module")
def bench(place: Path) -> Generator[Bench]:
    """A workbench on a small job with private data."""
    with opened(with_data(place)) as ready, ready.serving():
        yield ready


@pytest.fixture
def visit(browser: Browser, bench: Bench) -> Generator[tuple[Visit, Page]]:
    """A browser that was let in, with a tab; nothing fails in its pages."""
    with visiting(browser, bench.address) as (found, page):
        yield found, page
        assert found.faults == []


@pytest.fixture
def page(visit: tuple[Visit, Page]) -> Page:
    """The tab."""
    return visit[1]
