"""What was done: one line of JSON for each (network, seed, mechanism) under some conditions.

A run goes on where it was stopped, and a mechanism can be added to a file. Several processes may
append to one file. Of two lines for the same work the later one counts.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.headline.subject import Conditions

__all__ = ["Key", "Row", "add", "read"]

Row = dict[str, Any]
Key = tuple[str, int, str]  # network, seed, mechanism


def read(path: Path, conditions: Conditions) -> dict[Key, Row]:
    """The rows made under these conditions; others, and what is no row, are left alone."""
    rows: dict[Key, Row] = {}
    if not path.exists():
        return rows
    for line in path.read_text().splitlines():
        try:
            row = json.loads(line)
            if row["conditions"] == asdict(conditions):
                rows[row["network"], row["seed"], row["mechanism"]] = row
        except (ValueError, KeyError, TypeError):
            continue  # a line that was cut when a process was killed, or one of an older format
    return rows


def add(path: Path, row: Row) -> None:
    """Append a row: one write, after whatever a killed process left of its last line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        file.seek(0, 2)
        cut = False
        if file.tell():
            file.seek(-1, 2)
            cut = file.read(1) != b"\n"
        file.write((b"\n" if cut else b"") + json.dumps(row).encode() + b"\n")
