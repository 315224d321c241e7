"""A process of ours that answers lines with lines, over its stdin and stdout, and ends with us."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, Self

from privopt.errors import InputError
from privopt.web.problems import Problem, ProblemError
from privopt.web.running import ended, started

__all__ = ["Child"]

_GONE = Problem(
    "the curator's process has ended.",
    "the process that reads the data file.",
    "stop the workbench with Ctrl-C in its terminal and start it again. What was charged is in "
    "the ledger.",
)


class Child:
    """A process that was started with a first line, and its first answer."""

    def __init__(self, process: subprocess.Popen[bytes], asked: Mapping[str, Any]) -> None:
        self._process = process
        self._lock = threading.Lock()
        self.first = self.ask(asked)
        if "error" in self.first:
            error = self.first["error"]
            raise InputError(error["got"], error["needed"], error["remedy"])

    @classmethod
    @contextmanager
    def started(cls, module: str, asked: Mapping[str, Any]) -> Generator[Self]:
        """Start a module; it is ended at the end."""
        process = started(module)
        try:
            yield cls(process, asked)
        finally:
            ended(process)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Send a line, and take the answer; ProblemError if the process is gone."""
        stdin, stdout = self._process.stdin, self._process.stdout
        with self._lock:
            if stdin is None or stdout is None:
                raise ProblemError(503, _GONE)
            try:
                stdin.write(json.dumps(dict(message)).encode() + b"\n")
                stdin.flush()
                return dict(json.loads(stdout.readline()))
            except (OSError, ValueError):
                raise ProblemError(503, _GONE) from None
