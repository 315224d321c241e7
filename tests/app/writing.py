"""A job as a TOML file and as flags, written here and not by the library; jobs compared."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np

import privopt as po
from privopt.app.schema import KEYS
from privopt.model.program_file import program_to_dict

FLAGS = {(key.section, key.name): key.flag for key in KEYS}


def toml(tree: dict[str, dict[str, Any]]) -> str:
    """The tree as a file."""
    lines: list[str] = []
    for section, entries in tree.items():
        lines.append(f"[{section}]")
        lines += [f"{name} = {_value(value)}" for name, value in entries.items()]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        inner = (f"{json.dumps(name)} = {_value(item)}" for name, item in value.items())
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def flags(tree: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The same as flags."""
    return {
        FLAGS[section, name] or "": _text(value)
        for section, entries in tree.items()
        for name, value in entries.items()
    }


def arguments(tree: dict[str, dict[str, Any]]) -> list[str]:
    """The same as words of a command line."""
    words: list[str] = []
    for flag, text in flags(tree).items():
        switch = {"true": [f"--{flag}"], "false": [f"--no-{flag}"]}
        words += switch.get(text, [f"--{flag}={text}"])
    return words


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        mark = ";" if isinstance(value[0], list) else ","
        return mark.join(_text(item) for item in value)
    return value if isinstance(value, str) else repr(value)


def plain(thing: Any) -> Any:
    """Anything in a job as data that compares with ==."""
    if isinstance(thing, po.ConvexProgram):
        return program_to_dict(thing)
    if isinstance(thing, np.ndarray):
        return thing.dtype.str, thing.shape, thing.tobytes()
    if hasattr(thing, "iloc"):
        return list(thing.index), list(thing.columns), thing.to_numpy().tolist()
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        fields = [item for item in dataclasses.fields(thing) if item.compare]  # not who said it
        parts = {item.name: getattr(thing, item.name) for item in fields}
        return type(thing).__name__, {name: plain(part) for name, part in parts.items()}
    if isinstance(thing, (list, tuple)):
        return [plain(item) for item in thing]
    if isinstance(thing, dict):
        return {name: plain(item) for name, item in thing.items()}
    return type(thing).__name__, thing
