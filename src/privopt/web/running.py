"""Designs in worker processes: one at a time, found again by their digest.

    designs.start(digest, form, choose=False)     starts it, or finds it; the one before it is ended
    designs.look(digest)                          status, stage, done, total, seconds, result, error
    designs.stop()                                ends the one that runs

A worker that is waiting is kept ready: what it needs is imported by then. One that dies fails its
design with the remedy to run again; that starts another one.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from privopt.web.problems import Problem, ProblemError

__all__ = ["DesignRun", "Designs", "ended", "started"]

_KEPT = 40  # results
_PATIENCE = 2.0  # seconds for a worker to end by itself
_DIED = Problem(
    "the process that designed ended before it was done.",
    "a process that runs to its end: the system may have stopped it, perhaps for lack of memory.",
    "run again.",
)
_UNKNOWN = Problem(
    "there is no design of this digest.", "a design that was asked for.", "run it again."
)


@dataclass(repr=False)
class DesignRun:
    """One design: how far it is, and what it has shown so far."""

    status: Literal["running", "done", "failed", "stopped"] = "running"
    stage: str = "trial"
    done: int = 0
    total: int = 0
    result: dict[str, Any] = field(default_factory=dict[str, Any])
    error: dict[str, Any] | None = None
    begun: float = field(default_factory=time.monotonic)
    took: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        seconds = time.monotonic() - self.begun if self.took is None else self.took
        return {
            "status": self.status,
            "stage": self.stage,
            "done": self.done,
            "total": self.total,
            "seconds": round(seconds, 1),
            "result": dict(self.result),
            "error": self.error,
        }

    def end(self, status: Literal["done", "failed", "stopped"], error: Any = None) -> None:  # noqa: ANN401
        """Note how it ended, if it has not ended before."""
        if self.status == "running":
            self.status, self.error = status, error
            self.took = time.monotonic() - self.begun


def started(module: str) -> subprocess.Popen[bytes]:
    """A process of ours that ends when its stdin closes; a Ctrl-C at the terminal is not for it.

    It does not import from the folder that it is started in (-P), which holds other people's files.
    """
    return subprocess.Popen(  # noqa: S603 -- ourselves
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def told(process: subprocess.Popen[bytes], line: str) -> bytes:
    """All that a process says to a line, until it ends; its stdin stays open as its life line."""
    if process.stdin is None or process.stdout is None:
        raise BrokenPipeError
    process.stdin.write(line.encode() + b"\n")
    process.stdin.flush()
    return process.stdout.read()


def ended(process: subprocess.Popen[bytes], *, heard: bool = True) -> None:
    """End a process: close its stdin and ask it, then make it.

    If no one reads its stdout any more (`heard`), that is closed too.
    """
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    process.terminate()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if heard and process.stdout is not None:
        process.stdout.close()


class Designs:
    """The designs of a session."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._runs: dict[str, DesignRun] = {}
        self._current: tuple[DesignRun, subprocess.Popen[bytes]] | None = None
        self._spare: subprocess.Popen[bytes] | None = None
        self._listeners: set[threading.Thread] = set()
        self._closed = False

    @property
    def worker(self) -> int | None:
        """The number of the process that runs now, if one does."""
        with self._lock:
            return None if self._current is None else self._current[1].pid

    def start(self, digest: str, form: Mapping[str, str], *, choose: bool) -> str:
        """Start a design, or find it; the status it has."""
        with self._lock:
            known = self._runs.get(digest)
            if known is not None and known.status in ("running", "done"):
                return known.status
            self._end("stopped")
            while len(self._runs) >= _KEPT:
                self._runs.pop(next(iter(self._runs)))
            run = self._runs[digest] = DesignRun()
            process = self._ready()
            self._current = run, process
            asked = {"form": dict(form), "folder": str(self._folder), "choose": choose}
            with contextlib.suppress(OSError):  # one that died is seen by who listens
                if process.stdin is not None:
                    process.stdin.write(json.dumps(asked).encode() + b"\n")
                    process.stdin.flush()
            listener = threading.Thread(target=self._listen, args=(run, process), daemon=True)
            self._listeners.add(listener)
            listener.start()
            return run.status

    def look(self, digest: str) -> dict[str, Any]:
        """How far a design is."""
        with self._lock:
            run = self._runs.get(digest)
            if run is None:
                raise ProblemError(404, _UNKNOWN)
            return run.to_dict()

    def stop(self) -> None:
        """End the design that runs, if one does."""
        with self._lock:
            self._end("stopped")

    def prepare(self) -> None:
        """Start a worker that waits for a design."""
        with self._lock:
            if self._spare is None and not self._closed:
                self._spare = started("privopt.web.worker")

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            self._closed = True
            self._end("stopped")
            if self._spare is not None:
                ended(self._spare)
                self._spare = None
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener.join()

    def _ready(self) -> subprocess.Popen[bytes]:
        spare, self._spare = self._spare, None
        if spare is not None:
            if spare.poll() is None:
                return spare
            ended(spare)
        return started("privopt.web.worker")

    def _end(self, status: Literal["stopped"]) -> None:
        if self._current is not None:
            run, process = self._current
            run.end(status)
            self._current = None
            ended(process, heard=False)  # its listener closes the rest

    def _listen(self, run: DesignRun, process: subprocess.Popen[bytes]) -> None:
        """Take what a worker says, until it says no more."""
        for line in process.stdout or ():
            try:
                said: dict[str, Any] = json.loads(line)
            except ValueError:
                continue  # it was ended in the middle of a line
            with self._lock:
                if run.status != "running":
                    break
                if "end" in said:
                    run.end(said["end"], said["error"])
                else:
                    run.stage, run.done, run.total = said["stage"], said["done"], said["total"]
                    run.result.update(said["part"])
        with self._lock:
            run.end("failed", _DIED.to_dict())
            if self._current is not None and self._current[0] is run:
                self._current = None
        ended(process)
        self.prepare()
        with self._lock:
            self._listeners.discard(threading.current_thread())
