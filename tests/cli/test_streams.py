"""Where things are printed: nothing there is obeyed, and a stream that takes nothing is found."""

from __future__ import annotations

import io
import json
import math
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from tests.cli.processes import shell
from tests.cli.running import run

from privopt.cli.streams import as_given, chatter, check_output, escape, print_json, results
from privopt.errors import InputError, LedgerError


@pytest.mark.parametrize("console", [results, chatter])
def test_no_text_commands_a_terminal(
    console: Callable[[], Console], capsys: pytest.CaptureFixture[str]
) -> None:
    name = escape("[red]name[/] a\x1b[2Jb\nc")
    console().print(f"[bold]{name}[/]", soft_wrap=True)
    said = "".join(capsys.readouterr())
    assert said == "[red]name[/] a\\u001b[2Jb\\u000ac\n"


def test_json_is_one_value_without_nan(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": [1, None, "x\n"]})
    assert json.loads(capsys.readouterr().out) == {"a": [1, None, "x\n"]}
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"a": math.nan})


def test_a_ledger_is_named_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LedgerError) as caught, as_given("d.ledger"):
        raise LedgerError(f"{tmp_path.resolve() / 'd.ledger'} is full.", "room.", "make some.")
    assert caught.value.got == "d.ledger is full."


def test_an_output_that_takes_nothing_is_found_before(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as pipe:
        monkeypatch.setattr("sys.stdout", pipe)
        check_output(10)
        os.close(reading)
        with pytest.raises(InputError, match="no one reads it any more"):
            check_output(10)
    with pytest.raises(InputError, match="it is closed"):
        check_output(10)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    check_output(10)


def test_a_disk_without_room_is_found_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "out").open("w") as file:
        monkeypatch.setattr("sys.stdout", file)
        check_output(10)
        with pytest.raises(InputError, match="its disk is full"):
            check_output(2**62)
    assert (tmp_path / "out").read_bytes() == b""


def test_paths_are_printed_as_they_were_given(folder: Path) -> None:
    (folder / "sub").mkdir()
    shutil.copytree(folder, folder / "jobs", ignore=shutil.ignore_patterns("jobs"))
    (folder / "empty").touch()
    for words in (
        ["measure", "jobs/job.toml", "--out", "sub/m.json", "--no-ledger"],
        ["release", "jobs/job.toml", "--out", "sub/r.json", "--ledger", "sub/a.ledger",
         "--limit", "9", "--key", "may"],
        ["frontier", "jobs/job.toml", "--values", "1", "--out", "sub/f.html"],
        ["report", "sub/r.json"],
        ["verify", "--release", "sub/r.json", "--ledger", "sub/a.ledger"],
        ["ledger", "create", "sub/b.ledger", "1"],
        ["ledger", "show", "sub/b.ledger"],
    ):  # fmt: skip
        assert str(folder) not in run(*words).output
    for words in (
        ["solve", "jobs/plan.toml", "--data", "sub/none.csv"],
        ["solve", "jobs/plan.toml", "--program", "sub/none.json"],
        ["release", "jobs/plan.toml", "--ledger", "sub/none.ledger"],
        ["release", "jobs/plan.toml", "--ledger", "empty"],
        ["release", "--no-ledger", "jobs/job.toml", "--out", "sub/r.json"],
        ["verify", "--release", "sub/r.json", "--ledger", "empty"],
        ["ledger", "show", "empty"],
        ["ledger", "show", "sub/none.ledger"],
        ["ledger", "verify", "jobs/job.toml"],
    ):
        said = run(*words, code=2).stderr
        assert str(folder) not in said
        assert words[-1] in said
    (folder / "jobs" / "d.csv").unlink()
    assert "jobs/d.csv" in run("solve", "jobs/plan.toml", code=2).stderr
    assert f"{folder}/none.csv" in run(
        "solve", "jobs/plan.toml", "--data", folder / "none.csv", code=2
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
    words = ("release", "plan.toml", "--ledger", "d.ledger")
    ended = shell(folder, script, *words, "--limit", "9")
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
