"""A disk that is full: writes that fail midway leave the old file, or the new one."""

from __future__ import annotations

import contextlib
import resource
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

from tests.fuzz.holds import check_whole, contents, refusals
from tests.fuzz.inputs import Rng, pick
from tests.fuzz.samples import STUDY, samples
from tests.ledger.requests import request

import privopt as po
from privopt.errors import BudgetExceededError, PrivoptError
from privopt.experiments import run as run_study
from privopt.experiments.drawing import write_drawing
from privopt.ledger import Ledger
from privopt.report import write


@contextlib.contextmanager
def full_disk(size: int) -> Generator[None]:
    """No file can grow beyond a size: writes fail midway, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)


def full(rng: Rng, folder: Path) -> None:
    """A write that fails midway leaves the old file, and a charge is on record or was not made."""
    have = samples()
    if rng.random() < 0.5:
        thing: Any
        kind = pick(rng, (po.Instrument, po.Release))
        path = folder / "thing.json"
        content = have.measured["instrument"] if kind is po.Instrument else have.releases[0]
        path.write_bytes(content)
        thing = kind.load(path)
        if rng.random() < 0.5:
            path.write_bytes(b"{}")
        before = contents(folder)
        with full_disk(int(rng.integers(len(content) + 10))), refusals():
            thing.save(path)
        check_whole(folder, before)
        return
    path = folder / "full.ledger"
    path.write_bytes(have.ledger)
    made: list[bytes] = []
    returned = None
    size = int(rng.integers(1, 60_000))
    output = b"x" * int(rng.integers(1, 20_000))

    def make(_: object) -> bytes:
        made.append(output)
        return output

    with full_disk(size), refusals(), Ledger(path) as opened:
        returned = opened.charge(request("0.1"), make, "new")
    with Ledger(path, read_only=True) as seen:
        report = seen.verify()
        last = seen.events[-1]
    assert report.charges == 9 + bool(made) or (not made and report.charges == 10)
    assert last.released == (returned is not None) or last.key != "new"
    with contextlib.suppress(BudgetExceededError), Ledger(path) as opened:
        opened.charge(request("0.2"), make, "more")
        raise AssertionError("more than the limit")


def full_folder(rng: Rng, folder: Path) -> None:
    """The same of what an experiment writes."""
    have = samples().study
    for name, content in have.items():
        (folder / name).write_bytes(content)
    before = contents(folder)
    size = int(rng.integers(max(map(len, have.values())) + 100))
    with full_disk(size), contextlib.suppress(PrivoptError, OSError):
        match int(rng.integers(3)):
            case 0:
                run_study(STUDY, folder)
            case 1:
                write_drawing(folder, "3_lmbd", 0)
            case _:
                write(folder)
    check_whole(folder, before)
