"""No command writes over what it did not make: the same guard for all of them.

Inner: whether an output takes a text is asked of a pipe whose reader has gone.
"""

from __future__ import annotations

import io
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.app.writing import toml
from tests.cli.processes import shell
from tests.cli.running import DOMAIN, TREE, D, flat, instrument, run, spent
from typer.main import get_command

import privopt as po
from privopt.cli import app
from privopt.cli.streams import check_output

# Each command that writes one file, with what it reads.
WRITERS = {
    "release": "release --no-ledger plan.toml",
    "release by a decision": "release job.toml --ledger d.ledger --limit 9",
    "frontier": "frontier job.toml --values 1",
    "frontier of plans": "frontier plan.toml --values 1",
    "report": "report release.json",
    "audit": "audit --instrument instrument.json --data d.csv --neighbour e.csv --samples 100",
    "init": "init --program program.json",
}  # fmt: skip
PRIVATE = ("frontier of plans", "audit")
INPUTS = (
    "job.toml",
    "plan.toml",
    "instrument.json",
    "d.csv",
    "e.csv",
    "release.json",
    "program.json",
)


@pytest.fixture(autouse=True)
def usual_rights() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def stocked(folder: Path) -> Path:
    instrument().save("instrument.json")
    (folder / "e.csv").write_text(f"demand,{D + 0.05}\n")
    run("release --no-ledger plan.toml --out release.json")
    run("ledger create d.ledger 9")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.long
@pytest.mark.parametrize("name", WRITERS)
def test_one_guard(stocked: Path, name: str) -> None:
    words = WRITERS[name]
    (stocked / "paid.json").write_text("paid for")
    (stocked / "link.json").symlink_to("paid.json")
    os.mkfifo(stocked / "pipe.json")
    (stocked / "folder.json").mkdir()
    shutil.copy(stocked / "d.ledger", stocked / "moved.json")  # a ledger under another name
    before = contents(stocked)
    said = run(words, "--out paid.json", code=2)
    assert "is there already" in said.stderr
    assert "--overwrite" in said.stderr
    never = ["d.ledger", "moved.json", "d.ledger-journal", "d.ledger-wal", "d.ledger-shm",
             "link.json", "pipe.json", "folder.json", "none/x.json", "x" * 300,
             *(word for word in words.split() if word in INPUTS)]  # fmt: skip
    for path in never:
        said = run(words, "--out", path, "--overwrite", code=2)
        assert said.stdout == ""
    assert {k: v for k, v in contents(stocked).items() if k in before} == before
    with po.Ledger(stocked / "d.ledger", read_only=True) as ledger:
        assert len(ledger.verify().head) == 2
        assert ledger.spent == po.Budget(0)  # nothing was charged for what was not written
    run(words, "--out new.json")
    mode = stat.S_IMODE((stocked / "new.json").stat().st_mode)
    assert mode == (0o600 if name in PRIVATE else 0o644)
    (stocked / "paid.json").chmod(0o640)
    run(words, "--out paid.json --overwrite")
    assert (stocked / "paid.json").read_bytes() != b"paid for"
    assert stat.S_IMODE((stocked / "paid.json").stat().st_mode) == 0o640
    assert not list(stocked.glob(".privopt*"))


def test_every_command_with_an_output_asks_before_it_overwrites() -> None:
    def walk(node: Any) -> list[Any]:
        return [
            node,
            *(one for child in getattr(node, "commands", {}).values() for one in walk(child)),
        ]

    for command in walk(get_command(app)):
        options = {option for item in command.params for option in item.opts}
        if command.name != "evidence":  # it makes a folder, and never writes over one
            assert "--out" not in options or "--overwrite" in options, command.name


def test_init_never_writes_over_data(stocked: Path) -> None:
    """A file that is there is adopted, with its unit, whatever is said; the job may be new."""
    data = stocked / "loads.csv"
    data.write_text("bus,customer,load (kW)\n1,ann,2.5\n")
    before = data.read_bytes()
    for words in ((), ("--overwrite",)):
        more = ("--out k.toml --data loads.csv", *words)
        said = run("init --network 3_lmbd", *more).stderr
        assert "taken as it is, in kW" in flat(said)
        assert data.read_bytes() == before
    job = (stocked / "k.toml").read_text()
    assert 'unit = "kW"' in job
    assert 'alpha = "1 MW"' in job
    assert 'file = "loads.csv"' in job
    plan = run("release k.toml --no-ledger --dry-run --missing zero").stdout
    assert "changes up to 1000 kW" in flat(plan)


