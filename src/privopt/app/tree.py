"""A job as plain data: sections of checked entries, from a TOML file, from flags, or from both.

Flags go before the file: an entry of theirs takes the place of the file's, and of its alternatives
(`--case` of `network = ...`); where they choose another kind of noise or feasibility, entries of
the file that the new kind does not take are left out. Of the files that a job reads none is written
over (`inputs_of`), and the private ones do not become public.
"""

from __future__ import annotations

import errno
import math
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast

from privopt.app.options import CHOICES, schema
from privopt.app.schema import ALTERNATIVES, MEASURES, OWNERS, SECTIONS, Form, Key
from privopt.app.values import UNFILLED, meant, of_text, of_toml
from privopt.errors import InputError
from privopt.files import same_file

__all__ = [
    "Tree", "check_domain_is_public", "checked", "from_flags", "from_toml", "inputs_of", "merged",
]  # fmt: skip

Tree: TypeAlias = dict[str, dict[str, Any]]
_DEEP = 16  # dots in one key
# A dot; a text in quotes, or what is left of its line; what ends a key. Found in linear time.
_PARTS = re.compile(r"""\.|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?|#[^\n]*+|[^\w\s.'"-]|\n""")


def from_toml(path: str | Path) -> Tree:
    """Read a job file; its relative paths are relative to its folder."""
    where = Path(path)
    try:
        if not where.is_file():  # a pipe would never end
            raise FileNotFoundError(errno.ENOENT, "there is no such file")
        content = where.read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no such path"
        raise InputError(
            f"{str(path)!r:.120} could not be read ({why}).",
            "the TOML file of a job.",
            "check the path, or write one with: privopt init > job.toml",
        ) from None
    try:
        data = tomllib.loads(_flat(content.decode("utf-8")), parse_float=_float)
    except (ValueError, RecursionError) as error:
        # A job may hold private values: then not even where the fault lies is told.
        told = b"values" not in content and isinstance(error, tomllib.TOMLDecodeError)
        raise InputError(
            f"{where} is no TOML{f': {error!s:.120}' if told else ''}.",
            'sections such as [privacy] with lines such as epsilon = 1.0 and noise = "laplace".',
            "correct it, or write a new one with: privopt init > job.toml",
        ) from None
    return checked(data, where.parent, str(where))


def _float(text: str) -> float | int:
    """A float; an integer that no float holds for a number that none does, which is no infinity."""
    value = float(text)
    beyond = math.isinf(value) and "inf" not in text
    return int(math.copysign(1, value)) * 10**309 if beyond else value


def _flat(text: str) -> str:
    """The text; ValueError if a key has more parts than a job can (time grows with their square).

    A job has two, a table of named values three. Texts in quotes count as one part.
    """
    parts = 0
    for found in _PARTS.finditer(text):
        parts = parts + 1 if found[0] == "." else parts if found[0][0] in "'\"" else 0
        if parts > _DEEP:
            raise ValueError
    return text


def checked(data: Mapping[str, Any], folder: Path, name: str) -> Tree:
    """Nested plain data as a job; what is unknown or of the wrong type is refused."""
    tree: Tree = {}
    for section, entries in data.items():
        if section not in SECTIONS:
            other = next((key.section for key in schema() if key.name == section), None)
            raise InputError(
                f"{name} has {section!r:.60}.",
                f"the sections {', '.join(f'[{one}]' for one in SECTIONS)}.",
                f"it belongs in [{other}]." if other else meant(section, SECTIONS),
            )
        if not isinstance(entries, dict):
            raise InputError(
                f"{section} of {name} is no section.", f"[{section}] and its lines.", "write that."
            )
        table = cast("dict[str, Any]", entries)
        tree[section] = {
            entry: of_toml(_known(section, entry, name), value, folder)
            for entry, value in table.items()
        }
        _one_alternative(section, tree[section], name)
    return tree


def from_flags(flags: Mapping[str, str]) -> Tree:
    """Flags by name, without dashes, as texts; their paths stay as they are."""
    tree: Tree = {}
    for key in schema():
        if key.flag is not None and key.flag in flags:
            value = of_text(key, flags[key.flag])
            tree.setdefault(key.section, {})[key.name] = value
    for section, entries in tree.items():
        _one_alternative(section, entries, "the command line")
    return tree


def merged(file: Tree, flags: Tree) -> Tree:
    """Both, the flags before the file."""
    whole: Tree = {}
    for section in SECTIONS:
        mine, yours = flags.get(section, {}), file.get(section, {})
        kept = {name: value for name, value in yours.items() if _stays(section, name, mine)}
        if kept or mine:
            whole[section] = kept | mine
            _one_alternative(section, whole[section], "the job")
            _applies(section, whole[section], "the job")
    _check_filled(whole)
    return whole


