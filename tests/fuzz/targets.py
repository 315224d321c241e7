"""What is done with an input, and what must hold afterwards.

A target takes a generator and an empty folder, and raises if something does not hold. Of an input
that is refused nothing is asked but that the refusal is a `PrivoptError`.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import resource
import signal
import tomllib
import warnings
from collections.abc import Callable, Generator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from tests.accounting.requests import request
from tests.certified.checks import check_charge
from tests.certified.stored import Stored, power, read
from tests.fuzz import commands
from tests.fuzz.inputs import Rng, damaged, pick, renumbered, rewritten, warped
from tests.networks import cases
from tests.report.example import write_example

import privopt as po
from privopt.accounting import Budget, Ledger, Request
from privopt.cli.audit import _read as read_data
from privopt.errors import BudgetExceededError, PrivoptError
from privopt.experiments import Table1
from privopt.experiments import run as run_study
from privopt.experiments.drawing import write_drawing
from privopt.experiments.journal import Journal
from privopt.jobs.job import read_job
from privopt.networks import locate
from privopt.report import folder as results_folder
from privopt.report import write

STUDY = Table1(networks=("3_lmbd",), algorithms=("OP",), runs=2, samples=10)
LIMIT, SPENT = Fraction(1), Fraction(9, 10)
NAMES = ("d[0]", "d[1]")
HAND = b"""{"privopt": "program", "version": 1, "linear": [1, 2, 3], "G": [[1, 1, 1]], "lower": 0,
"upper": 4, "names": ["x", "y", "w"], "A": [[1, -1, 0]], "b": [3], "quadratic": [1, 1, 1]}"""
JOB = b"""[program]
file = "program.json"
[data]
values = [1.5, 1.5]
[query]
identity = ["z[0]"]
[privacy]
noise = "laplace"
epsilon = 1.0
alpha = 0.1
[feasibility]
kind = "exact-box"
eta = 0.05
[domain]
lower = 1.0
upper = 2.0
[design]
floor = 1.0
"""


@dataclass(frozen=True)
class Samples:
    """Whole files, made once."""

    policies: tuple[bytes, ...]
    slow_policy: bytes
    program: bytes
    releases: tuple[bytes, ...]
    ledger: bytes
    cases: tuple[bytes, ...]
    study: dict[str, bytes]
    results: dict[str, bytes]


@cache
def samples() -> Samples:
    """Made by the library itself."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        noises = (
            po.Laplace(epsilon=1, alpha=0.1),
            po.TruncatedLaplace(epsilon=1, delta=1e-3, alpha=0.1),
            po.Gaussian(epsilon=0.9, delta=1e-5, alpha=0.1),
        )
        made = [_policy(noise, 1.0) for noise in noises]
        made.insert(0, _policy(noises[0], None))
        files = [_saved(policy, folder / "policy") for policy in made]
        with Ledger(folder / "ledger", Budget(1), dataset="loads") as ledger:
            released = [made[1].release([1.5, 1.5]), made[2].release([1.5, 1.5])]
            for key in range(9):
                ledger.charge(request("0.1"), lambda _: b"released", f"key {key}")
            with Ledger(folder / "other", Budget(2)) as other:
                released.append(made[1].release([1.5, 1.5], other, "k"))
        releases = tuple(_saved(one, folder / "release") for one in released)
        buses = [cases.bus(1, 3, 30), cases.bus(2, 1, 50, 5), cases.bus(7, 2, 20)]
        gens = [cases.gen(1, 200), cases.gen(7, 150, 10)]
        lines = [cases.branch(1, 2, rate=100), cases.branch(2, 7, r=0.01), cases.branch(1, 7)]
        costs = [cases.polynomial(0.1, 2, 3), cases.piecewise(0, 0, 50, 100, 150, 400)]
        case = cases.write(folder / "case.m", buses, gens, lines, costs).read_bytes()
        run_study(STUDY, folder / "study")
        write_drawing(folder / "study", "3_lmbd", 0)
        study = {path.name: path.read_bytes() for path in (folder / "study").iterdir()}
        (folder / "results").mkdir()
        write_example(folder / "results")
        results = {
            path.name: _shortened(path) for path in (folder / "results").iterdir()
        }  # fmt: skip
        return Samples(
            policies=tuple(files[:3]),
            slow_policy=files[3],
            program=_saved(po.PublicProgram(made[0].program), folder / "program"),
            releases=releases,
            ledger=(folder / "ledger").read_bytes(),
            cases=(case, locate("3_lmbd").read_bytes()),
            study=study,
            results=results,
        )


