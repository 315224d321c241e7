"""The command as a process of its own: its streams may be closed, full, or read by no one."""

from __future__ import annotations

import os
import subprocess
import sys
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
