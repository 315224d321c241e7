"""Data files: one number for each entry of d, by name or in order.

    demand[1],0.0          CSV: name and value a line, a header line or none
    {"demand[1]": 0.0}     JSON: an object by name, or a list in the order of the program
    bus,customer,MW        a table (CSV or Parquet): rows are added by bus (`adapters.table_data`)

A number that no float holds becomes the largest float of its sign (`arrays.held`), which clamping
takes to the end of a domain that the number lies beyond. NaN, infinity and other texts are refused.

What is read here is private. An error says which file, how many numbers it holds, and which names
are needed; names that only the file has, and where its values will not do, are in `error.private`,
for the curator.
"""

from __future__ import annotations

import csv
import errno
import io
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from privopt.adapters.table_data import TableData, read_data
from privopt.adapters.table_rows import check_text
from privopt.app.tables import is_table
from privopt.app.values import datum, is_number
from privopt.arrays import Vector, held
from privopt.errors import Action, Clause, InputError
from privopt.foreign import some
from privopt.model.program import ConvexProgram

__all__ = ["Data", "aligned", "csv_rows", "read_labels", "read_values"]

_LARGEST = 500 * 10**6  # bytes of a file with a number for each entry


@dataclass(frozen=True, eq=False, repr=False)
class Data:
    """Where the private data are: a file, or values (a list in order, or numbers by name).

    They are read by `read`, and only there.

    Attributes
    ----------
    reading
        How a table is read, as `read_data` takes it: columns, decimal, missing, sites, bound.
    """

    path: str | None = None
    values: Any = None
    reading: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __repr__(self) -> str:
        return f"Data({'values' if self.path is None else self.path}; private)"

    def read(
        self,
        names: Sequence[str],
        program: ConvexProgram | None = None,
        public: Vector | None = None,
        zeros: Collection[str] = (),
    ) -> TableData:
        """One number for each name; of a table, with what its rows were like.

        A table takes a program; what d has beside its rows is `public`, and `zeros` need no row.
        """
        if self.path is None:
            self._check_idle("[data] values")
            return TableData(aligned(self.values, names, "[data] values"), None)
        if program is not None and is_table(self.path, self.reading):
            return read_data(self.path, program, public=public, zeros=zeros, **self.reading)
        self._check_idle(f"{self.path}, lines of name,value or JSON,")
        return TableData(read_values(self.path, names), None)

    def _check_idle(self, where: str) -> None:
        """Refuse what is said of a table where there is none."""
        idle = {"sites": "sites", "bound": "bounded", "columns": "columns", "decimal": "decimal",
                "missing": "missing"}  # fmt: skip
        given = [word for name, word in idle.items() if self.reading.get(name) is not None]
        if given:
            raise InputError(
                f"[data] has {given[0]}, and {where} is no table of customers or buses.",
                "a table: CSV or Parquet with a first line such as bus,customer,value.",
                f"leave {given[0]} out, or give a table.",
            )


@dataclass(frozen=True, eq=False, repr=False)
class _Found:
    """What a file holds: values, and the name of each unless they only stand in order."""

    values: list[Any]
    names: list[str] | None = None


def read_values(path: str | Path, names: Sequence[str]) -> Vector:
    """The numbers of a file, one for each name."""
    text = _text(path, _needed(names))
    found = _json(text) if text.lstrip()[:1] in ("[", "{") else _csv(text)
    if found is None:
        raise InputError(
            f"{path} is neither CSV nor JSON.", _needed(names), "check how the file is written."
        )
    if isinstance(found, int):
        raise InputError(
            f"{path} holds {_count(found)} without names.",
            _needed(names),
            f"write lines such as {names[0] if names else 'name'},0.25.",
        )
    return _in_order(found, names, str(path))


def read_labels(path: str | Path, names: Sequence[str]) -> dict[str, str] | list[str]:
    """The labels of a file, by name or in order: public, unlike the data."""
    needed = f"a label for each of {some(names)}: lines name,label, or JSON."
    text = _text(path, needed)
    found: Any = None
    if text.lstrip()[:1] in ("[", "{"):
        with suppress(ValueError, RecursionError):
            found = json.loads(text, object_pairs_hook=_once)
    else:
        rows = csv_rows(text)
        if rows and all(len(row) > 1 for row in rows):
            pairs = [(",".join(row[:-1]).strip(), row[-1].strip()) for row in rows]
            head = len(pairs) == len(names) + 1 and pairs[0][0] not in names
            found = _once(pairs[1:] if head else pairs)
    if not isinstance(found, (dict, list)):
        raise InputError(f"{path} holds no labels, each name once.", needed, "check the file.")
    return cast("dict[str, str] | list[str]", found)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any] | None:
    """Pairs as a dict; None if a name comes twice."""
    table = dict(pairs)
    return table if len(table) == len(pairs) else None