def test_init_writes_the_data_for_their_owner_alone(stocked: Path) -> None:
    run("init --program program.json --out j.toml --data loads.csv")
    assert stat.S_IMODE((stocked / "loads.csv").stat().st_mode) == 0o600
    (stocked / "loads.csv").write_text("bus,customer,load (kW)\n1,ann,2.5\n")
    before = contents(stocked)
    run("init --program program.json --out k.toml --data k.toml", code=2)
    run("init --network 3_lmbd --out loads.csv --data loads.csv", code=2)
    run("init --case loads.csv --out loads.csv --overwrite", code=2)
    run("init --program program.json --out d.ledger --overwrite", code=2)
    assert contents(stocked) == before


HOSTILE = [
    "../start.json", "../../start.json", "sub/../../start.json", "{home}/.bashrc", "~/.bashrc",
    "~/start.json", "{home}/start.json", ".bashrc", ".start.json", ".vscode/settings.json",
    "away/start.json", "start.sh", "Makefile", "away.json", "loop.json", "~nobody-at-all/x.json",
]  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE)
@pytest.mark.parametrize("entry", ["path", "own"])
def test_a_job_file_leads_nowhere_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch, path: str, entry: str
) -> None:
    """Neither by its path, nor by links in its folder, nor under a hidden name."""
    home, here = folder / "home", folder / "job"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    (home / ".bashrc").write_text("echo hello")
    here.mkdir()
    for name in ("program.json", "d.csv"):
        shutil.copy(folder / name, here)
    (here / ".vscode").mkdir()
    (here / "away").symlink_to(home)
    (here / "away.json").symlink_to(home / ".bashrc")
    (here / "loop.json").symlink_to("loop.json")
    before = sorted(folder.rglob("*"))
    for command, own in (("measure", "measurement"), ("release", "release"), ("frontier", "page")):
        output = {"path" if entry == "path" else own: path.format(home=home)}
        (here / "job.toml").write_text(toml(TREE | DOMAIN | {"output": output}))
        more = "--values 1" if command == "frontier" else ""
        for how in ("", "--overwrite"):
            run(command, "job/job.toml", more, how, code=2)
    assert sorted(folder.rglob("*")) == sorted({*before, here / "job.toml"})
    assert (home / ".bashrc").read_text() == "echo hello"


def test_what_the_user_says_goes_anywhere(folder: Path) -> None:
    (folder / "job").mkdir()
    for name in ("program.json", "d.csv"):
        shutil.copy(folder / name, folder / "job")
    (folder / "job/job.toml").write_text(toml(TREE | DOMAIN | {"output": {"path": "../x.json"}}))
    said = run("measure job/job.toml --no-ledger", code=2).stderr
    assert "leads out of its folder" in said
    assert "--out PATH" in said
    run("measure job/job.toml --no-ledger --out .measurement")
    assert po.Measurement.load(folder / ".measurement")


def test_each_command_has_its_own_output(folder: Path) -> None:
    own = {"path": "other.json", "measurement": "m.json", "release": "r.json", "page": "f.html"}
    (folder / "job.toml").write_text(toml(TREE | DOMAIN | {"output": own}))
    run("release --no-ledger job.toml")
    run("frontier job.toml --values 1")
    assert po.Measurement.load(folder / "m.json")
    assert po.Release.load(folder / "r.json")
    assert "<html" in (folder / "f.html").read_text()
    assert not (folder / "other.json").exists()
    run("measure --no-ledger job.toml --out q.json")  # a flag goes before all of them
    assert po.Measurement.load(folder / "q.json")


def test_a_job_whose_path_is_for_every_command_loses_nothing(folder: Path) -> None:
    (folder / "job.toml").write_text(toml(TREE | DOMAIN | {"output": {"path": "out.json"}}))
    run("release --no-ledger job.toml")
    before = (folder / "out.json").read_bytes()
    for words in (
        ["measure --no-ledger job.toml"],
        ["frontier job.toml --values 1"],
    ):
        assert "is there already" in run(*words, code=2).stderr
    assert (folder / "out.json").read_bytes() == before


