"""What a file is: versioned JSON is read whole or refused, and a wrong file is named.

    {"privopt": kind, "version": n, ...}

By its first bytes a file of another kind is recognised, and a folder by what is in it, with the
command that takes it: for messages, and for a command that takes files of several kinds. What is
read is read by `load`, which trusts none of it.
"""

from __future__ import annotations

import json
import math
import os
import re
from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeVar, cast

from privopt.errors import InputError
from privopt.files import is_database

__all__ = ["Readable", "kind_of", "load", "read", "use_of"]

T = TypeVar("T", bound="Readable")

_FIRST = 4096  # bytes in which a file says what it is
_HEAD = re.compile(
    rb'"privopt"\s*:\s*"'
    rb'(release|program|instrument|measurement|decision|receipt)"'
)
_PAGE = re.compile(rb"^\s*<!doctype html", re.IGNORECASE)
_STUDIES = ("table1", "table2", "figure2", "privacy")
_RESULTS = (".json", ".parquet", ".journal")
_ADDRESS = re.compile(r"[a-z][a-z0-9+]*://")
_CASE = re.compile(rb"^\s*function\s+mpc\s*=", re.MULTILINE)
_USES = {
    "ledger": "look at it with: privopt ledger show {path}",
    "release": "make a page of it with: privopt report {path}, or check it with: privopt verify "
    "--release {path}",
    "instrument": "measure with it: privopt measure job.toml --measure {path} --data d.csv, or "
    "audit it with: privopt audit --instrument {path}",
    "measurement": "decide from it with: privopt decide job.toml --measurement {path}",
    "decision": "check it with: privopt decide --check {path}, or make a page of it with: privopt "
    "report {path}",
    "receipt": "keep it beside the data, private as they are: privopt release takes it",
    "program": "start a job from it with: privopt init --program {path}",
    "case": "start a job from it with: privopt init --case {path}",
    "job": "release by it with: privopt release {path} --dry-run",
    "evidence folder": "check it with: python3 -I -S {path}/recompute.py; its page is index.html",
    "experiment's folder": "make its page with: privopt report {path}",
    "experiment's result": "make a page of its folder with: privopt report {folder}",
    "page": "open it in a browser",
}


def kind_of(path: str | Path) -> str | None:
    """A ledger (its address too), job, case, or what privopt wrote; None of anything else."""
    where = Path(path)
    if _ADDRESS.match(str(path)):
        return "ledger"
    try:
        if where.is_dir():
            return _folder(where)
        if not where.is_file():
            return None
        if where.suffix == ".toml":
            return "job"
        if is_database(where.resolve()):
            return "ledger"
        with where.open("rb") as file:
            first = file.read(_FIRST)
    except (OSError, ValueError, RuntimeError):
        return None
    said = _HEAD.search(first)
    if said is not None and first.lstrip()[:1] == b"{":
        return said[1].decode()
    if _PAGE.search(first) is not None:
        return "page"
    if where.stem in _STUDIES and where.suffix in _RESULTS:
        return "experiment's result"
    return "case" if _CASE.search(first) else None


def _folder(where: Path) -> str | None:
    if (where / "recompute.py").is_file():
        return "evidence folder"
    studied = any((where / f"{name}.json").is_file() for name in _STUDIES)
    return "experiment's folder" if studied else None


def use_of(path: str | Path) -> tuple[str, str] | None:
    """What a file is, in words, and what to do with it; None where that is not known."""
    kind = kind_of(path)
    if kind is None:
        return None
    return _a(kind), _USES[kind].format(path=path, folder=Path(path).parent)


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


class Readable(Protocol):
    """What can be read from a file of its kind."""

    kind: ClassVar[str]
    version: ClassVar[int]

    @classmethod
    @abstractmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What the file holds; raises if it is not whole."""

    @abstractmethod
    def says(self, data: dict[str, Any]) -> bool:
        """Whether the file says this, and nothing else."""


def read(kind: type[T], content: str | bytes, name: str) -> T:
    """The object that `text` wrote; `name` says in errors where it came from."""
    try:
        data: Any = json.loads(
            content, parse_float=_finite, parse_constant=_finite, object_pairs_hook=_unique
        )
    except (ValueError, TypeError, RecursionError):
        raise _refused(f"{name} could not be read as JSON.", kind, _use(name)) from None
    whole = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if whole.get("privopt") != kind.kind:
        raise _refused(f"{name} is not {_a(kind.kind)}.", kind, _use(name))
    version: Any = whole.get("version")
    if type(version) is not int or version != kind.version:
        shown = repr(version)[:20] if isinstance(version, (int, float, str)) else None
        raise InputError(
            f"{name} has version {shown}.",
            f"version {kind.version}.",
            "read it with the privopt that wrote it.",
        )
    try:
        found = kind.from_dict(whole)
        if found.says(whole):
            return found
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError):
        pass
    raise _refused(f"{name} is not a whole {kind.kind}.", kind, "check the file.")


def load(kind: type[T], path: str | os.PathLike[str]) -> T:
    """Read a file of the given kind."""
    try:
        there = isinstance(path, (str, os.PathLike)) and Path(path).is_file()  # pyright: ignore[reportUnnecessaryIsInstance]
    except OSError:  # a name that is too long
        there = False
    if not there:
        raise _refused(f"there is no file {path!r:.80}.", kind, "check the path.")
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise _refused(
            f"{path} could not be read ({error.strerror}).", kind, "check its rights."
        ) from None
    return read(kind, content, str(path))


def _finite(text: str) -> float:
    """A float; what no float can hold, and NaN, is nothing that `text` wrote."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two values under one name, each reader would take another."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _use(name: str) -> str:
    """What to do with a file of another kind."""
    known = use_of(name)
    return "check the path." if known is None else f"it is {known[0]}: {known[1]}."


def _refused(got: str, kind: type[Readable], remedy: str) -> InputError:
    return InputError(got, f"{_a(kind.kind)} written by privopt.", remedy)
