"""The programs of forms, each read once: its source, and what is drawn of it. No d among them.

A case file of one's own holds private loads: it is read by a process of its own (`casing`), which
leaves the public part in the session's folder, and only that is read here.
"""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from privopt.app.source import Source, source_of
from privopt.errors import InputError
from privopt.web.drawn import Diagram, drawn_of
from privopt.web.forms import state_of
from privopt.web.problems import UNEXPECTED
from privopt.web.running import ended, started, told

__all__ = ["Programs"]

_LONGEST = 300.0  # seconds to read a case file
_KEPT = 8  # programs


class Programs:
    """Programs by their section [program]; what was read is kept.

    Parameters
    ----------
    folder
        Of the session.
    placed
        Whether what is drawn has its places. A worker does without.
    """

    def __init__(self, folder: Path, *, placed: bool = True) -> None:
        self.folder, self.placed = folder, placed
        self._sources: dict[str, Source] = {}
        self._drawn: dict[str, Diagram] = {}
        self._lock, self._drawing = threading.RLock(), threading.RLock()

    def source_of(self, entries: dict[str, Any]) -> Source:
        """The program of a section."""
        name = self._name(entries)
        with self._lock:
            if name not in self._sources:
                made = self._case(entries, name) if "case" in entries else _public(entries)
                _keep(self._sources, name, made)
            return self._sources[name]

    def drawn_of(self, entries: dict[str, Any]) -> Diagram:
        """What is drawn of it."""
        name = self._name(entries)
        with self._drawing:  # placing takes seconds: a form can be read meanwhile
            if name not in self._drawn:
                if "case" in entries:
                    self.source_of(entries)
                    made = Diagram.load(self._files(name)[1])
                else:
                    made = drawn_of(entries, placed=self.placed)
                _keep(self._drawn, name, made)
            return self._drawn[name]

    def _files(self, name: str) -> tuple[Path, Path]:
        """Where the public part of a case file is kept: its program, and what is drawn of it."""
        return self.folder / f"case-{name}.program.json", self.folder / f"case-{name}.drawn.json"

    def _name(self, entries: dict[str, Any]) -> str:
        """What identifies a section and its file: the bytes of a public one, the date of a case."""
        taken = hashlib.sha256(json.dumps(entries, sort_keys=True, default=str).encode())
        taken.update(state_of(Path(entries.get("case") or entries.get("file") or "/")))
        return taken.hexdigest()[:32]

    def _case(self, entries: dict[str, Any], name: str) -> Source:
        """The public part of a case file, which another process reads."""
        program, drawn = self._files(name)
        if not drawn.is_file():
            _read_case(entries, program, drawn)
        return replace(source_of({"file": str(program)}), title=f"the case file {entries['case']}")


def _keep(kept: dict[str, Any], name: str, made: Source | Diagram) -> None:
    if len(kept) >= _KEPT:
        kept.pop(next(iter(kept)))
    kept[name] = made


def _public(entries: dict[str, Any]) -> Source:
    source = source_of(entries)
    if not source.title and "file" in entries:
        source = replace(source, title=f"the program {Path(entries['file']).name}")
    return source


def _read_case(entries: dict[str, Any], program: Path, drawn: Path) -> None:
    asked = json.dumps({"entries": entries, "program": str(program), "drawn": str(drawn)})
    process = started("privopt.web.casing")
    late = threading.Timer(_LONGEST, process.kill)
    late.start()
    try:
        said: Any = json.loads(told(process, asked) or "null")
    except (OSError, ValueError):
        said = UNEXPECTED.to_dict()
    finally:
        late.cancel()
        ended(process)
    if said is not None:
        raise InputError(said["got"], said["needed"], said["remedy"])
    if not drawn.is_file():
        raise InputError(UNEXPECTED.got, UNEXPECTED.needed, UNEXPECTED.remedy)