def inputs_of(tree: Tree, file: str | Path | None) -> tuple[str, ...]:
    """The files that a job names, but for its results; the ledger and its anchor are among them."""
    read = (Form.FILE, Form.BOUNDS, Form.LABELS, Form.SUMS)
    entries = ((key, tree.get(key.section, {}).get(key.name)) for key in schema())
    named = [value for key, value in entries if key.kind in read and isinstance(value, str)]
    named = [value for value in named if value not in (*MEASURES, *OWNERS)]
    places = (tree.get("ledger", {}).get(name) for name in ("path", "anchor"))
    return (
        *([] if file is None else [str(file)]),
        *named,
        *(str(place.path) for place in places if place is not None),
    )


def check_domain_is_public(tree: Tree) -> None:
    """Refuse what is public of a job where it is the file of the private data itself."""
    data = tree.get("data", {}).get("file")
    for section, name in (
        ("domain", "lower"),
        ("domain", "upper"),
        ("privacy", "alpha"),
        ("privacy", "owners"),
        ("design", "measure"),
        ("design", "fallback"),
        ("query", "linear"),
    ):
        bound = tree.get(section, {}).get(name)
        if isinstance(data, str) and isinstance(bound, str) and same_file(data, bound):
            raise InputError(
                f"[{section}] {name} is {bound}, the file of the private data.",
                "what is public: it stands in a measurement, whose file is published.",
                "write what does not come from the data. If these data may be published, say so: "
                "--data-are-public.",
            )


def _check_filled(tree: Tree) -> None:
    """Refuse a job in which numbers are still to be decided, and name all of them."""
    open_ = [
        key
        for key in schema()
        if key.kind in (Form.NUMBER, Form.BOUNDS)
        and tree.get(key.section, {}).get(key.name) == UNFILLED
    ]
    if open_:
        told = "; ".join(f"{key.name}: {key.help[0].lower()}{key.help[1:-1]}" for key in open_)
        raise InputError(
            f"{', '.join(key.title for key in open_)} of the job file "
            f'{"is" if len(open_) == 1 else "are"} still "{UNFILLED}".',
            f"numbers that only you can decide: {told}.",
            f'fill them in where the file has "{UNFILLED}"; where the command takes them, '
            f"{', '.join(f'--{key.flag}' for key in open_)} will do too.",
        )


def _stays(section: str, name: str, flags: dict[str, Any]) -> bool:
    """Whether an entry of the file holds beside these flags of its section."""
    for group in ALTERNATIVES.get(section, ()):
        others = [one for other in ALTERNATIVES[section] if other != group for one in other]
        if name in group and any(other in flags for other in others):
            return False
    choice = CHOICES.get(section)
    if choice is None or name == choice.entry or choice.entry not in flags:
        return True
    return name in choice.takes[flags[choice.entry]]


def _known(section: str, entry: str, name: str) -> Key:
    own = {key.name: key for key in schema() if key.section == section}
    if entry in own:
        return own[entry]
    other = next((key.section for key in schema() if key.name == entry), None)
    raise InputError(
        f"[{section}] of {name} has {entry!r:.60}.",
        f"of this section: {', '.join(own)}.",
        f"it belongs in [{other}]." if other else meant(entry, own),
    )


def _one_alternative(section: str, entries: dict[str, Any], name: str) -> None:
    groups = ALTERNATIVES.get(section, ())
    given = [[one for one in group if one in entries] for group in groups]
    given = [group for group in given if group]
    if len(given) > 1:
        raise InputError(
            f"[{section}] of {name} has {' and '.join(group[0] for group in given)}.",
            f"one of: {', '.join(' with '.join(group) for group in groups)}.",
            "leave the others out.",
        )


def _applies(section: str, entries: dict[str, Any], name: str) -> None:
    choice = CHOICES.get(section)
    if choice is None:
        return
    chooser, kinds = choice.entry, choice.takes
    kind = entries.get(chooser, choice.usual)
    if kind is None:
        raise InputError(
            f"[{section}] of {name} has no {chooser}.",
            f"one of: {', '.join(kinds)}.",
            f'add for example {chooser} = "exact-box".',
        )
    wrong = [entry for entry in entries if entry != chooser and entry not in kinds[kind]]
    if wrong:
        takes = ", ".join(kinds[kind]) or "nothing else"
        raise InputError(
            f"[{section}] of {name} has {wrong[0]}, which {kind} does not take.",
            f"with {chooser} = {kind!r}: {takes}.",
            f"leave {wrong[0]} out, or choose another {chooser}.",
        )
