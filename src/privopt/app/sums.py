"""Which sums of the private entries a job measures: a word, groups of names, or a file.

    measure = "total"                   one sum of all of them
    measure = "each"                    every entry by itself
    measure = "nothing"                 no sum: what is decided then is a constant, and free
    measure = "choose"                  what `choose_instrument` finds best, on public draws
    measure = { north = ["a", "b"] }    groups by name, or lists without
    measure = "zones.csv"               lines entry,zone; or JSON of groups; or an instrument

What is measured is public: nothing here reads the private data.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from privopt.app.data import csv_rows
from privopt.errors import InputError
from privopt.foreign import some
from privopt.kernel.instrument import Instrument
from privopt.recognise import kind_of

__all__ = ["sums_of"]

_HEADER = ("name", "entry")  # what the first column of zones may be called


def sums_of(measure: Any, names: Sequence[str]) -> dict[str, Any] | Instrument:  # noqa: ANN401 -- a checked entry
    """What `Instrument` takes as W, over private entries of these names; "choose" is no sum."""
    if measure == "total":
        return {"total": list(names)}
    if measure == "each":
        return {name: [name] for name in names}
    if measure == "nothing":
        return {}
    if isinstance(measure, str):
        return _from_file(measure, names)
    return _named(measure)


def _named(groups: Any) -> dict[str, Any]:  # noqa: ANN401 -- a table or a list of groups
    if isinstance(groups, dict):
        return cast("dict[str, Any]", groups)
    return {f"sum[{k}]": group for k, group in enumerate(groups)}


def _from_file(path: str, names: Sequence[str]) -> dict[str, Any] | Instrument:
    """An instrument, or zones: lines entry,zone, or JSON of groups."""
    if kind_of(path) == "instrument":
        return Instrument.load(path)
    try:
        file = Path(path).is_file()  # a pipe would never end
        text = Path(path).read_bytes().decode("utf-8-sig") if file else None
    except (OSError, ValueError) as error:
        raise _refused(path, getattr(error, "strerror", None) or "no text") from None
    if text is None:
        raise _refused(path, "there is no such file")
    if path.endswith(".json"):
        return _from_json(path, text)
    rows = csv_rows(text)
    if rows is None or any(len(row) < 2 or not row[-1].strip() for row in rows):
        raise _refused(path, "not an entry and a zone a line")
    zones: dict[str, list[str]] = {}
    for k, row in enumerate(rows):
        entry, zone = ",".join(row[:-1]).strip(), row[-1].strip()  # a name may hold commas
        if k or entry in names or entry.lower() not in _HEADER:
            zones.setdefault(zone, []).append(entry)
    if not zones:
        raise _refused(path, "no line")
    unknown = [entry for group in zones.values() for entry in group if entry not in set(names)]
    if unknown:
        raise InputError(
            f"{path} names {some(unknown)}, which "
            f"{'is no private entry' if len(unknown) == 1 else 'are no private entries'} of d.",
            f"private entries: {some(list(names))}.",
            "correct the names, or make them private.",
        )
    return zones


def _from_json(path: str, text: str) -> dict[str, Any]:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise _refused(path, "no JSON") from None
    items = list(cast("dict[str, Any]", found).values()) if isinstance(found, dict) else found
    groups = cast("list[Any]", items) if isinstance(items, list) else []
    if not groups or not all(_is_group(group) for group in groups):
        raise _refused(path, "no groups")
    return _named(found)


def _is_group(group: Any) -> bool:  # noqa: ANN401 -- whatever JSON gives
    if not isinstance(group, list) or not group:
        return False
    return all(type(item) in (str, int) for item in cast("list[Any]", group))


def _refused(path: str, why: str) -> InputError:
    return InputError(
        f"{path} holds no sums to measure ({why}).",
        "lines entry,zone (CSV); a table or list of groups of private entries (JSON); or an "
        "instrument that privopt wrote.",
        "check the file.",
    )
