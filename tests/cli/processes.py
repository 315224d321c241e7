"""The command as a process: its streams may be closed, full, a terminal, or read by no one."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.cli.running import clamping

COMMAND = (sys.executable, "-m", "privopt")


def environment() -> dict[str, str]:
    """One thread, and no warnings asked for."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
    return kept | {"OMP_NUM_THREADS": "1", "COLUMNS": "200"}


def shell(folder: Path, script: str, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell, in which "$@" is the command with these words."""
    given = ["bash", "-c", script, "bash", *COMMAND, *clamping(words)]
    return subprocess.run(
        given, cwd=folder, env=environment(), capture_output=True, text=True, timeout=600,
        check=False,
    )  # fmt: skip


def started(folder: Path, words: Sequence[object], **more: Any) -> subprocess.Popen[str]:
    """Begin a command."""
    return subprocess.Popen(
        [*COMMAND, *clamping(words)], cwd=folder, env=environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more,
    )  # fmt: skip


_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def take_terminal() -> None:
    """Make standard input the terminal whose Ctrl-C is heard."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def at_terminal(folder: Path, words: str, press_at: str | None = None) -> tuple[int, str]:
    """How a command ends at a terminal of 80 columns, and what is seen there.

    Ctrl-C is pressed once that text was written. It is pressed again if nothing follows: a press
    in the very moment in which readline begins to wait is seen by it with the next one only.
    """
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    known = {name: text for name, text in environment().items() if name != "COLUMNS"}
    process = subprocess.Popen(
        [*COMMAND, *clamping([words])], cwd=folder, env=known | {"TERM": "xterm"},
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        preexec_fn=take_terminal,
    )  # fmt: skip
    os.close(theirs)
    said, pressed = b"", False
    while True:
        try:
            part = os.read(ours, 65536) if select.select([ours], [], [], 5.0)[0] else None
            if part == b"":
                break
            said += part or b""
            begins = press_at is not None and not pressed and press_at.encode() in said
            if begins or (pressed and part is None):
                os.write(ours, b"\x03")
                pressed = True
        except OSError:  # the other end is closed
            break
    os.close(ours)
    return process.wait(), plain(said.decode().replace("\r\n", "\n"))


def plain(said: str) -> str:
    """What is seen of it: without colours, and without what was drawn over."""
    lines = (_ESCAPES.sub("", line).rpartition("\r")[2] for line in said.split("\n"))
    return "\n".join(line.rstrip() for line in lines)
