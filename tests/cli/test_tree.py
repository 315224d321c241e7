"""The tree of commands: each has an example that parses, --json and Tab; help loads little."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import flat, run, shown
from typer.main import get_command
from typer.testing import CliRunner

import privopt
import privopt as po
from privopt.cli import app

runner = CliRunner()


def walk(command: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    below = getattr(command, "commands", None)
    if below is None:
        return [(path, command)]
    return [leaf for name, one in below.items() for leaf in walk(one, (*path, name))]


COMMANDS = walk(get_command(app))
IDS = [" ".join(path) for path, _ in COMMANDS]


def test_the_commands_are_these() -> None:
    assert {path[0] for path, _ in COMMANDS} == {
        "advise", "audit", "check", "choose", "decide", "demo", "evidence", "experiment",
        "frontier", "init", "ledger", "measure", "networks", "open", "release", "report", "solve",
        "verify",
    }  # fmt: skip


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=IDS)
def test_each_help_has_an_example_that_parses(path: tuple[str, ...], command: Any) -> None:
    said = runner.invoke(app, [*path, "--help"], env={"COLUMNS": "200"})
    assert said.exit_code == 0
    found = re.search(r"Example: (privopt .*)", command.help)
    assert found, path
    assert found[1] in said.output
    words = shlex.split(found[1])
    assert tuple(words[1 : 1 + len(path)]) == path
    command.make_context(path[-1], words[1 + len(path) :])


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=IDS)
def test_each_command_prints_json(path: tuple[str, ...], command: Any) -> None:
    options = {option for one in command.params for option in one.opts}
    assert ("--json" in options) == (path not in (("init",), ("open",)))


def test_exit_codes_are_in_the_help() -> None:
    said = flat(runner.invoke(app, ["--help"], env={"COLUMNS": "100"}).output)
    for part in ("0 done", "1 not confirmed", "2 user error", "3 infeasible", "4 refused"):
        assert part in said


HEAVY = ("numpy", "scipy", "clarabel", "highspy", "opendp", "pandas", "joblib", "sqlite3")
MODULES = 520  # it takes 370 to 470; a count says on any machine whether `--help` is quick


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [[], ["--help"], ["release", "--help"], ["experiment", "table1", "--help"], ["--version"]],
)
def test_help_loads_little(words: list[str]) -> None:
    code = (
        "import sys; from privopt.cli import app; from typer.testing import CliRunner; "
        f"said = CliRunner().invoke(app, {words}).output; "
        f"print([m for m in {HEAVY} if m in sys.modules], len(sys.modules) <= {MODULES}, "
        "len(sys.modules), said)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("[] True"), run.stdout
    assert "privopt" in run.stdout


def test_the_module_is_the_command() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "privopt", "--version"], capture_output=True, text=True, check=True
    ).stdout
    assert privopt.__version__ in said


def test_a_name_of_odd_bytes_is_shown(tmp_path: Path) -> None:
    """In a terminal that takes UTF-8 only."""
    command = [sys.executable, "-m", "privopt", "ledger", "create", os.fsdecode(b"\xff"), "1"]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert b"udcff" in ended.stdout


def test_networks_are_listed() -> None:
    said = run("networks ieee__api").stdout
    assert "118_ieee__api" in said
    assert "pegase" not in said
    assert "no PGLib network has 'nowhere' in its name" in run("networks nowhere", code=2).stderr


def test_smallest_first_and_each_can_be_loaded() -> None:
    found = shown("networks")
    sizes = [int(re.findall(r"^\d+", name)[0]) for name in found]
    assert sizes == sorted(sizes)
    assert len(set(found)) == len(found)
    assert set(shown("networks 14_ieee")) == {name for name in found if "14_ieee" in name}
    first = shown("networks 3_lmbd")[0]
    assert len(po.networks.load(first).buses) == 3


def complete(line: str) -> list[str]:
    """What bash would offer."""
    asked = {
        "_PRIVOPT_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }
    return CliRunner().invoke(app, [], prog_name="privopt", env=asked).stdout.split()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("privopt solve --network 14_", ["14_ieee", "14_ieee__api", "14_ieee__sad"]),
        ("privopt audit 14_ieee__a", ["14_ieee__api"]),
        ("privopt init --network 14_ieee__s", ["14_ieee__sad"]),
        ("privopt experiment table1 --networks 3_lmbd,14_ieee__s", ["3_lmbd,14_ieee__sad"]),
        ("privopt solve --noise g", ["gaussian"]),
        ("privopt frontier --over fi", ["fidelity"]),
        ("privopt fro", ["frontier"]),
    ],
)
def test_tab_completes(line: str, found: list[str]) -> None:
    assert complete(line) == found


def test_completion_loads_nothing_heavy() -> None:
    code = (
        "import sys; from privopt.cli.options import complete_networks; "
        f"complete_networks('14'); print([m for m in {HEAVY} if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_names_that_cannot_be_listed_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package of networks a Tab offers nothing, and raises nothing."""
    monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
    assert complete("privopt solve --network 14_") == []
