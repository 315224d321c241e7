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
from tests.cli.running import flat, run, said, shown


def test_the_cluster_that_is_named_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def client(address: str, **_: object) -> None:
        asked.append(address)
        raise OSError

    monkeypatch.setattr("distributed.Client", client)
    table = "experiment table1 --networks 3_lmbd --cluster tcp://127.0.0.1:9 --out"
    assert "dask scheduler" in said(table, tmp_path, code=2)
    assert asked == ["tcp://127.0.0.1:9"]


@pytest.mark.long
def test_experiments_from_the_command_line(tmp_path: Path) -> None:
    for table, words in (
        ("table1", "--networks 3_lmbd --algorithms OP,PIQ-a --samples 100"),
        ("table2", "--networks 39_epri --algorithms PSQ-a --authors-clusters"),
        ("figure2", "--networks 57_ieee --cbars 10 --printed-deviation"),
    ):
        text = said("experiment", table, words, "--runs 1 --jobs 1 --out", tmp_path)
        assert "report.html" in text
        assert "after completion" not in text
    page = (tmp_path / "report.html").read_text()
    for part in ("Table 1", "Table 2", "Figure 2"):
        assert part in page


def test_an_experiment_and_its_page(tmp_path: Path) -> None:
    """Table 1 says whose loss is one after completion, and its page can be written anew."""
    table = "experiment table1 --networks 3_lmbd --runs 1 --jobs 1 --samples 50 --out"
    found = shown(table, tmp_path, "--algorithms OP,PIQ-a,measured")
    assert [row["algorithm"] for row in found["summary"]] == ["OP", "PIQ-a", "measured"]
    text = flat(said(table, tmp_path, "--algorithms OP,PIQ-a,measured"))
    assert "The loss of measured is one after completion" in text
    page = Path(found["page"])
    before = page.read_bytes()
    page.unlink()
    assert shown("report", tmp_path) == {"page": found["page"]}
    assert page.read_bytes() == before
    refused = run("report", tmp_path, "--out", tmp_path / "x.html", code=2)
    assert "leave it out" in refused.stderr


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
    """It can be read at 80 columns; a loss after completion stands in no column of affine ones."""
    words = "experiment privacy --networks 3_lmbd --tries 10 --runs 1 --jobs 1 --samples 100 --out"
    text = run(words, tmp_path, columns=80).stdout
    lines = text.splitlines()
    table = [line for line in lines if line.split()[:1] == ["3_lmbd"] or " PROVEN " in line]
    assert max(map(len, table)) <= 80
    assert "…" not in text
    for part in ("ASSUMED", "epsilon >=", "PROVEN", "privacy.html"):
        assert part in flat(text)
    (measured,) = (line.split() for line in lines if " measured " in line and "PROVEN" in line)
    assert measured[measured.index("PROVEN") + 1 :][:2] == ["-", "-"]
    assert "After: the loss after completion of a release" in flat(text)
    page = (tmp_path / "privacy.html").read_text()
    assert '<section id="privacy">' in page
    assert not (tmp_path / "report.html").exists()  # nothing of the paper's tables was run
    assert shown(words, tmp_path)["summary"][0]["network"] == "3_lmbd"


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """One simulated measurement instead of several: each is decided anew."""
    monkeypatch.setattr("privopt.experiments.story.SIMULATED", 1)


def test_demo_runs_and_shows_each_part(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    text = flat(said("demo --runs 2 --jobs 1 --out", out))
    for part in (
        "noise outside", "noise inside", "measured", "constant", "OP", "PIQ-a", "joint factor",
        "epsilon", "PROVEN", "ASSUMED", "report.html", "demo.html",
    ):  # fmt: skip
        assert part in text, part
    assert (out / "report.html").stat().st_size < 200_000
    page = (out / "demo.html").read_text()
    assert len(page) < 100_000
    assert 'href="report.html"' in page
    assert (out / "drawing.json").exists()


@pytest.mark.long
def test_demo_keeps_what_lies_in_its_folder(tmp_path: Path) -> None:
    out = tmp_path / "results"
    common = f"--runs 1 --jobs 1 --out {out}"
    run("experiment table1 --networks 3_lmbd", common)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    refused = said("demo", common, code=2)
    assert "other or more networks, which this run would replace" in refused
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    found = shown("demo --overwrite", common)
    assert {row["network"] for row in found["summary"]} == {"14_ieee"}
    assert (out / "table1.journal").read_bytes().startswith(before["table1.journal"])


def test_demo_keeps_a_page_of_someone_else(tmp_path: Path) -> None:
    (tmp_path / "demo.html").write_text("mine")
    assert "privopt did not write it" in flat(said("demo --runs 1 --out", tmp_path, code=2))
    assert [path.name for path in tmp_path.iterdir()] == ["demo.html"]
    assert (tmp_path / "demo.html").read_text() == "mine"
