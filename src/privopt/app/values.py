"""One entry of a job, checked: what TOML or a flag gave becomes the plain value of its kind.

    NUMBER "0.5", 0.5 -> 0.5          NAMES "p[1],p[3,2]" -> ["p[1]", "p[3,2]"]
    FILE   "d.csv"    -> its path     GROUPS "x,y;w"      -> [["x", "y"], ["w"]]

Flags are texts, TOML has types; both end as the same value. No message quotes a private entry.
In a file "?" stands for a number that is still to be filled in.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

from privopt.adapters.table_columns import ROLES
from privopt.app.outputs import Output
from privopt.app.schema import MEASURES, OWNERS, Form, Key
from privopt.arrays import held
from privopt.errors import InputError
from privopt.ledger.anchor import Mark
from privopt.ledger.stores.registry import file_of

__all__ = [
    "AMOUNT",
    "UNFILLED",
    "datum",
    "is_number",
    "meant",
    "number_of",
    "of_text",
    "of_toml",
    "path_of",
    "split",
]

UNFILLED = "?"
_TABLES = (".csv", ".json")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
AMOUNT = re.compile(rf"(?P<number>{_NUMBER.pattern})\s+(?P<unit>[A-Za-z][\w./]*)", re.ASCII)  # 1 MW
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_MOST = 10**18  # what such a text can say
_NEEDED = {
    Form.TEXT: "a text.",
    Form.NUMBER: "a finite number.",
    Form.NUMBERS: "a finite number, or a list of them.",
    Form.WHOLE: "a whole number.",
    Form.YES: "true or false.",
    Form.FILE: "the path of a file.",
    Form.OUTPUT: "the path of a file.",
    Form.NAMES: "a list of names or positions.",
    Form.GROUPS: "lists of names or positions, or a table of such lists.",
    Form.BOUNDS: "a number, a list, a table by name, or the path of a file of either.",
    Form.SUMS: f"{', '.join(MEASURES)}; lists of names, or a table of them; or a file of zones or "
    "an instrument that ends in .csv or .json.",
    Form.LABELS: "a list of labels, a table of them by name, or the path of a file of either.",
    Form.AMOUNT: "a decimal.",
    Form.COLUMNS: 'names of columns by role, such as { bus = "Bus", value = "MW" }: bus or name, '
    "value, customer, time.",
    Form.VALUES: "a list of numbers, or a table of numbers by name.",
}


def of_text(key: Key, text: str) -> Any:  # noqa: ANN401 -- of the key's kind
    """The value that a flag gives; its paths stay as they are."""
    if key.kind is Form.YES:
        return _checked(key, {"true": True, "false": False}.get(text), text, None)
    value: Any = text
    if key.kind is Form.NUMBER or (key.kind is Form.BOUNDS and number_of(text) is not None):
        value = number_of(text)
    elif key.kind is Form.NUMBERS or (key.kind is Form.BOUNDS and _all_numbers(text)):
        parts = [number_of(part) for part in text.split(",")]
        value = parts[0] if len(parts) == 1 else parts
    elif key.kind is Form.WHOLE:
        value = int(text) if _WHOLE.fullmatch(text) else None
    elif key.kind is Form.NAMES or (key.kind is Form.LABELS and len(split(text)) > 1):
        value = _names(text)
    elif key.kind is Form.GROUPS or (key.kind is Form.SUMS and not _one_word(text)):
        value = [_names(group) for group in text.split(";")]
    elif key.kind is Form.COLUMNS:
        pairs = [part.partition("=") for part in text.split(",")]
        value = {role.strip(): name.strip() for role, _, name in pairs}
    return _checked(key, value, text, None)


def of_toml(key: Key, value: Any, folder: Path | None) -> Any:  # noqa: ANN401 -- of the key's kind
    """The value that an entry of the file gives; `UNFILLED` where it is still to be decided."""
    if value == UNFILLED and key.kind in (Form.NUMBER, Form.BOUNDS):
        return UNFILLED
    return _checked(key, value, value, folder)


def _checked(key: Key, value: Any, got: Any, folder: Path | None) -> Any:  # noqa: ANN401
    if key.name == "alpha" and isinstance(value, str) and AMOUNT.fullmatch(value):
        return value  # with its unit, which the program's says how to read
    found = None if value is None else _READ[key.kind](value, folder)
    if found is None:
        shown = "not that" if key.kind is Form.VALUES else _shown(got)
        flag = f" (or --{key.flag})" if key.flag else ""
        raise InputError(
            f"{key.title} is {shown}.", _NEEDED[key.kind], f"correct it{flag}: {key.help}"
        )
    if key.choices and found not in key.choices:
        words = ", ".join(key.choices)
        raise InputError(
            f"{key.title} is {_shown(got)}.", f"one of: {words}.", meant(str(found), key.choices)
        )
    return found


def _shown(got: Any) -> str:  # noqa: ANN401 -- whatever TOML gives
    """The value in a message; its type, where it is nested too deep or has too many digits."""
    try:
        return f"{got!r:.60}"
    except (RecursionError, ValueError):
        return f"a very long {type(got).__name__}"


def meant(word: str, known: Iterable[str]) -> str:
    """The remedy for a misspelt word."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else "check the spelling."


def number_of(text: str) -> float | None:
    """The finite number that a text is; None if it is none."""
    value = float(text) if len(text) <= 400 and is_number(text) else math.nan
    return value if math.isfinite(value) else None