def test_a_job_file_makes_no_ledger_elsewhere(folder: Path) -> None:
    (folder / "job").mkdir()
    for name in ("program.json", "d.csv"):
        shutil.copy(folder / name, folder / "job")
    ledger = {"ledger": {"path": "../made.ledger", "limit": 9}}
    (folder / "job/job.toml").write_text(toml(TREE | ledger))
    for how in ("", "--dry-run"):
        said = run("release job/job.toml", how, code=2).stderr
        assert "[ledger] path of the job file leads out of its folder" in said
    assert not (folder / "made.ledger").exists()
    run("release job/job.toml --ledger made.ledger")  # the user's own word
    run("release job/job.toml")  # one that is there may be used
    assert spent("made.ledger") == po.Budget(2)


def test_paths_are_printed_as_they_were_given(folder: Path) -> None:
    (folder / "sub").mkdir()
    shutil.copytree(folder, folder / "jobs", ignore=shutil.ignore_patterns("jobs"))
    (folder / "empty").touch()
    for words in (
        "measure jobs/job.toml --out sub/m.json --no-ledger",
        "release jobs/job.toml --out sub/r.json --ledger sub/a.ledger --limit 9 --key may",
        "frontier jobs/job.toml --values 1 --out sub/f.html",
        "report sub/r.json",
        "verify --release sub/r.json --ledger sub/a.ledger",
        "ledger create sub/b.ledger 1",
        "ledger show sub/b.ledger",
    ):  # fmt: skip
        assert str(folder) not in run(words).output
    for words in (
        "solve jobs/plan.toml --data sub/none.csv",
        "solve jobs/plan.toml --program sub/none.json",
        "release jobs/plan.toml --ledger sub/none.ledger",
        "release jobs/plan.toml --ledger empty",
        "release --no-ledger jobs/job.toml --out sub/r.json",
        "verify --release sub/r.json --ledger empty",
        "ledger show empty",
        "ledger show sub/none.ledger",
        "ledger verify jobs/job.toml",
    ):
        said = run(words, code=2).stderr
        assert str(folder) not in said
        assert words.split()[-1] in said
    (folder / "jobs" / "d.csv").unlink()
    assert "jobs/d.csv" in run("solve jobs/plan.toml", code=2).stderr
    assert f"{folder}/none.csv" in run(
        "solve jobs/plan.toml --data", folder / "none.csv", code=2
    ).stderr  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ('"$@" >&-', "it is closed"),
        ('"$@" > /dev/full', "No space left"),
        ('("$@"; echo $? > code) | sleep 0', None),
        ('ulimit -f 8; "$@" --out r.json', "File too large"),
    ],
)
def test_without_a_place_nothing_is_charged(folder: Path, script: str, why: str | None) -> None:
    words = "release plan.toml --ledger d.ledger"
    ended = shell(folder, script, words, "--limit 9")
    assert "Traceback" not in ended.stderr
    if why is None:  # who reads is gone before or after the charge: both are told
        assert (folder / "code").read_text() == "2\n"
        told = "charged" if (folder / "d.ledger").exists() else "no one reads it any more"
        assert told in ended.stderr
        return
    assert ended.returncode == 2, ended.stderr
    assert why in ended.stderr
    assert not (folder / "d.ledger").exists()
    assert not list(folder.glob(".privopt*"))


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


def test_an_output_that_takes_nothing_is_found_before(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as pipe:
        monkeypatch.setattr("sys.stdout", pipe)
        check_output(10)
        os.close(reading)
        with pytest.raises(po.errors.InputError, match="no one reads it any more"):
            check_output(10)
    with pytest.raises(po.errors.InputError, match="it is closed"):
        check_output(10)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    check_output(10)


def test_a_disk_without_room_is_found_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "out").open("w") as file:
        monkeypatch.setattr("sys.stdout", file)
        check_output(10)
        with pytest.raises(po.errors.InputError, match="its disk is full"):
            check_output(2**62)
    assert (tmp_path / "out").read_bytes() == b""
