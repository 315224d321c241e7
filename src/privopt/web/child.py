"""A process of ours that answers lines with lines, over its stdin and stdout, and ends with us.

One that has ended is started again when it is next asked, at the port that it had.
"""

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
    "the curator's process has ended, and could not be started again.",
    "the process that reads the data file.",
    "stop the workbench with Ctrl-C in its terminal and start it again. What was charged is in "
    "the ledger.",
)


class Child:
    """A process that was started with a first line, and its first answer."""

    def __init__(self, module: str, asked: Mapping[str, Any]) -> None:
        self._module, self._asked = module, dict(asked)
        self._lock = threading.Lock()
        self._process = started(module)
        try:
            self.first = self._said(self._asked)
        except (OSError, ValueError):
            self.end()
            raise InputError(_GONE.got, _GONE.needed, "start privopt open again.") from None
        if "error" in self.first:
            self.end()
            error = self.first["error"]
            raise InputError(error["got"], error["needed"], error["remedy"])

    @classmethod
    @contextmanager
    def started(cls, module: str, asked: Mapping[str, Any]) -> Generator[Self]:
        """Start a module; it is ended at the end."""
        child = cls(module, asked)
        try:
            yield child
        finally:
            child.end()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Send a line, and take the answer; ProblemError if the process is gone for good."""
        with self._lock:
            try:
                return self._said(message)
            except (OSError, ValueError):
                ended(self._process)
            try:
                self._process = started(self._module)
                self._said({**self._asked, "port": self.first["port"]})
                return self._said(message)
            except (OSError, ValueError):
                raise ProblemError(503, _GONE) from None

    def end(self) -> None:
        """End the process."""
        ended(self._process)

    def _said(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a line; OSError or ValueError of a process that gives none."""
        process: subprocess.Popen[bytes] = self._process
        if process.stdin is None or process.stdout is None:
            raise BrokenPipeError
        process.stdin.write(json.dumps(dict(message)).encode() + b"\n")
        process.stdin.flush()
        return dict(json.loads(process.stdout.readline()))
