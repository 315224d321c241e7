"""The example folder: made once, copied for each test that may change it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.report.example import write_example

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
