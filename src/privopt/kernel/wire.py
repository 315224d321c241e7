"""Publication: the public types as versioned JSON, and nothing else.

    {"privopt": kind, "version": n, ...}        numbers read back to the same bits

A type is public if it derives from `Public` (`Release`, `Instrument` and `PublicProgram` do). It is
known by the digest of its record (`privopt.record`), and read only where it would be written so.
Whatever else there is, a plan, an optimum, a verification, belongs to the curator: it has no way
through here.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from privopt.errors import InputError
from privopt.files import write_whole
from privopt.recognise import Readable, load, read
from privopt.record import HEAD, PARTS, canonical, digest

__all__ = ["Public", "dump", "load", "read", "text"]


class Public(Readable, ABC):
    """What may be published. `kind` and `version` head its record."""

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """All that its claims rest on, as plain data; floats keep their bits, parts are named."""

    @property
    def parts(self) -> tuple[Public, ...]:
        """What the record names by digest."""
        return ()

    @property
    def beside(self) -> dict[str, Any]:
        """What its file has beside the record: no claim rests on it, and no digest knows it."""
        return {}

    @cached_property
    def headed(self) -> dict[str, Any]:
        """The record with its kind and version."""
        return {**dict(zip(HEAD, (self.kind, self.version), strict=True)), **self.record()}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the record: what it is known by, in a ledger and wherever it is a part."""
        return digest(self.headed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Public) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the record, what is beside it, and its parts, each once."""
        parts = _gathered(self.parts)
        return {**self.record(), **self.beside, **({PARTS: parts} if parts else {})}

    def says(self, data: dict[str, Any]) -> bool:
        """Whether a file that it was read from says what it would write, and nothing else."""
        return canonical(data) == text(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, whole or not at all."""
        dump(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote."""
        return load(cls, path)


def _gathered(parts: tuple[Public, ...]) -> dict[str, Any]:
    """Parts, and theirs, by digest."""
    found: dict[str, Any] = {}
    for one in parts:
        found |= {one.digest: one.headed, **_gathered(one.parts)}
    return found


def text(thing: Public, *, indent: int | None = None) -> str:
    """JSON of a public object: canonical, or laid out to be read."""
    if not isinstance(thing, Public):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"a {type(thing).__name__} is private: it may depend on d.",
            "a public object, such as a Release.",
            "publish what its release() returns."
            if hasattr(thing, "release")
            else "keep it with the curator; what may be published is a release.",
        )
    whole = {**thing.headed, **thing.to_dict()}
    return canonical(whole) if indent is None else json.dumps(whole, indent=indent, allow_nan=False)


def dump(thing: Public, path: str | os.PathLike[str]) -> None:
    """Write a file whole or not at all."""
    content = text(thing, indent=2)
    if not isinstance(path, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"the path is a {type(path).__name__}.",
            "the path of a file to write.",
            f'pass "{thing.kind}.json".',
        )
    target = Path(path)
    try:
        write_whole(target, (content + "\n").encode())
    except OSError as error:
        raise InputError(
            f"{target} could not be written ({error.strerror}).",
            "a folder that exists and may be written to.",
            "choose another path.",
        ) from None
