"""Publication: the public types as versioned JSON, and nothing else.

    {"privopt": kind, "version": n, ...}        numbers read back to the same bits

A type is public if it derives from `Public` (`Release`, `Policy` and `PublicProgram` do). Whatever
else there is, a plan, an optimum, a verification, belongs to the curator: it has no way through
here.
"""

from __future__ import annotations

import json
import math
import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeVar, cast

from privopt.errors import InputError
from privopt.files import write_whole
from privopt.recognise import use_of

__all__ = ["HEAD", "Public", "dump", "load", "read", "text"]

T = TypeVar("T", bound="Readable")
HEAD = ("privopt", "version")  # what heads a file


class Readable(Protocol):
    """What can be read from a file of its kind."""

    kind: ClassVar[str]
    version: ClassVar[int]

    @classmethod
    @abstractmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What the file holds, in this version or an older one; raises if it is not whole."""


class Public(Readable, ABC):
    """What may be published. `kind` and `version` head its file."""

    @property
    def written_as(self) -> int:
        """The oldest version that can read it: what its file says."""
        return self.version

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; floats keep their bits."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, whole or not at all."""
        dump(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote."""
        return load(cls, path)


def text(thing: Public, *, indent: int | None = None) -> str:
    """JSON of a public object."""
    if not isinstance(thing, Public):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"a {type(thing).__name__} is private: it may depend on d.",
            "a public object, a Release or a Policy.",
            "publish what its release() returns."
            if hasattr(thing, "release")
            else "keep it with the curator; what may be published is a release.",
        )
    whole = {"privopt": thing.kind, "version": thing.written_as, **thing.to_dict()}
    return json.dumps(whole, indent=indent, allow_nan=False)


def read(kind: type[T], content: str | bytes, name: str) -> T:
    """The object that `text` wrote; `name` says in errors where it came from."""
    try:
        data: Any = json.loads(content, parse_float=_finite, parse_constant=_finite)
    except (ValueError, TypeError, RecursionError):
        raise _refused(f"{name} could not be read as JSON.", kind, _use(name)) from None
    whole = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if whole.get("privopt") != kind.kind:
        raise _refused(f"{name} is not a {kind.kind}.", kind, _use(name))
    version: Any = whole.get("version")
    if type(version) is not int or not 1 <= version <= kind.version:
        shown = repr(version)[:20] if isinstance(version, (int, float, str)) else None
        raise InputError(
            f"{name} has version {shown}.",
            f"version {kind.version} or older.",
            "read it with the privopt that wrote it, or a newer one.",
        )
    try:
        return kind.from_dict(whole)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError):
        raise _refused(f"{name} is not a whole {kind.kind}.", kind, "check the file.") from None


def dump(thing: Public, path: str | os.PathLike[str]) -> None:
    """Write a file whole or not at all."""
    content = text(thing, indent=2)
    target = Path(path)
    try:
        write_whole(target, (content + "\n").encode())
    except OSError as error:
        raise InputError(
            f"{target} could not be written ({error.strerror}).",
            "a folder that exists and may be written to.",
            "choose another path.",
        ) from None


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


def _use(name: str) -> str:
    """What to do with a file of another kind."""
    known = use_of(name)
    return "check the path." if known is None else f"it is {known[0]}: {known[1]}."


def _refused(got: str, kind: type[Readable], remedy: str) -> InputError:
    return InputError(got, f"a {kind.kind} written by privopt.", remedy)