def _text(path: str | Path, needed: str) -> str:
    """The text of a file."""
    try:
        if not Path(path).is_file():  # a pipe would never end
            raise FileNotFoundError(errno.ENOENT, "there is no such file")
        large = Path(path).stat().st_size > _LARGEST
        found = None if large else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no such path"
        raise InputError(f"{path} could not be read ({why}).", needed, "check the path.") from None
    if found is None:
        raise InputError(
            f"{path} is larger than {_LARGEST // 10**6} MB.",
            needed,
            "leave out what it need not hold.",
        )
    check_text(str(path))  # a workbook and the like are named
    try:
        return found.decode("utf-8-sig")
    except ValueError as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise InputError(f"{path} could not be read ({why}).", needed, "check the path.") from None


def aligned(found: Any, names: Sequence[str], where: str) -> Vector:  # noqa: ANN401 -- plain data
    """Numbers in the order of the names, from a list or a mapping."""
    if isinstance(found, Mapping):
        table = cast("Mapping[str, Any]", found)
        return _in_order(_Found(list(table.values()), list(table)), names, where)
    return _in_order(_Found(cast("list[Any]", found)), names, where)


def _in_order(found: _Found, names: Sequence[str], where: str) -> Vector:
    """Numbers in the order of the names. How many there are may be told, and which are missing."""
    given, values = found.names, found.values
    if given is None and len(values) != len(names):
        raise InputError(
            f"{where} holds {_count(len(values))}.",
            _needed(names),
            "give one number for each, in this order, or an object by name.",
        )
    if given is not None:
        there, known = set(given), set(names)
        missing = [name for name in names if name not in there]
        unknown = [name for name in given if name not in known]
        twice = [name for name, count in Counter(given).items() if count > 1]
        if missing or unknown or twice:
            raise InputError(
                f"{where} holds {_count(len(given))} by name: "
                + "; ".join(_differing(len(names), missing, len(unknown), len(twice)))
                + ".",
                _needed(names),
                (
                    "take the names from the program",
                    Clause(Action.REVEAL, "tells the curator which differ."),
                ),
                private=f"missing: {some(missing, 5)}\nunknown: {some(unknown, 5)}\n"
                f"more than once: {some(twice, 5)}",
            )
        place = dict(zip(given, values, strict=True))
        values = [place[name] for name in names]
    numbers = [datum(value) for value in values]
    wrong = [name for name, number in zip(names, numbers, strict=True) if number is None]
    if wrong:
        place = dict(zip(names, values, strict=True))
        empty = all(place[name] == "" for name in wrong)
        raise InputError(
            f"{where} has values that are not filled in."
            if empty
            else f"{where} holds something else than finite numbers.",
            _needed(names),
            (
                "fill them in" if empty else "correct it",
                Clause(Action.REVEAL, "tells the curator where."),
            ),
            private=f"no finite number: {some(wrong, 5)}",
        )
    vector = np.array(numbers, dtype=float)
    vector.setflags(write=False)
    return vector


def _differing(needed: int, missing: list[str], unknown: int, twice: int) -> list[str]:
    """How the names differ; those that only the file has are counted, and not told."""
    parts = [f"{len(missing)} of {needed} missing ({some(missing)})"] if missing else []
    parts += [f"{unknown} unknown"] if unknown else []
    return parts + ([f"{twice} more than once"] if twice else [])


def _count(count: int) -> str:
    return f"{count} number{'s' * (count != 1)}"


def _needed(names: Sequence[str]) -> str:
    return f"{_count(len(names))} by name ({some(names)}): lines name,value, or JSON."


def _json(text: str) -> _Found | None:
    """A list, or an object by name; None if it is neither."""
    try:  # an object as a tuple of pairs, so that a name that comes twice is seen
        found: Any = json.loads(text, object_pairs_hook=tuple, parse_int=held, parse_float=held)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, list):
        return _Found(cast("list[Any]", found))
    pairs = cast("tuple[tuple[str, Any], ...]", found)
    return _Found([value for _, value in pairs], [name for name, _ in pairs])


def _csv(text: str) -> _Found | int | None:
    """Lines of a name and a number. A name may hold commas in brackets.

    The first line may be a header: its last part is no number. Of lines without names their count
    is returned, and None of what is no CSV.
    """
    rows = csv_rows(text)
    if rows is None:
        return None
    bare = bool(rows) and all(len(row) == 1 for row in rows)
    if rows and len(rows[0]) == (1 if bare else 2) and not is_number(rows[0][-1]):
        rows = rows[1:]
    if bare:
        return len(rows)
    names = [",".join(row[:-1]).strip() for row in rows]
    texts = [row[-1].strip() for row in rows]  # an empty one stays: it is to be filled in
    return _Found([held(one) if is_number(one) else None if one else "" for one in texts], names)


def csv_rows(text: str) -> list[list[str]] | None:
    """The lines of a CSV file that are not empty; None if it is none."""
    try:
        return [row for row in csv.reader(io.StringIO(text), strict=True) if any(row)]
    except csv.Error:
        return None
