"""A job as texts: its entries as flags, and the whole of it as a job file.

    flags_of(tree, folder)   what `from_flags` reads back: {"epsilon": "1", "identity": "p[1],p[2]"}
    toml_of(tree)            what `from_toml` reads back

Tables by name have no text as a flag: they are written to files of the folder, which are named.
Private values have no text at all: they are refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from privopt.app.options import schema
from privopt.app.outputs import Output
from privopt.app.schema import SECTIONS, Form, Key
from privopt.app.tree import Tree
from privopt.errors import InputError
from privopt.files import write_whole

__all__ = ["flags_of", "toml_of"]

_FIRST = "# A job of privopt: privopt release job.toml --dry-run"


def flags_of(tree: Tree, folder: Path, sections: Iterable[str] = SECTIONS) -> dict[str, str]:
    """The entries of these sections as flags by name; tables become files of the folder."""
    wanted = set(sections)
    flags: dict[str, str] = {}
    for key in schema():
        value = tree.get(key.section, {}).get(key.name)
        if value is not None and key.section in wanted and key.flag is not None:
            flags[key.flag] = _flag(key, value, folder)
    return flags


def _flag(key: Key, value: Any, folder: Path) -> str:  # noqa: ANN401 -- of the key's kind
    if isinstance(value, dict):
        if key.kind is Form.GROUPS:  # their names have no flag
            return ";".join(_joined(group) for group in cast("dict[str, Any]", value).values())
        if key.kind is Form.COLUMNS:
            return ",".join(
                f"{role}={name}" for role, name in cast("dict[str, Any]", value).items()
            )
        return _kept(key, value, folder)
    if key.kind in (Form.GROUPS, Form.SUMS) and isinstance(value, list):
        return ";".join(_joined(group) for group in cast("list[Any]", value))
    if key.kind is Form.LABELS and isinstance(value, list):
        items = cast("list[Any]", value)
        return _joined(items) if len(items) > 1 else _kept(key, items, folder)
    return _joined(value)


def _joined(value: Any) -> str:  # noqa: ANN401 -- one item, or a list of them
    if isinstance(value, list):
        return ",".join(_word(item) for item in cast("list[Any]", value))
    return _word(value)


def _word(value: Any) -> str:  # noqa: ANN401 -- one item
    if isinstance(value, Output):
        return value.path
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _kept(key: Key, value: Any, folder: Path) -> str:  # noqa: ANN401 -- plain data
    path = folder / f"{key.section}-{key.name}.json"
    write_whole(path, f"{json.dumps(value, indent=2)}\n".encode())
    return str(path)


def toml_of(tree: Tree) -> str:
    """A job as the text of a job file."""
    lines: list[str] = []
    for section in SECTIONS:
        entries = tree.get(section, {})
        if entries:
            lines += [""] if lines else [_FIRST, ""]
            lines += [f"[{section}]", *(f"{name} = {_toml(entries[name])}" for name in entries)]
    return "\n".join([*lines, ""])


def _toml(value: Any) -> str:  # noqa: ANN401 -- plain data
    if isinstance(value, Output):
        return _quoted(value.path)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(_toml(item) for item in cast('list[Any]', value))}]"
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        items = (f"{_quoted(name)} = {_toml(item)}" for name, item in table.items())
        return f"{{ {', '.join(items)} }}"
    raise InputError(
        f"an entry is a {type(value).__name__}.", "numbers, texts, lists, tables.", "correct it."
    )


def _quoted(text: str) -> str:
    """A text in quotes, as TOML and JSON both write it."""
    return json.dumps(text).replace("\x7f", "\\u007f")
