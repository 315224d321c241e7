"""Ctrl-C: one press is heard wherever it strikes, and where it is ignored it stays ignored.

Inner: a press is made to strike in finalisers, callbacks and libraries, where none outside can.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import stat
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console
from tests.cli.processes import at_terminal
from tests.cli.running import run as command
from typer.testing import CliRunner

import privopt as po
from privopt.app.job import read_job
from privopt.app.making import instrument_of
from privopt.cli.errors import Commands
from privopt.cli.interrupt import check, heard
from privopt.cli.progress import live

LONG = 30.0  # seconds that a command takes if no press is heard; one is within a few hundredths


def press() -> None:
    signal.raise_signal(signal.SIGINT)


class Finalised:
    def __del__(self) -> None:
        press()


class Watched:
    pass


def in_a_finaliser() -> None:
    Finalised()


def in_a_callback() -> None:
    watched = Watched()
    reference = weakref.ref(watched, lambda _: press())
    del watched
    assert reference() is None


def swallowed() -> None:
    with contextlib.suppress(BaseException):
        press()


@pytest.fixture(autouse=True)
def default() -> Iterator[None]:
    """What a program finds that was not started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def ended(work: Callable[[], Any]) -> Any:
    """What the command line makes of a command."""
    app = typer.Typer(cls=Commands)
    app.command()(work)
    app.command("other")(lambda: None)  # of one command typer makes no group
    return CliRunner().invoke(app, [work.__name__])


@pytest.mark.parametrize("strike", [press, in_a_finaliser, in_a_callback])
def test_one_press_ends_a_command(strike: Callable[[], None]) -> None:
    """Computing or waiting: the end comes by the press alone, long before it would by itself."""

    def busy() -> None:
        strike()
        until = time.monotonic() + LONG
        while time.monotonic() < until:
            sum(range(100))

    def idle() -> None:
        strike()
        threading.Event().wait(LONG)

    for work in (busy, idle):
        result = ended(work)
        assert result.exit_code == 130, result.output
        assert "stopped" in result.stderr
        assert "Traceback" not in result.output


def test_a_press_that_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with heard():
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        press()
        check()


def test_a_handler_of_the_caller_stays() -> None:
    seen: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    with heard():
        press()
    assert seen == [signal.SIGINT]


def test_everything_is_as_before_afterwards() -> None:
    report = sys.unraisablehook
    with heard():
        with heard():  # a command of a group
            pass
        assert sys.unraisablehook is not report
        with pytest.raises(KeyboardInterrupt):
            press()
    assert sys.unraisablehook is report
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    check()  # the press is over


def test_other_errors_in_finalisers_are_reported_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: seen.append(args.exc_type))

    class Broken:
        def __del__(self) -> None:
            raise ZeroDivisionError

    with heard():
        Broken()
    assert seen == [ZeroDivisionError]


def test_a_command_in_another_thread_leaves_signals_alone() -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(ended(lambda: None).exit_code))
    thread.start()
    thread.join()
    assert codes


def test_what_was_charged_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release stopped after its charge: the curator learns which row is burnt."""

    kernel = type(instrument_of(read_job("job.toml")).kernel)
    read = kernel.entries

    def stopped(*given: Any) -> Any:
        if (folder / "d.ledger").exists():  # d is read after the charge
            press()
        return read(*given)

    monkeypatch.setattr(kernel, "entries", stopped)
    words = "release job.toml --ledger d.ledger"
    said = command(words, "--limit 3 --key may", code=130).stderr
    assert "Row 2 of the ledger was charged; the charge stays." in said
    assert po.Ledger(folder / "d.ledger").spent == po.Budget(1)


@pytest.mark.parametrize("place", ["r.json", "the folder", "standard output"])
def test_a_release_that_is_kept_is_told_when_it_is_not_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Ctrl-C while the disk is waited for, for the file or for its name; and while it is shown."""

    def synced(file: int) -> None:
        if stat.S_ISDIR(os.fstat(file).st_mode) == (place == "the folder"):
            press()

    if place == "standard output":
        monkeypatch.setattr("typer.echo", lambda *_, **__: press())
    else:
        monkeypatch.setattr("os.fsync", synced)
    words = "release plan.toml --ledger d.ledger"
    said = command(words, "--limit 3 --out r.json", code=130).stderr
    assert "Row 2 of the ledger was charged, and keeps the release." in said
    assert f"privopt ledger fetch {folder / 'd.ledger'} --row 2" in said.replace("\n", "")
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    command("ledger fetch d.ledger --row 2 --out fetched.json")
    assert po.Release.load(folder / "fetched.json").ledger is not None


def logged(counts: list[tuple[int, int]]) -> list[str]:
    """The lines that a log gets."""
    file = io.StringIO()
    with live("table1", Console(file=file), "runs") as show:
        for done, total in counts:
            show(done, total)
    return file.getvalue().splitlines()


def test_a_log_gets_a_line_for_each_tenth() -> None:
    lines = logged([(done, 1000) for done in range(1001)])
    assert lines == [f"table1: {100 * k} of 1000 runs done" for k in range(11)]


def test_one_that_a_library_swallows_is_heard_after_the_unit() -> None:
    done: list[int] = []

    def work() -> None:
        with live("work", Console(stderr=True)) as progress:
            for unit in range(10):
                if unit == 3:
                    swallowed()
                done.append(unit)
                progress(unit, 10)

    assert ended(work).exit_code == 130
    assert done == [0, 1, 2, 3]


EVER = 10**6  # draws: more than anyone waits for


@pytest.mark.parametrize(
    ("words", "at"),
    [
        (f"audit 14_ieee --samples {EVER}", "audit"),
        ("experiment table1 --networks 14_ieee --runs 500 --jobs 2", "table1"),
    ],
)
def test_a_long_command_says_that_it_was_stopped(folder: Path, words: str, at: str) -> None:
    code, said = at_terminal(folder, words, at)
    assert code == 130, said
    assert "stopped" in said
    assert "Traceback" not in said


def test_at_a_question_nothing_is_changed(folder: Path) -> None:
    po.Ledger(folder / "d.ledger", limit=po.Budget(2)).close()
    code, said = at_terminal(folder, "ledger limit d.ledger 5", "[y/N]")
    assert code == 130, said
    assert "stopped." in said
    assert po.Ledger(folder / "d.ledger", read_only=True).limit == po.Budget(2)


def test_a_terminal_gets_a_bar_and_no_lines() -> None:
    file = io.StringIO()
    with live("audit", Console(file=file, force_terminal=True, width=120)) as show:
        show(2, 4)
        show(4, 4)
    assert "4/4" in file.getvalue()
    assert "units done" not in file.getvalue()
