"""What is done with an input.

A target takes a generator and an empty folder, and raises if something does not hold. Of an input
that is refused nothing is asked but that the refusal is a `PrivoptError`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tests.fuzz import commands, hostile
from tests.fuzz.full import full, full_folder
from tests.fuzz.holds import check_file, check_whole, contents, quiet, refusals
from tests.fuzz.inputs import Rng, damaged, pick, renumbered, rewritten, warped
from tests.fuzz.samples import HAND, JOB, LIMIT, SPENT, STUDY, samples
from tests.ledger.requests import request

import privopt as po
from privopt.app.data import read_values
from privopt.app.job import read_job
from privopt.errors import PrivoptError
from privopt.experiments import run as run_study
from privopt.experiments.journal import Journal
from privopt.ledger import Ledger, Request
from privopt.report import folder as results_folder
from privopt.report import write

NAMES = ("d[0]", "d[1]")


def release(rng: Rng, folder: Path) -> None:
    """A release that loads can be shown, and saved again."""
    have, path = samples(), folder / "release.json"
    path.write_bytes(_any_damage(rng, pick(rng, have.releases), have.program))
    with refusals():
        found = po.Release.load(path)
        assert found.summary() + repr(found) + found._repr_html_()
        assert len(found.to_pandas()) == len(found.names)
        found.save(folder / "again.json")
        assert po.Release.load(folder / "again.json") == found
        assert hash(found) == hash(po.Release.load(folder / "again.json"))


def measured(rng: Rng, folder: Path) -> None:
    """An instrument, measurement or decision that loads can be shown, used and saved again."""
    have, path = samples().measured, folder / "file.json"
    name = pick(rng, tuple(have))
    kind: Any = {"instrument": po.Instrument, "measurement": po.Measurement}.get(name, po.Decision)
    path.write_bytes(_any_damage(rng, have[name], pick(rng, tuple(have.values()))))
    with refusals():
        found = kind.load(path)
        assert found.summary() + repr(found) + found._repr_html_()
        found.save(folder / "again.json")
        assert kind.load(folder / "again.json").to_dict() == found.to_dict()
        with refusals(), quiet():
            if name == "instrument":
                check_noise(found)
            elif name == "decision":
                found.check()


def check_noise(found: po.Instrument) -> None:
    """What is measured costs what the instrument says, and no less than its sums need."""
    made = found.measure(np.full(len(found.kernel.data_names), 1.5))
    if found.calibration is not None:
        needed = np.abs(found.W).sum(axis=0).max() * found.privacy.alpha
        if found.privacy.order == 1:
            assert found.calibration.scale * made.epsilon >= needed * (1 - 1e-9)


def program(rng: Rng, folder: Path) -> None:
    """A program that loads is a program."""
    path = folder / "program.json"
    path.write_bytes(_any_damage(rng, pick(rng, (samples().program, HAND)), HAND))
    with refusals():
        found = po.PublicProgram.load(path)
        found.save(folder / "again.json")
        assert po.PublicProgram.load(folder / "again.json").to_dict() == found.to_dict()
        with refusals(), quiet():
            found.program.solve(d=np.ones(found.program.G.shape[0]))


def job(rng: Rng, folder: Path) -> None:
    """A damaged job file is read, or refused."""
    (folder / "program.json").write_bytes(samples().program)
    path = folder / "job.toml"
    path.write_bytes(renumbered(rng, JOB) if rng.random() < 0.4 else damaged(rng, JOB, HAND))
    with refusals():
        read_job(str(path), {})


def _any_damage(rng: Rng, content: bytes, other: bytes) -> bytes:
    if rng.random() < 0.7:
        return warped(rng, content)
    return damaged(rng, content, other)


def ledger(rng: Rng, folder: Path) -> None:
    """A damaged ledger admits nothing that the whole one would not, and looking changes nothing."""
    path, fair = folder / "ledger", True
    path.write_bytes(samples().ledger)
    if rng.random() < 0.5:
        path.write_bytes(damaged(rng, samples().ledger, rng.bytes(4096)))
    else:
        fair = rewritten(rng, path)
    if rng.random() < 0.2:  # something is left beside it
        other = damaged(rng, samples().ledger, rng.bytes(512))
        magic = pick(rng, (b"", bytes.fromhex("d9d505f920a163d7"), bytes.fromhex("377f0682")))
        path.with_name(path.name + pick(rng, ("-journal", "-wal"))).write_bytes(magic + other)
    before = path.read_bytes()
    with refusals():
        look(path)
    assert path.read_bytes() == before
    asked = request(pick(rng, ("0.05", "0.1", "0.2", "5")), alpha=pick(rng, (0.1, 0.1, 0.2)))
    key = pick(rng, (None, "new", "key 3"))
    charge(path, asked, key, fair=fair)
    assert not [item for item in folder.iterdir() if "-key-" in item.name]


def look(path: Path) -> None:
    """Everything that can be seen of a ledger; each part may be refused."""
    with Ledger(path, read_only=True) as seen:
        for part in ("events", "spent", "limit", "left", "head", "subject", "dataset"):
            with refusals():
                getattr(seen, part)
        with refusals():
            repr(seen)
        with refusals():
            seen.verify((3, "0" * 64))
        report = seen.verify()
        assert len([one for one in seen.events if one.kind == "charge"]) == report.charges


def charge(path: Path, asked: Request, key: str | None, *, fair: bool) -> None:
    """What is made was charged, is on record, and would have fitted the whole ledger."""
    made: list[bytes] = []

    def make(_: object) -> bytes:
        made.append(b"output")
        return b"output"

    kept: list[bytes] = []
    with refusals(), Ledger(path) as opened:
        kept.append(opened.charge(asked, make, key))
    if made:
        if fair:
            assert SPENT + asked.charge.exact[0] <= LIMIT
        assert kept in ([], made)
        with Ledger(path, read_only=True) as seen, refusals():
            last = seen.events[-1]
            assert (last.request, last.key, last.released) == (asked, key, bool(kept))
    elif kept:
        assert key == "key 3"  # a replay


def network(rng: Rng, folder: Path) -> None:
    """A case file that loads makes a program and an instance, or is refused."""
    path = folder / "case.m"
    first, second = pick(rng, samples().cases), pick(rng, samples().cases)
    many = rng.random() < 0.6
    path.write_bytes(renumbered(rng, first) if many else damaged(rng, first, second))
    with refusals():
        found = po.networks.load(path)
        repr(found)
        with refusals():
            found.program(pick(rng, ("powermodels", "matpower")))
        po.experiments.instance(found, 0)


def journal(rng: Rng, folder: Path) -> None:
    """A damaged journal is refused and stays as it is, or goes on."""
    path = folder / "table1.journal"
    whole = samples().study["table1.journal"]
    lines = whole.splitlines(keepends=True)
    begun = json.loads(lines[0])["conditions"]
    if rng.random() < 0.5:
        k = int(rng.integers(len(lines)))
        lines[k] = warped(rng, lines[k]) + b"\n"
        path.write_bytes(b"".join(lines))
    else:
        path.write_bytes(damaged(rng, whole, samples().program))
    before = path.read_bytes()
    conditions = begun if rng.random() < 0.5 else {"study": "x"}
    try:
        with Journal(path, conditions) as opened:
            opened.append("new", {"loss": 1.0})
    except PrivoptError:
        assert path.read_bytes() == before
    else:
        check_file(path, path.read_bytes())


def study(rng: Rng, folder: Path) -> None:
    """A run that goes on in a damaged folder ends with whole files, or is refused."""
    for name, content in samples().study.items():
        (folder / name).write_bytes(content)
    path = folder / pick(rng, ("table1.journal", "table1.journal", "timings.json", "table1.json"))
    content = path.read_bytes()
    if path.suffix == ".journal":
        lines = content.splitlines(keepends=True)
        k = int(rng.integers(1, len(lines)))
        lines[k] = warped(rng, lines[k]) + b"\n"
        path.write_bytes(b"".join(lines))
    else:
        path.write_bytes(_any_damage(rng, content, b"[]"))
    before = contents(folder)
    with refusals():
        run_study(STUDY, folder)
    check_whole(folder, before)


def results(rng: Rng, folder: Path) -> None:
    """A damaged folder of results is read, or refused."""
    _broken_results(rng, folder)
    with refusals():
        results_folder.read(folder)


def page(rng: Rng, folder: Path) -> None:
    """A page of damaged results is whole, or refused."""
    _broken_results(rng, folder, read=True)
    before = contents(folder)
    with refusals():
        write(folder)
    check_whole(folder, before)


def _broken_results(rng: Rng, folder: Path, *, read: bool = False) -> None:
    have = samples().results
    broken = pick(rng, sorted(have))
    others = [name for name in have if rng.random() < 0.3 or name == "privacy.json"]
    for name in {broken, *others}:
        (folder / name).write_bytes(have[name])
    path = folder / broken
    if path.suffix != ".parquet" and (read or rng.random() < 0.7):
        path.write_bytes(warped(rng, have[broken]))
    else:
        path.write_bytes(damaged(rng, have[broken], have["drawing.json"]))


def data(rng: Rng, folder: Path) -> None:
    """Data are finite numbers, or refused."""
    path, lines = folder / "data", b"name,value\nd[1],2\nd[0],1\n"
    if rng.random() < 0.3:
        path.write_bytes(damaged(rng, lines, b"d[2],x"))
    else:
        content = pick(rng, (b"[0.7, 0.8]", b'{"d[0]": 1.5, "d[1]": 2}'))
        path.write_bytes(_any_damage(rng, content, b"[1, 2]"))
    with refusals():
        found = read_values(path, NAMES)
        assert found.shape == (2,)
        assert np.isfinite(found).all()


def stock(rng: Rng, folder: Path, words: list[str]) -> None:
    """The files that a command line names."""
    have = samples()
    said = " ".join(words)
    whole = {
        "release.json": have.releases[0], "empty": b"",
        "a.json": b"[1.5, 1.5]", "b.json": b"[1.5, 1.55]", "good.ledger": have.ledger,
        "case.m": have.cases[0], "job.toml": JOB, "program.json": have.program,
        "instrument.json": have.measured["instrument"],
        "measurement.json": have.measured["measurement"],
        "decision.json": have.measured["decision"],
    }  # fmt: skip
    if "broken.toml" in words or "job.toml" in words:
        said += "program.json"
    for name, content in whole.items():
        if name in said:
            (folder / name).write_bytes(content)
    broken = {
        "broken.json": have.measured["instrument"], "broken_data.json": b"[1.5, 1.5]",
        "broken.ledger": have.ledger, "broken.m": have.cases[0], "broken.toml": JOB,
        "broken_program.json": have.program,
    }  # fmt: skip
    for name, content in broken.items():
        if name in said:
            warp = name.endswith(".json") and rng.random() < 0.5
            spoilt = warped(rng, content) if warp else damaged(rng, content, have.program)
            (folder / name).write_bytes(spoilt)
    if "results" in said:
        for place, spoil in (("results", False), ("broken_results", True)):
            (folder / place).mkdir()
            for name, content in have.study.items():
                (folder / place / name).write_bytes(content)
            if spoil:
                _broken_results(rng, folder / place)
    os.mkfifo(folder / "fifo")
    (folder / "loop").symlink_to("loop")


def command(rng: Rng, folder: Path) -> None:
    """A command line ends with an exit code, says no traceback and leaves whole files."""
    words = commands.line(rng)
    stock(rng, folder, words)
    before = contents(folder)
    here = Path.cwd()
    os.chdir(folder)
    try:
        with quiet():
            ended = commands.run(words, pick(rng, ("", "y\n", "n\n", "é\n")))
    except Exception as error:
        error.add_note(f"privopt {words!r}")
        raise
    finally:
        os.chdir(here)
    assert ended.code in commands.CODES, (words, ended)
    assert "Traceback" not in ended.said, (words, ended)
    # A ledger that was damaged before may stay so: what it admits is looked at in `ledger`.
    for name in list(before):
        if name == "broken.ledger":
            before[name] = (folder / name).read_bytes()
    check_whole(folder, before)


TARGETS: dict[Callable[[Rng, Path], None], float] = {
    measured: 28, release: 10, ledger: 14, network: 10, journal: 6, results: 4,
    data: 4, command: 10, program: 5, job: 5, full: 3, study: 0.5, page: 0.4, full_folder: 0.1,
    hostile.output: 1.5, hostile.job: 1.5, hostile.schema: 1,
}  # fmt: skip
