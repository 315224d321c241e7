"""The command line: the demo runs, tells the truth, and ends well."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import privopt
from privopt.cli import app

runner = CliRunner()


def test_demo_runs_and_shows_each_part(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    arguments = ["demo", "--runs", "2", "--jobs", "1", "--out", str(out)]
    result = runner.invoke(app, arguments, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    for part in ("OP", "PIQ-a", "joint factor", "epsilon", "PROVEN", "ASSUMED", "report.html"):
        assert part in result.output.replace("\n", " "), part
    assert (out / "report.html").stat().st_size > 1_000_000
    assert (out / "drawing.json").exists()


def test_demo_keeps_what_lies_in_its_folder(tmp_path: Path) -> None:
    out = tmp_path / "results"
    common = ["--runs", "1", "--jobs", "1", "--out", str(out)]
    runner.invoke(app, ["experiment", "table1", "--networks", "3_lmbd", *common])
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    refused = runner.invoke(app, ["demo", *common])
    assert refused.exit_code == 2
    assert "other or more networks, which this run would replace" in refused.output
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert runner.invoke(app, ["demo", *common, "--overwrite"]).exit_code == 0
    assert (out / "table1.journal").read_bytes().startswith(before["table1.journal"])


def test_the_page_can_be_written_anew(tmp_path: Path) -> None:
    out = str(tmp_path)
    arguments = ["--networks", "3_lmbd", "--runs", "1", "--algorithms", "OP", "--jobs", "1"]
    runner.invoke(app, ["experiment", "table1", *arguments, "--out", out])
    page = Path(out, "report.html")
    before = page.read_bytes()
    page.unlink()
    assert runner.invoke(app, ["report", out]).exit_code == 0
    assert page.read_bytes() == before
    result = runner.invoke(app, ["report", str(tmp_path / "none")])
    assert result.exit_code == 2
    assert "there is no folder" in result.output


def test_the_module_is_the_command() -> None:
    command = [sys.executable, "-m", "privopt", "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert privopt.__version__ in said


def test_version_and_help() -> None:
    assert privopt.__version__ in runner.invoke(app, ["--version"]).output
    for command in (
        ["demo"],
        ["networks"],
        ["experiment", "table1"],
        ["experiment", "table2"],
        ["experiment", "figure2"],
    ):
        result = runner.invoke(app, [*command, "--help"])
        assert result.exit_code == 0
        assert "Example" in result.output


def test_bad_flags_are_refused() -> None:
    assert runner.invoke(app, ["demo", "--runs", "0"]).exit_code == 2
    assert runner.invoke(app, ["dance"]).exit_code == 2


def test_networks_are_listed() -> None:
    result = runner.invoke(app, ["networks", "ieee__api"])
    assert "118_ieee__api" in result.output
    assert "pegase" not in result.output
    assert runner.invoke(app, ["networks", "nowhere"]).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--networks", "118_iee"], "did you mean '118_ieee'?"),
        (["--networks", "none.m"], "there is no file 'none.m'"),
        (["--networks", "3_lmbd,3_lmbd"], "names something twice"),
        (["--algorithms", "PIQ-z"], "leave --algorithms out"),
    ],
)
def test_a_user_error_is_a_sentence_and_what_to_do(
    tmp_path: Path, arguments: list[str], says: str
) -> None:
    out = tmp_path / "out"
    result = runner.invoke(app, ["experiment", "table1", *arguments, "--out", str(out)])
    assert result.exit_code == 2
    assert says in result.output
    assert "Traceback" not in result.output
    assert not (out / "table1.json").exists()


def test_the_cluster_that_is_named_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def client(address: str, **_: object) -> None:
        asked.append(address)
        raise OSError

    monkeypatch.setattr("distributed.Client", client)
    words = ["--cluster", "tcp://127.0.0.1:9", "--networks", "3_lmbd", "--out", str(tmp_path)]
    result = runner.invoke(app, ["experiment", "table1", *words])
    assert asked == ["tcp://127.0.0.1:9"]
    assert result.exit_code == 2
    assert "dask scheduler" in result.output


def test_experiments_from_the_command_line(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    common = ["--runs", "1", "--jobs", "1", "--out", out]
    for arguments in (
        ["table1", "--networks", "3_lmbd", "--algorithms", "OP,PIQ-a", "--samples", "100"],
        ["table2", "--networks", "39_epri", "--algorithms", "PSQ-a", "--authors-clusters"],
        ["figure2", "--networks", "57_ieee", "--cbars", "10", "--printed-deviation"],
    ):
        result = runner.invoke(app, ["experiment", *arguments, *common], env={"COLUMNS": "120"})
        assert result.exit_code == 0, result.output
        assert "report.html" in result.output
    page = Path(out, "report.html").read_text(encoding="utf-8")
    for part in ("Table 1", "Table 2", "Figure 2"):
        assert part in page


def test_cbars_must_be_numbers() -> None:
    for text in ("ten", "0.5", "nan"):
        result = runner.invoke(app, ["experiment", "figure2", "--cbars", text])
        assert result.exit_code == 2
        assert "10,50" in result.output


# A job in the background of a shell ignores SIGINT, and so do its children, unless they say so.
STOPPABLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from privopt.cli import app
app()
"""


@pytest.fixture
def endless() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts commands that take long, each in a group of its own; what still runs is ended."""
    begun: list[subprocess.Popen[str]] = []

    def start(*words: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", STOPPABLE, *map(str, words)]
        pipe = subprocess.PIPE
        begun.append(
            subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
        )
        return begun[-1]

    yield start
    for process in begun:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_one_control_c_says_how_to_go_on(
    tmp_path: Path, jobs: int, endless: Callable[..., subprocess.Popen[str]]
) -> None:
    journal = tmp_path / "table1.journal"
    process = endless(
        "experiment", "table1", "--networks", "14_ieee", "--runs", 500, "--jobs", jobs,
        "--out", tmp_path,
    )  # fmt: skip
    while not journal.exists() or journal.read_bytes().count(b"\n") <= 3:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    said, error = process.communicate()
    assert process.returncode == 130, error
    assert "the same command goes on from here" in error
    assert "Traceback" not in error
    assert said == ""


def test_a_name_of_odd_bytes_is_shown(tmp_path: Path) -> None:
    """In a terminal that takes UTF-8 only."""
    command = [sys.executable, "-m", "privopt", "ledger", "create", os.fsdecode(b"\xff"), "1"]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert b"udcff" in ended.stdout
