"""The entries of a job that follow from the library: a field of a dataclass is an entry and a flag.

    [privacy]      one entry to choose among `noise.registry`, and the fields of all families
    [feasibility]  the same of `feasibility.registry`
    [objective]    the same of `model.objective`
    [repeat]       the fields of `Repeat`
    [settings]     the fields of `Settings`, beside the schema's own

A field's metadata may hold its "help" and, where it is not the field's name, its "flag". What a
registry gains is known to job files at once. `--help` must not load the library, so the flags are
made from a copy of all this, `options.json`, which

    python -m privopt.app.options

writes anew; a test says when that is needed.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from numpy.typing import ArrayLike

from privopt.app.schema import COPY, Form, Key, assembled, to_text
from privopt.errors import InputError
from privopt.feasibility.registry import REFORMULATIONS
from privopt.mechanisms.repeat import Repeat
from privopt.model.objective import OBJECTIVES
from privopt.noise.protected import Alpha, Owners
from privopt.noise.registry import FAMILIES
from privopt.noise.sensitivity import Sensitivity
from privopt.solving.solver import Settings

__all__ = ["CHOICES", "Choice", "made", "options", "schema"]

_KINDS: dict[Any, Form] = {
    float: Form.NUMBER,
    int: Form.WHOLE,
    bool: Form.YES,
    str: Form.TEXT,
    ArrayLike: Form.NUMBERS,
    Sensitivity: Form.NUMBER,  # its factor, assumed
    Alpha: Form.BOUNDS,
    Owners: Form.LABELS,
}


@dataclass(frozen=True, repr=False)
class Choice:
    """A section that is about one of several registered types: the entry that chooses, and these.

    If none is `needed`, it is the first unless given.
    """

    entry: str
    flag: str
    help: str
    types: Sequence[Any]
    needed: bool = False

    @property
    def usual(self) -> str | None:
        """What it is unless given."""
        return None if self.needed else self.types[0].name

    @property
    def takes(self) -> dict[str, tuple[str, ...]]:
        """The entries that each kind takes."""
        return {kind.name: tuple(item.name for item in _fields(kind)) for kind in self.types}

    def chosen(self, entries: dict[str, Any]) -> Any:  # noqa: ANN401 -- a type of the registry
        """The type that checked entries choose."""
        name = entries.get(self.entry, self.usual)
        return next(kind for kind in self.types if kind.name == name)


CHOICES: dict[str, Choice] = {
    "privacy": Choice("noise", "noise", "Noise.", FAMILIES),
    "feasibility": Choice(
        "kind", "feasibility", "How the limits are kept.", REFORMULATIONS, needed=True
    ),
    "objective": Choice("kind", "objective", "What a plan minimises.", OBJECTIVES),
}
_PLAIN: dict[str, Any] = {"repeat": Repeat, "settings": Settings}


def schema() -> tuple[Key, ...]:
    """The entries of a job, with what is registered now."""
    return assembled(options())


def options() -> tuple[Key, ...]:
    """The entries that follow from the library."""
    keys: list[Key] = []
    for section, choice in CHOICES.items():
        names = tuple(kind.name for kind in choice.types)
        keys.append(Key(section, choice.entry, Form.TEXT, choice.help, choice.flag, names))
        entries: dict[str, Key] = {}
        for kind in choice.types:
            entries = _merged(entries, _keys(section, kind))
        keys += entries.values()
    for section, kind in _PLAIN.items():
        keys += _keys(section, kind)
    return tuple(keys)


def made(section: str, given: dict[str, Any]) -> Any:  # noqa: ANN401 -- of the section's type
    """The object that the checked entries of a section describe; a missing one is named."""
    choice = CHOICES.get(section)
    kind = _PLAIN[section] if choice is None else choice.chosen(given)
    own = {name: value for name, value in given.items() if choice is None or name != choice.entry}
    for item, key in zip(_fields(kind), _keys(section, kind), strict=True):
        if item.default is dataclasses.MISSING and item.name not in own:
            raise InputError(
                f"[{section}] has no {item.name}.",
                f"{item.name}: {key.help}",
                f"add {item.name} = ... or --{key.flag}.",
            )
    return kind(**own)


def _fields(kind: Any) -> list[Any]:  # noqa: ANN401 -- a dataclass and its fields
    return [item for item in dataclasses.fields(kind) if item.init]


@cache
def _keys(section: str, kind: Any) -> tuple[Key, ...]:  # noqa: ANN401 -- a dataclass
    """An entry for each field: a fact of the class, and slow to read from its annotations."""
    hints, owner = get_type_hints(kind), getattr(kind, "name", section)
    return tuple(_key(section, owner, hints[item.name], item) for item in _fields(kind))


def _key(section: str, owner: str, hint: Any, item: Any) -> Key:  # noqa: ANN401 -- a type, a field
    if hint not in _KINDS and get_origin(hint) is types.UnionType:
        hint = next(one for one in get_args(hint) if one is not types.NoneType)
    choices = get_args(hint) if get_origin(hint) is Literal else ()
    return Key(
        section,
        item.name,
        Form.TEXT if choices else _KINDS[hint],
        item.metadata.get("help", f"Of {owner}."),
        item.metadata.get("flag", item.name.replace("_", "-")),
        tuple(choices),
    )


def _merged(known: dict[str, Key], more: Sequence[Key]) -> dict[str, Key]:
    """Entries of several kinds: each once, a new one behind the entry that it follows."""
    names = list(known)
    for before, key in zip([None, *more], more, strict=False):
        if key.name not in known:
            names.insert(0 if before is None else names.index(before.name) + 1, key.name)
            known = {**known, key.name: key}
    return {name: known[name] for name in names}


if __name__ == "__main__":
    COPY.write_text(to_text(options()), encoding="utf-8")
