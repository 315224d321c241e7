"""Data files: one number for each entry of d, by name or in order.

    demand[1],0.0          CSV: name and value a line, a header line or none
    {"demand[1]": 0.0}     JSON: an object by name, or a list in the order of the program

What is read here is private. An error says which file and what is needed; names and values that
were found in it are in `error.private`, for the curator.
"""

from __future__ import annotations

import csv
import errno
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from privopt.arrays import Vector, numbers
from privopt.errors import InputError
from privopt.jobs.values import number_of

__all__ = ["Data", "aligned", "read_values"]


@dataclass(frozen=True, eq=False, repr=False)
class Data:
    """Where the private data are: a file, or values. They are read by `read`, and only there.

    Attributes
    ----------
    path
        The file; None if the values stand in the job.
    values
        A list in order, or numbers by name.
    """

    path: str | None = None
    values: Any = None

    def __repr__(self) -> str:
        return f"Data({'values' if self.path is None else self.path}; private)"

    def read(self, names: Sequence[str]) -> Vector:
        """One number for each name."""
        if self.path is None:
            return aligned(self.values, names, "[data] values")
        return read_values(self.path, names)


def read_values(path: str, names: Sequence[str]) -> Vector:
    """The numbers of a file, one for each name."""
    try:
        if not Path(path).is_file():  # a pipe would never end
            raise FileNotFoundError(errno.ENOENT, "there is no such file")
        text = Path(path).read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise InputError(
            f"{path} could not be read ({why}).", _needed(names), "check the path."
        ) from None
    return aligned(_json(text) if text.lstrip()[:1] in ("[", "{") else _csv(text), names, path)


def aligned(found: Any, names: Sequence[str], where: str) -> Vector:  # noqa: ANN401 -- plain data
    """Numbers in the order of the names, from a list or a mapping."""
    if isinstance(found, Mapping):
        table = cast("Mapping[str, Any]", found)
        if set(table) != set(names):
            missing = [name for name in names if name not in table]
            unknown = [name for name in table if name not in set(names)]
            raise InputError(
                f"the names in {where} are not those of the data.",
                _needed(names),
                "take the names from the program; --reveal tells the curator which differ.",
                private=f"missing {missing[:5]}, unknown {unknown[:5]}",
            )
        found = [table[name] for name in names]
    values = numbers(found) if isinstance(found, list) else None
    if values is None or values.shape != (len(names),) or not np.isfinite(values).all():
        raise InputError(
            f"{where} does not hold the data.",
            _needed(names),
            "check that every line has a name and a finite number, and no name comes twice.",
        )
    values.setflags(write=False)
    return values


def _needed(names: Sequence[str]) -> str:
    some = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return f"{len(names)} numbers by name ({some}): lines name,value, or JSON."


def _json(text: str) -> Any:  # noqa: ANN401 -- plain data
    """A list or an object of numbers; None if it is neither."""
    try:
        found: Any = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    whole: Any = found
    items: Any = list(whole.values()) if hasattr(whole, "values") else whole
    return whole if all(type(item) in (int, float) for item in items) else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def _csv(text: str) -> dict[str, float] | None:
    """Lines of a name and a number; None if some line is none. A name may hold commas in brackets.

    The first line may be a header: its second part is no number.
    """
    try:
        rows = [row for row in csv.reader(io.StringIO(text), strict=True) if any(row)]
    except csv.Error:
        return None
    found: dict[str, float] = {}
    for k, row in enumerate(rows):
        name, value = ",".join(row[:-1]).strip(), number_of(row[-1])
        if value is None and k == 0 and len(row) == 2:
            continue
        if value is None or not name or name in found:
            return None
        found[name] = value
    return found
