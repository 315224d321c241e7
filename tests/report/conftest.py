"""The example folder: made once, copied for each test that may change it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.report.example import write_example

import privopt as po
from privopt.experiments.story import Story, story
from privopt.report.demo import demo_page
from privopt.report.folder import Folder, read


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All three experiments, the drawing and the timings; not to be changed."""
    return write_example(tmp_path_factory.mktemp("example"))


@pytest.fixture
def folder(example: Path, tmp_path: Path) -> Path:
    """The example as one's own."""
    return shutil.copytree(example, tmp_path, dirs_exist_ok=True)


@pytest.fixture
def found(folder: Path) -> Folder:
    """The example as it is read."""
    return read(folder)


@pytest.fixture(scope="session")
def told_and_page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Story, str]:
    """The demo's story with one simulated measurement, and its page."""
    place = tmp_path_factory.mktemp("demo") / "demands.ledger"
    with pytest.MonkeyPatch.context() as patch, po.Ledger(place, limit=po.Budget(2)) as ledger:
        patch.setattr("privopt.experiments.story.SIMULATED", 1)
        told = story(ledger)
        return told, demo_page(told, ledger, "report.html")


@pytest.fixture
def told(told_and_page: tuple[Story, str]) -> Story:
    """The demo's story."""
    return told_and_page[0]


@pytest.fixture
def demo(told_and_page: tuple[Story, str]) -> str:
    """The demo's page."""
    return told_and_page[1]
