"""A workbench of real processes, on a small job with private data, for each test."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.web.workbench import Page, curators, with_data, workbench

from privopt.web.serving import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Generator[tuple[Bench, Page]]:
    """A workbench of the test's own, on a job with private data in the test's folder."""
    with workbench(with_data(tmp_path)) as both:
        yield both


@pytest.fixture
def curator(bench: tuple[Bench, Page]) -> Generator[Page]:
    """The curator's page of the same."""
    with curators(bench[1]) as page:
        yield page


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[Bench, Page]]:
    """One workbench for the tests of a module that change nothing."""
    with workbench(with_data(tmp_path_factory.mktemp("bench"))) as both:
        yield both
