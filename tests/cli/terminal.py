"""The command at a terminal of 80 columns: a process whose streams are a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import termios
from collections.abc import Sequence
from pathlib import Path

from tests.cli.processes import COMMAND, environment
from tests.cli.running import clamping

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def at_terminal(folder: Path, words: Sequence[object], columns: int = 80) -> tuple[int, str]:
    """How a command ends at a terminal, and what is written there, with its escapes."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    known = {name: text for name, text in environment().items() if name != "COLUMNS"}
    process = subprocess.Popen(
        [*COMMAND, *clamping(words)], cwd=folder, env=known | {"TERM": "xterm"},
        stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    os.close(ours)
    return process.wait(), said.decode().replace("\r\n", "\n")


def plain(said: str) -> str:
    """What is seen of it: without colours, and without what was drawn over."""
    lines = (_ESCAPES.sub("", line).rpartition("\r")[2] for line in said.split("\n"))
    return "\n".join(line.rstrip() for line in lines)
