"""`privopt experiment`: the studies run, are stopped and go on; what they are asked is checked."""

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

from privopt.cli import app

runner = CliRunner()


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


@pytest.mark.long
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


@pytest.mark.long
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


def test_what_is_known_of_privacy_has_a_page_of_its_own(tmp_path: Path) -> None:
    words = ["--networks", "3_lmbd", "--tries", "10", "--runs", "1", "--jobs", "1", "--samples"]
    words = ["experiment", "privacy", *words, "100", "--out", str(tmp_path)]
    result = runner.invoke(app, words, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    for part in ("ASSUMED", "epsilon >=", "PROVEN", "privacy.html"):
        assert part in " ".join(result.output.split())
    page = (tmp_path / "privacy.html").read_text(encoding="utf-8")
    assert '<section id="privacy">' in page
    assert not (tmp_path / "report.html").exists()  # nothing of the paper's tables was run
