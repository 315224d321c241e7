"""A wrong file is named with the command that takes it; a poor release is told of in time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.processes import shell
from tests.cli.running import DOMAIN, TREE, run, shown

import privopt as po
from privopt import extra
from privopt.app.job import read_job
from privopt.app.making import instrument_of
from privopt.app.measuring import tried
from privopt.networks.locate import find
from privopt.recognise import kind_of
from privopt.show.worth import worth_warnings


def test_a_wrong_file_is_named(folder: Path) -> None:
    program = po.PublicProgram.load("program.json").program
    noise, domain = po.Laplace(epsilon=1.0, alpha=0.05), po.Box(5.0, 7.0)
    sums = {"total": ["demand"]}
    po.Instrument(sums, program=program, privacy=noise, domain=domain).save("instrument.json")
    run("ledger", "create", "x.ledger", "1")
    run("release", "--no-ledger", "plan.toml", "--out", "r.json")
    case = find("3_lmbd")
    kinds = {
        "x.ledger": "ledger", "instrument.json": "instrument", "r.json": "release",
        "job.toml": "job", "program.json": "program", "d.csv": None, "none": None, ".": None,
        case: "case",
    }  # fmt: skip
    assert {path: kind_of(path) for path in kinds} == kinds
    for words, says in (
        (("report", "program.json"), "it is a program"),
        (("report", "job.toml"), "privopt release job.toml --dry-run"),
        (("audit", "instrument.json"), "privopt audit --instrument instrument.json"),
        (("audit", "x.ledger"), "x.ledger is a ledger"),
        (("decide", "job.toml", "--measurement", "r.json"), "it is a release"),
        (("evidence", "x.ledger", "--ledger", "x.ledger", "--out", "e"), "it is a ledger"),
        (("verify", "--release", "instrument.json"), "it is an instrument"),
        (("init", "--network", "mine.m"), "name a file of your own with --case"),
    ):
        said = run(*words, code=2).stderr
        told = " ".join(line for line in said.split() if line)
        needed = told.find("needed:")
        arrow = told.find("->")
        assert says in told[:needed] + told[arrow:], (words, said)
        assert "JSON" not in told[:needed] or "release" in words


def test_init_starts_from_a_case_file_of_ones_own(folder: Path) -> None:
    (folder / "mine.m").write_bytes(find("5_pjm").read_bytes())
    run("init", "--case", "mine.m", "--out", "mine.toml", "--data", "loads.csv")
    said = run("measure", "mine.toml", "--no-ledger", code=2).stderr
    assert "[domain] lower, [domain] upper" in said
    loads = [line.split(",") for line in (folder / "loads.csv").read_text().splitlines()[1:]]
    for end, share in (("low", 0.9), ("high", 1.1)):
        lines = (f"{name},{share * float(value)}\n" for name, value in loads)
        (folder / f"{end}.csv").write_text("".join(lines))
    ends = ("--lower", "low.csv", "--upper", "high.csv", "--measure", "total")
    assert shown("measure", "mine.toml", *ends, "--dry-run")["privacy"] == "PROVEN"
    run("init", "--case", "mine.m", "--network", "5_pjm", code=2)
    run("init", "--case", "mine.m", "--out", "mine.m", "--overwrite", code=2)


def test_an_extra_is_installed_from_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """privopt is on no index: `pip install privopt[...]` would install someone else's."""
    told = extra.how_to_install("report")
    assert "privopt[" not in told.replace("/privopt[", "/[")
    assert told.endswith(("[report]'", "[report]", "source"))
    monkeypatch.setattr("importlib.metadata.distribution", _nothing)
    assert extra.how_to_install("report") == (
        "pip install '.[report]' in the folder of privopt's source"
    )


def _nothing(_: str) -> object:
    raise extra.importlib.metadata.PackageNotFoundError


def test_values_that_tell_nothing_are_told_before_the_charge(folder: Path) -> None:
    """The cheapest unit is at its limit whatever the demand is."""
    tree = TREE | DOMAIN | {"query": {"identity": ["coal"]}}
    (folder / "job.toml").write_text(toml(tree))
    job = read_job("job.toml")
    worth = tried(job, instrument_of(job)).worth
    assert not worth.varies
    (words,) = worth_warnings(worth)
    release = ("release", "job.toml")
    assert words in " ".join(run(*release, "--no-ledger").stderr.split())
    assert words in " ".join(run(*release, "--dry-run").stderr.split())
    assert shown(*release, "--dry-run")["warnings"] == [words]
    # Also where the charge is refused: it is told before.
    ledger = ("--ledger", "d.ledger", "--limit", "0.1", "--out", "r.json")
    assert words in " ".join(run(*release, *ledger, code=4).stderr.split())


@pytest.mark.long
def test_a_warning_of_a_library_does_not_reach_the_terminal(folder: Path) -> None:
    """Whether numpy warns may depend on d."""
    code = (
        "import warnings, numpy as np, privopt.app.data as data\n"
        "real = data._in_order\n"
        "def loud(*words):\n"
        "    found = real(*words)\n"
        "    warnings.warn(f'seen {found}'); np.float64(1e308) * found[0] * 1e10\n"
        "    return found\n"
        "data._in_order = loud\n"
        "from privopt.cli import app\n"
        "app()\n"
    )
    (folder / "loud.py").write_text(code)
    words = f"{sys.executable} loud.py solve plan.toml --json > /dev/null"
    ended = shell(folder, words)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    assert "seen" in shell(folder, words.replace(" loud", " -W default loud")).stderr


def test_a_head_of_thousands_of_digits_is_refused(folder: Path) -> None:
    run("ledger", "create", "x.ledger", "1")
    run("ledger", "show", "x.ledger", "--last", "9" * 20)  # more than there are is all
    for row in ("9" * 5000, "9" * 30):
        said = run("ledger", "verify", "x.ledger", "--head", f"{row}:{'0' * 64}", code=2).stderr
        assert "a row number" in said
