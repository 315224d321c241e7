"""A real Ctrl-C at a real terminal: a long command says "stopped" and ends with 130.

The press goes to all processes of the terminal, as that of a user does: to workers too.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
from pathlib import Path

import pytest
from tests.cli.processes import COMMAND, environment
from tests.cli.running import clamping
from tests.cli.terminal import plain

import privopt as po

EVER = 10**6  # draws: more than anyone waits for
LONG = {
    "audit": (("audit 14_ieee --samples", EVER), "audit"),
    "experiment": (
        ("experiment table1 --networks 14_ieee --runs 500 --jobs 2"), "table1"),
}  # fmt: skip


def take_terminal() -> None:
    """Make standard input the terminal whose Ctrl-C is heard."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def stopped(folder: Path, words: tuple[object, ...], at: str) -> tuple[int, str]:
    """Press Ctrl-C once the command has written some text; how it ends, and all it wrote.

    It is pressed again if nothing follows: a press in the very moment in which readline begins to
    wait is seen by it with the next one only.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    known = {name: text for name, text in environment().items() if name != "COLUMNS"}
    process = subprocess.Popen(
        [*COMMAND, *clamping(words)], cwd=folder, env=known | {"TERM": "xterm"},
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        preexec_fn=take_terminal,
    )  # fmt: skip
    os.close(theirs)
    said, pressed = b"", False
    while True:
        try:
            if select.select([ours], [], [], 5.0)[0]:
                said += os.read(ours, 65536)
            elif pressed:
                os.write(ours, b"\x03")
        except OSError:  # the other end is closed
            break
        if not pressed and at.encode() in said:
            os.write(ours, b"\x03")
            pressed = True
    os.close(ours)
    return process.wait(), plain(said.decode().replace("\r\n", "\n"))


@pytest.mark.parametrize("name", LONG)
def test_a_long_command_says_that_it_was_stopped(folder: Path, name: str) -> None:
    words, at = LONG[name]
    code, said = stopped(folder, words, at)
    assert code == 130, said
    assert "stopped" in said
    assert "Traceback" not in said


def test_at_a_question_nothing_is_changed(folder: Path) -> None:
    po.Ledger(folder / "d.ledger", limit=po.Budget(2)).close()
    code, said = stopped(folder, ("ledger limit d.ledger 5"), "[y/N]")
    assert code == 130, said
    assert "stopped." in said
    assert po.Ledger(folder / "d.ledger", read_only=True).limit == po.Budget(2)
