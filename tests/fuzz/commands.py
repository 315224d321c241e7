"""Random command lines: the tree of `privopt` is walked, so that a new command is covered too.

Values are good or bad by the name of their option. What would run long is kept short: the values of
options in `DECIDES` are tiny or surely refused, and those in `ALWAYS` are given in every line of
their command.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.fuzz.inputs import Rng, pick
from typer.main import get_command

from privopt.cli import app

CODES = {0, 1, 2, 3, 4}
# Files of the folder that `stock` in targets.py makes, and places where nothing can be written.
# Never a device, and no folder outside: some of the values are written to.
PATHS = (
    "instrument.json", "broken.json", "release.json", "a.json", "b.json", "broken_data.json",
    "empty",
    "good.ledger", "broken.ledger", "case.m", "broken.m", "results", "broken_results", "missing",
    "missing/file", "new.ledger", "new.html", "fifo", "loop", "", ".", "..", "/proc/version",
    "/proc", "/proc/none/x", "é€𝄞", "a b\tc\nd", "\udcff\udc80", "x" * 300, "~", "-", "--",
    "[bold]x[/]", "a.json/x", "results/table1.json",
)  # fmt: skip
WORDS = (
    "", " ", "x", "-1", "0", "1", "1.5", "nan", "inf", "-inf", "1e400", "1e-400", "9" * 30,
    "9" * 5000, "0x10", "1_0", "١", "é€𝄞", "\udcff", "None", "true", "--", "-", "--help", "a,b",
    ",,", "3_lmbd", "a\nb", "[red]", "[/]", "{}", "%s", "\x1b[31m", "-9" * 40,
)  # fmt: skip
GOOD: dict[str, tuple[str, ...]] = {
    "runs": ("1",),
    "samples": ("10", "100"),
    "tries": ("10",),
    "jobs": ("1",),
    "sums": ("1",),
    "seed": ("0", "2", "99999999999999999999"),
    "cbars": ("10", "2,3", "1"),
    "algorithms": ("OP", "OP,OP", "PIQ-a"),
    "networks": ("3_lmbd", "case.m", "broken.m", "3_lmbd,missing.m"),
    "network": ("3_lmbd", "case.m", "broken.m"),
    "case": ("case.m", "broken.m"),
    "job_file": ("job.toml", "job.toml", "broken.toml"),
    "program": ("program.json", "broken_program.json"),
    "release": ("release.json", "broken.json"),
    "ledger": ("good.ledger", "new.ledger", "broken.ledger"),
    "limit": ("1", "0.1", "1e13"),
    "key": ("k", "key 3", "x" * 300),
    "noise": ("laplace", "gaussian", "truncated"),
    "feasibility": ("exact-box", "joint", "analytic", "always", "scenario"),
    "identity": ("z[0]", "0", "z[0],z[0]", "7"),
    "sum": ("0,1", "0;1", "0,0"),
    "private": ("0", "d[1]", "0,1"),
    "lower": ("1", "1,1", "3"),
    "upper": ("2", "2,2", "-3"),
    "around": ("0.1", "0"),
    "eta": ("0.05", "2"),
    "over": ("epsilon", "eta", "phi"),
    "values": ("1", "0.5,1", "1,,2"),
    "low": ("0.5", "-1"),
    "high": ("1", "0.5"),
    "points": ("2",),
    "scenarios": ("10",),
    "draws": ("10",),
    "test": ("10",),
    "threads": ("1",),
    "time_limit": ("5",),
    "pattern": ("ieee", "", "lmbd"),
    "confidence": ("0.99", "2"),
    "epsilon": ("1", "0.5", "1e-9", "1e13"),
    "alpha": ("0.1", "1e-200", "-1"),
    "delta": ("1e-6", "0", "1", "1e-99"),
    "dataset": ("loads", "x" * 300, "\udcff"),
    "head": ("1:" + "0" * 64, "9" * 30 + ":" + "a" * 64, "0:"),
    "last": ("0", "1", "99999999999999999999"),
    "out": ("results", "new", "new.html", "broken_results", "missing/new.html", "\udcfe.html"),
    "instrument": ("instrument.json", "broken.json"),
    "mechanism": ("measured", "plan", "paper", "output", "naive"),
    "measure": ("total", "each", "nothing", "0;1", "d[0],d[1]", "a.json", "zones.csv"),
    "fallback": ("1", "a.json", "1,2"),
    "measurement": ("measurement.json", "broken.json", "release.json"),
    "decision": ("decision.json", "broken.json"),
    "check": ("decision.json", "broken.json"),
    "data": ("a.json", "broken_data.json"),
    "neighbour": ("b.json", "a.json"),
    "folder": ("results", "broken_results", "release.json", "instrument.json", "broken.json"),
    "path": ("good.ledger", "broken.ledger", "new.ledger", "\udcff\udc80"),
}
# Options that decide how long a command takes.
DECIDES = {
    "runs", "samples", "jobs", "networks", "network", "algorithms", "tries", "cbars",
    "sums", "points", "scenarios", "draws", "test", "threads", "time_limit", "values",
}  # fmt: skip
# Those whose defaults take long, by command.
ALWAYS = {
    "experiment": ("runs", "samples", "jobs", "networks", "algorithms", "tries", "cbars"),
    "audit": ("samples", "tries"),
    "verify": ("samples",),
    "frontier": ("points",),
    "demo": ("runs",),
}
# Values that such an option surely refuses.
REFUSED = ("", "x", "-1", "1.5", "nan", "é", "\udcff", ",,", "none", "-9" * 40)
LEFT_OUT = {
    "--install-completion",  # changes files in the home of whoever runs the tests
    "--show-completion",  # asks which shell the tests were started from
    "--cluster",  # waits five seconds for a scheduler to answer
}
# The demo takes seconds a run whatever its options; half of a line is there to be refused.
NEVER_DONE = {"demo"}


@dataclass(frozen=True)
class Command:
    """A command with its parameters: name, option (None of an argument), whether it is a flag."""

    path: tuple[str, ...]
    parameters: tuple[tuple[str, str | None, bool], ...]


@cache
def commands() -> tuple[Command, ...]:
    """Every command and group of the tree."""
    return tuple(_walk(_root(), ()))


@cache
def _root() -> Any:
    return get_command(app)


def _walk(node: Any, path: tuple[str, ...]) -> Iterator[Command]:
    parameters: list[tuple[str, str | None, bool]] = []
    for item in node.params:
        option = next((name for name in item.opts if name.startswith("-")), None)
        if option not in LEFT_OUT:
            parameters.append((item.name, option, bool(getattr(item, "is_flag", False))))
    yield Command(path, tuple(parameters))
    for name, child in getattr(node, "commands", {}).items():
        yield from _walk(child, (*path, name))


def line(rng: Rng) -> list[str]:
    """A random command line."""
    command = pick(rng, commands())
    always = ALWAYS.get(command.path[0], ()) if command.path else ()
    rare = min(0.3, 4 / (1 + len(command.parameters)))  # about as many options in every line
    words: list[str] = []
    for name, option, flag in command.parameters:
        needed = name in always or (option is None and rng.random() < 0.9)
        if not needed and rng.random() > (rare if option else 0.5):
            continue
        for _ in range(2 if rng.random() < 0.05 else 1):
            value = _value(rng, command, name)
            if option is None:
                words.append(value)
            elif flag:
                words.append(option)
            else:
                words += [f"{option}={value}"] if rng.random() < 0.5 else [option, value]
    if not always and words and rng.random() < 0.15:  # what is always given stays
        words = _shuffled(rng, words)
    if rng.random() < 0.02:
        words.append("--help")
    return [*command.path, *words]


def _shuffled(rng: Rng, words: list[str]) -> list[str]:
    match int(rng.integers(4)):
        case 0:
            return [words[int(k)] for k in rng.permutation(len(words))]
        case 1:
            return words[: int(rng.integers(len(words)))]
        case 2:
            return [*words, pick(rng, WORDS)]
        case _:
            return [pick(rng, ("--nothing", "-x", "--", "-", "--out", "")), *words]


def _value(rng: Rng, command: Command, name: str) -> str:
    """A value for an option; where it decides how long it takes, a tiny one or none at all."""
    known, chance = GOOD.get(name), rng.random()
    if name in DECIDES:
        never = command.path[0] in NEVER_DONE
        return pick(rng, known if known and chance < 0.7 and not never else REFUSED)
    if known and chance < 0.75:
        return pick(rng, known)
    return pick(rng, PATHS if chance < 0.9 else WORDS)


@dataclass(frozen=True)
class Ended:
    """How a command line ended."""

    code: int
    said: str


def run(words: list[str], answer: str = "", *, full: bool = False) -> Ended:
    """Run a command line in this process; what it raises besides SystemExit comes out.

    Parameters
    ----------
    full
        Whether standard output is a device that takes nothing.
    """
    stream = io.BytesIO()
    device = io.BufferedWriter(io.FileIO("/dev/full", "w")) if full else stream
    out = io.TextIOWrapper(device, encoding="utf-8")
    err = io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace")
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _answers(answer):
        try:
            _root().main(args=words, prog_name="privopt")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        with contextlib.suppress(OSError):
            out.flush()
        err.flush()
    if full:
        with contextlib.suppress(OSError):
            out.close()
    return Ended(code, stream.getvalue().decode(errors="replace"))


@contextlib.contextmanager
def _answers(text: str) -> Generator[None]:
    before, sys.stdin = sys.stdin, io.StringIO(text)
    try:
        yield
    finally:
        sys.stdin = before