def _policy(noise: Any, floor: float | None) -> po.Policy:
    program = po.ConvexProgram(
        linear=[1, 2, 1], quadratic=[1, 1, 0.5], A=[[1, -1, 0]], b=[25], G=[[1, 1, 0], [0, 1, 1]],
        d=[3, 2], lower=-9, upper=9,
    )  # fmt: skip
    wish: dict[str, Any] = {} if floor is None else {"floor": floor}
    kept = po.Analytic(eta=0.05)
    return po.design(program, po.Identity([0]), noise, kept, domain=po.Box(1.0, 2.0), **wish)


def _saved(thing: Any, path: Path) -> bytes:
    thing.save(path)
    return path.read_bytes()


def _shortened(path: Path) -> bytes:
    """A few rows of each file: an experiment's are long."""
    if path.suffix == ".parquet":
        pd.read_parquet(path).iloc[:200:20].to_parquet(path)
    elif path.name != "timings.json":
        data = json.loads(path.read_bytes())
        if "rows" in data:
            data["rows"] = data["rows"][:6]
        path.write_text(json.dumps(data))
    return path.read_bytes()


# --- what must hold ------------------------------------------------------------------------------


@contextlib.contextmanager
def refusals() -> Generator[None]:
    """Our errors are an answer; anything else is not."""
    with contextlib.suppress(PrivoptError):
        yield