def is_number(text: str) -> bool:
    """Whether a text is a number, of any size and length."""
    return _NUMBER.fullmatch(text.strip()) is not None


def split(text: str) -> list[str]:
    """The parts of a list written with commas; those within brackets belong to a name."""
    parts, depth, current = list[str](), 0, ""
    for letter in text:
        depth += (letter in "[(") - (letter in ")]")
        if letter == "," and depth <= 0:
            parts.append(current)
            current = ""
        else:
            current += letter
    return [part.strip() for part in (*parts, current)]


def path_of(text: str, folder: Path | None) -> str | None:
    """A path as it was given, from the folder on; None for a text that can be none."""
    if not text.strip() or "\0" in text:
        return None
    try:
        return str((folder or Path()) / Path(text).expanduser())
    except RuntimeError:  # the home of a user that there is not
        return None


def _names(text: str) -> list[str | int] | None:
    parts = split(text)
    if not all(parts):
        return None
    return [int(part) if _WHOLE.fullmatch(part) else part for part in parts]


def _all_numbers(text: str) -> bool:
    parts = text.split(",")
    return len(parts) > 1 and all(number_of(part) is not None for part in parts)


_Read = Callable[[Any, Path | None], float | None]


def _number(value: Any, _: Path | None) -> float | None:  # noqa: ANN401
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def datum(value: Any, _: Path | None = None) -> float | None:  # noqa: ANN401 -- plain data
    """A number of any size, as the float that is held for it; None of anything else."""
    sound = type(value) is int or (type(value) is float and math.isfinite(value))
    return held(value) if sound else None


def _numbers(value: Any, folder: Path | None, read: _Read = _number) -> list[float] | float | None:  # noqa: ANN401
    if not isinstance(value, list):
        return read(value, folder)
    found = [read(item, folder) for item in cast("list[Any]", value)]
    return [item for item in found if item is not None] if found and None not in found else None


def _by_name(value: Any, folder: Path | None, read: _Read = _number) -> dict[str, float] | None:  # noqa: ANN401
    table = cast("dict[str, Any]", value)
    found = {name: read(item, folder) for name, item in table.items()}
    known = {name: item for name, item in found.items() if item is not None}
    return known if known and len(known) == len(found) else None


def _bounds(value: Any, folder: Path | None) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return path_of(value, folder)
    return _by_name(value, folder) if isinstance(value, dict) else _numbers(value, folder)


def _labels(value: Any, folder: Path | None) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return value if value in OWNERS else path_of(value, folder)
    if not isinstance(value, dict):
        return _listed(value, folder) if isinstance(value, list) else None
    table = cast("dict[str, Any]", value)
    each = [_listed(one, folder) for one in table.values()]
    return table if each and None not in each else None


def _columns(value: Any, _: Path | None) -> dict[str, str] | None:  # noqa: ANN401
    if not isinstance(value, dict):
        return None
    table = cast("dict[str, Any]", value)
    sound = table and all(role in ROLES and isinstance(n, str) and n for role, n in table.items())
    return {role: name.strip() for role, name in table.items()} if sound else None


def _values(value: Any, folder: Path | None) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return _by_name(value, folder, datum)
    return _numbers(value, folder, datum) if isinstance(value, list) else None


def _listed(value: Any, _: Path | None) -> list[str | int] | None:  # noqa: ANN401
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    sound = items and all(type(item) in (str, int) and item != "" for item in items)
    return list(items) if sound else None


def _groups(value: Any, folder: Path | None) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        found = {name: _listed(group, folder) for name, group in table.items()}
        return found if found and None not in found.values() else None
    if not isinstance(value, list) or not value:
        return None
    groups = [_listed(group, folder) for group in cast("list[Any]", value)]
    nested = all(isinstance(group, list) for group in cast("list[Any]", value))
    return groups if nested and None not in groups else None


def _one_word(text: str) -> bool:
    return text in MEASURES or text.endswith(_TABLES)


def _sums(value: Any, folder: Path | None) -> Any:  # noqa: ANN401
    if not isinstance(value, str):
        return _groups(value, folder)
    if value in MEASURES:
        return value
    return path_of(value, folder) if _one_word(value) else None


def _amount(value: Any, _: Path | None) -> str | None:  # noqa: ANN401
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    text = value.strip() if isinstance(value, str) else repr(value)
    return text if number_of(text) is not None else None


def _output(value: Any, folder: Path | None) -> Output | None:  # noqa: ANN401
    if isinstance(value, str) and (file_of(value) is None or Mark.read(value)):
        # The address of a ledger, or the head of one.
        return Output(value, folder)
    path = path_of(value, folder) if isinstance(value, str) else None
    return None if path is None else Output(path, folder)


_READ: dict[Form, Callable[[Any, Path | None], Any]] = {
    Form.TEXT: lambda value, _: value if isinstance(value, str) and value else None,
    Form.NUMBER: _number,
    Form.NUMBERS: _numbers,
    Form.WHOLE: lambda value, _: value if type(value) is int and abs(value) < _MOST else None,
    Form.YES: lambda value, _: value if isinstance(value, bool) else None,
    Form.FILE: lambda value, folder: path_of(value, folder) if isinstance(value, str) else None,
    Form.OUTPUT: _output,
    Form.NAMES: _listed,
    Form.GROUPS: _groups,
    Form.BOUNDS: _bounds,
    Form.SUMS: _sums,
    Form.LABELS: _labels,
    Form.AMOUNT: _amount,
    Form.VALUES: _values,
    Form.COLUMNS: _columns,
}
