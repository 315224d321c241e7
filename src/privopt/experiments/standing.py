"""Results that stand in a folder: a study may widen its own, and replaces no others unasked.

table1.json of 3_lmbd, 10 runs   ->   3_lmbd and 14_ieee, 20 runs       goes on
                                 ->   14_ieee alone, or 5 runs          refused
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, cast

from privopt.errors import InputError
from privopt.experiments.study import Study

__all__ = ["check_standing", "stored"]


def check_standing(study: Study, out: Path) -> None:
    """Refuse if the folder has results of this name that the study would not hold all of."""
    path = out / f"{study.name}.json"
    raw = path.with_suffix(".parquet")
    if not os.path.lexists(path) and not os.path.lexists(raw):
        return
    other = _other(study, stored(path).get("settings"))
    if other is not None:
        raise InputError(
            f"{path if os.path.lexists(path) else raw} holds {other}, which this run would "
            "replace.",
            "a folder for each study; networks, algorithms and runs may be added to one.",
            "pass another folder with --out, or replace them with --overwrite.",
        )


def stored(path: Path) -> dict[str, Any]:
    """The object in a JSON file; an empty one where there is none that can be read."""
    try:
        found: Any = json.loads(path.read_bytes()) if path.is_file() else None  # no pipe: no end
    except (OSError, ValueError, RecursionError):
        found = None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _other(study: Study, settings: object) -> str | None:
    """What is there that the study would not hold, in words; None if it would hold all."""
    if not isinstance(settings, dict):
        return "something else than results of this study"
    there = cast("dict[str, Any]", settings)
    mine: dict[str, Any] = json.loads(json.dumps(study.settings()))
    for name, value in mine.items():
        if name not in study.extent:
            if there.get(name) != value:
                return f"results with another {name}"
        elif not _held(there.get(name), value):
            return f"results of other or more {name}"
    return None


def _held(old: Any, new: Any) -> bool:  # noqa: ANN401 -- plain data
    """Whether an extent, a list or a number, is within another."""
    if isinstance(old, list) and isinstance(new, list):
        return all(item in new for item in cast("list[Any]", old))
    return isinstance(old, int) and isinstance(new, int) and old <= new