@contextlib.contextmanager
def quiet() -> Generator[None]:
    """Numbers such as 1e308 overflow somewhere in a solve: a warning, and no traceback."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def check_whole(folder: Path, before: dict[str, bytes]) -> None:
    """Every file is as it was, or whole; nothing temporary is left and nothing is gone."""
    after = contents(folder)
    gone = before.keys() - after.keys() - {"drawing.json"}
    assert not gone, f"{gone} is gone"
    for name, content in after.items():
        left = name.endswith((".part", "-journal")) or "-key-" in name
        assert not left, f"{name} is left"
        if name.endswith(("-wal", "-shm")):  # SQLite's: who only looks cannot remove them
            continue
        if before.get(name) != content:
            _check_file(folder / name, content)


def _check_file(path: Path, content: bytes) -> None:
    """Whole as what it begins like; a name is free."""
    start = content[:15].lower()
    if start.startswith(b"sqlite format 3"):
        with Ledger(path, read_only=True) as ledger:
            ledger.verify()
    elif start.startswith((b"<html", b"<!doctype html")):
        assert content.rstrip().endswith(b"</html>"), path
    elif start.startswith(b"par1"):
        pd.read_parquet(io.BytesIO(content))  # a path of odd bytes is none to pyarrow
    elif path.suffix == ".journal":
        assert content.endswith(b"\n"), path
        assert all(isinstance(json.loads(line), dict) for line in content.splitlines()), path
    elif start.startswith(b"# a job"):
        tomllib.loads(content.decode())
    elif start.startswith(b"name,value"):
        assert content.endswith(b"\n"), path
        assert all(line.count(b",") for line in content.splitlines()), path
    else:
        json.loads(content)


def check_safe(policy: po.Policy, folder: Path, rng: Rng) -> None:
    """The noise of a loaded policy covers its map, by a computation of its own; it can release."""
    again = folder / "again.json"
    policy.save(again)
    assert po.Policy.load(again).to_dict() == policy.to_dict()
    stored = read(again)
    sizes = {len(stored.offset), len(policy.names), policy.S.shape[0], len(stored.matrix)}
    assert len(sizes) == 1, sizes
    assert len(stored.low) == len(stored.high) == len(policy.program.private)
    if stored.noise is None:
        assert not any(value for row in stored.matrix for value in row)
    else:
        assert stored.noise.size == len(stored.offset)
        assert _moves(stored) <= stored.noise.sensitivity
        check_charge(stored, stored.noise)
    size = policy.program.G.shape[0]
    for d in (np.zeros(size), rng.normal(size=size) * 1e3, np.full(size, 1e300)):
        with refusals():
            release = policy.release(d)
            assert len(release.values) == len(release.names) == len(stored.offset)
            assert np.isfinite(release.values).all()
            assert stored.noise is None or Fraction(release.epsilon) == stored.noise.epsilon
    repr(policy)


def _moves(stored: Stored) -> Fraction:
    """How far neighbours lie apart at most, before the noise, with a step of its grid a value."""
    most = math.floor(stored.alpha * power(stored.coarse)) + 1
    unit, cell, p = power(-stored.fine - stored.coarse), power(stored.grid), len(stored.offset)
    found = Fraction(0)
    for j, (low, high) in enumerate(zip(stored.low, stored.high, strict=True)):
        assert low <= high
        column = [abs(row[j]) * min(most, high - low) for row in stored.matrix]
        size = sum(column) if stored.order == 1 else math.isqrt(sum(v * v for v in column))
        found = max(found, size * unit)
    return found + (p if stored.order == 1 else math.isqrt(p)) * cell


# --- files ---------------------------------------------------------------------------------------


def policy(rng: Rng, folder: Path) -> None:
    """A policy that loads is safe."""
    have = samples()
    content = have.slow_policy if rng.random() < 0.02 else pick(rng, have.policies)
    path = folder / "policy.json"
    path.write_bytes(_any_damage(rng, content, pick(rng, have.policies)))
    with refusals():
        found = po.Policy.load(path)
        check_safe(found, folder, rng)


def release(rng: Rng, folder: Path) -> None:
    """A release that loads can be shown, and saved again."""
    have, path = samples(), folder / "release.json"
    path.write_bytes(_any_damage(rng, pick(rng, have.releases), pick(rng, have.policies)))
    with refusals():
        found = po.Release.load(path)
        assert found.summary() + repr(found) + found._repr_html_()
        assert len(found.to_pandas()) == len(found.names)
        found.save(folder / "again.json")
        assert po.Release.load(folder / "again.json") == found
        assert hash(found) == hash(po.Release.load(folder / "again.json"))


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
        path.write_bytes(damaged(rng, whole, samples().policies[0]))
    before = path.read_bytes()
    conditions = begun if rng.random() < 0.5 else {"study": "x"}
    try:
        with Journal(path, conditions) as opened:
            opened.append("new", {"loss": 1.0})
    except PrivoptError:
        assert path.read_bytes() == before
    else:
        _check_file(path, path.read_bytes())


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
    others = [name for name in have if rng.random() < 0.3 or name == "certified.json"]
    for name in {broken, *others}:
        (folder / name).write_bytes(have[name])
    path = folder / broken
    if path.suffix != ".parquet" and (read or rng.random() < 0.7):
        path.write_bytes(warped(rng, have[broken]))
    else:
        path.write_bytes(damaged(rng, have[broken], have["drawing.json"]))


def data(rng: Rng, folder: Path) -> None:
    """Data of an audit are finite numbers, or refused."""
    path = folder / "data.json"
    content = pick(rng, (b"[0.7, 0.8]", b'{"d[0]": 1.5, "d[1]": 2}'))
    path.write_bytes(_any_damage(rng, content, b"[1, 2]"))
    with refusals():
        found = read_data(path, NAMES)
        assert found.shape == (2,)
        assert np.isfinite(found).all()


# --- command lines -------------------------------------------------------------------------------


def stock(rng: Rng, folder: Path, words: list[str]) -> None:
    """The files that a command line names."""
    have = samples()
    said = " ".join(words)
    whole = {
        "policy.json": have.policies[1], "release.json": have.releases[0], "empty": b"",
        "a.json": b"[1.5, 1.5]", "b.json": b"[1.5, 1.55]", "good.ledger": have.ledger,
        "case.m": have.cases[0], "job.toml": JOB, "program.json": have.program,
    }  # fmt: skip
    if "broken.toml" in words or "job.toml" in words:
        said += "program.json"
    for name, content in whole.items():
        if name in said:
            (folder / name).write_bytes(content)
    broken = {
        "broken.json": have.policies[1], "broken_data.json": b"[1.5, 1.5]",
        "broken.ledger": have.ledger, "broken.m": have.cases[0], "broken.toml": JOB,
        "broken_program.json": have.program,
    }  # fmt: skip
    for name, content in broken.items():
        if name in said:
            warp = name.endswith(".json") and rng.random() < 0.5
            spoilt = warped(rng, content) if warp else damaged(rng, content, have.policies[0])
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


# --- a disk that is full -------------------------------------------------------------------------


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
        kind = pick(rng, (po.Policy, po.Release))
        path = folder / "thing.json"
        content = have.policies[1] if kind is po.Policy else have.releases[0]
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


TARGETS: dict[Callable[[Rng, Path], None], float] = {
    policy: 26, release: 12, ledger: 14, network: 10, journal: 6, results: 4, data: 4, command: 10,
    program: 5, job: 5, full: 3, study: 0.5, page: 0.4, full_folder: 0.1,
}  # fmt: skip
