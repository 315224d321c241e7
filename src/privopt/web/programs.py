"""The programs of forms, each read once: its source, and what is drawn of it. No d among them.

A case file of one's own holds private loads: it is read by a process of its own (`casing`), which
leaves the public part in the session's folder, and only that is read here.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from privopt.app.source import Source, source_of
from privopt.errors import InputError
from privopt.web.drawn import Drawn, drawn_of
from privopt.web.forms import state_of
from privopt.web.problems import UNEXPECTED

__all__ = ["Programs"]

_LONGEST = 300.0  # seconds to read a case file
_KEPT = 8  # programs


class Programs:
    """Programs by their section [program]; what was read is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept: dict[str, tuple[Source, Drawn]] = {}
        self._lock = threading.RLock()

    def source_of(self, entries: dict[str, Any]) -> Source:
        """The program of a section."""
        return self._both(entries)[0]

    def drawn_of(self, entries: dict[str, Any]) -> Drawn:
        """What is drawn of it."""
        return self._both(entries)[1]

    def _both(self, entries: dict[str, Any]) -> tuple[Source, Drawn]:
        name = self._name(entries)
        with self._lock:
            if name not in self._kept:
                made = self._case(entries, name) if "case" in entries else _public(entries)
                if len(self._kept) >= _KEPT:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[name] = made
            return self._kept[name]

    def _name(self, entries: dict[str, Any]) -> str:
        """What identifies a section and its file: the bytes of a public one, the date of a case."""
        taken = hashlib.sha256(json.dumps(entries, sort_keys=True, default=str).encode())
        taken.update(state_of(Path(entries.get("case") or entries.get("file") or "/")))
        return taken.hexdigest()[:32]

    def _case(self, entries: dict[str, Any], name: str) -> tuple[Source, Drawn]:
        """The public part of a case file, which another process reads."""
        program, drawn = (self.folder / f"case-{name}.{kind}.json" for kind in ("program", "drawn"))
        if not drawn.is_file():
            _read_case(entries, program, drawn)
        source = source_of({"file": str(program)})
        title = f"the case file {entries['case']}"
        return replace(source, title=title), Drawn.load(drawn)


def _public(entries: dict[str, Any]) -> tuple[Source, Drawn]:
    source = source_of(entries)
    if not source.title and "file" in entries:
        source = replace(source, title=f"the program {Path(entries['file']).name}")
    return source, drawn_of(entries)


def _read_case(entries: dict[str, Any], program: Path, drawn: Path) -> None:
    asked = json.dumps({"entries": entries, "program": str(program), "drawn": str(drawn)})
    try:
        done = subprocess.run(
            [sys.executable, "-m", "privopt.web.casing"],
            input=asked, capture_output=True, text=True, check=False, timeout=_LONGEST,
        )  # fmt: skip
        said: Any = json.loads(done.stdout or "null")
    except (OSError, ValueError, subprocess.SubprocessError):
        said = UNEXPECTED.to_dict()
    if said is not None:
        raise InputError(said["got"], said["needed"], said["remedy"])
    if not drawn.is_file():
        raise InputError(UNEXPECTED.got, UNEXPECTED.needed, UNEXPECTED.remedy)
