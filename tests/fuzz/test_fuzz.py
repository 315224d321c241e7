"""100,000 damaged files and random command lines: our errors and no others, whole files only.

An input is named by its block and its number in it; to look at one, call `one` with these.
"""

from __future__ import annotations

import gc
import resource
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz.samples import samples
from tests.fuzz.targets import TARGETS
from tests.work import at_most

BLOCKS, EACH, FEW = 20, 5000, 1000
SECONDS = 20  # of computing, for one input; they take milliseconds
ROOM = 3 << 30  # bytes of memory beyond what is used at the beginning


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An end to memory, and a page without four megabytes of plotly."""
    samples()
    monkeypatch.setattr("plotly.offline.get_plotlyjs", lambda: "/* plotly */")
    monkeypatch.setenv("COLUMNS", "100")
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.fixture
def folder() -> Iterator[Path]:
    memory = Path("/dev/shm")  # noqa: S108
    made = Path(tempfile.mkdtemp(prefix="fuzz-", dir=memory if memory.is_dir() else None))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def one(block: int, number: int, folder: Path) -> None:
    """Try one input in a folder of its own."""
    rng = np.random.default_rng([block, number])
    weights = np.array(list(TARGETS.values()), dtype=float)
    target = list(TARGETS)[int(rng.choice(len(weights), p=weights / weights.sum()))]
    place = folder / str(number)
    place.mkdir()
    try:
        with at_most(SECONDS):
            target(rng, place)
    except BaseException as error:
        error.add_note(f"input {number} of block {block}: {target.__name__}")
        raise
    shutil.rmtree(place)


@pytest.mark.long
@pytest.mark.usefixtures("limits")
def test_some_damaged_inputs(folder: Path) -> None:
    for number in range(FEW):
        one(BLOCKS, number, folder)


@pytest.mark.fuzz
@pytest.mark.usefixtures("limits")
@pytest.mark.parametrize("block", range(BLOCKS))
def test_damaged_inputs(folder: Path, block: int) -> None:
    for number in range(EACH):
        one(block, number, folder)
    gc.collect()  # a store that was not closed says so here
