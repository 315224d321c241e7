"""Publication: the public types as versioned JSON, and nothing else.

    {"privopt": kind, "version": n, ...}        numbers read back to the same bits

A type is public if it derives from `Public` (`Release`, `Instrument` and `PublicProgram` do).
Whatever else there is, a plan, an optimum, a verification, belongs to the curator: it has no way
through here.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Self

from privopt.errors import InputError
from privopt.files import write_whole
from privopt.recognise import Readable, load, read

__all__ = ["HEAD", "Public", "dump", "load", "read", "text"]

HEAD = ("privopt", "version")  # what heads a file


class Public(Readable, ABC):
    """What may be published. `kind` and `version` head its file."""

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
            "a public object, such as a Release.",
            "publish what its release() returns."
            if hasattr(thing, "release")
            else "keep it with the curator; what may be published is a release.",
        )
    whole = {"privopt": thing.kind, "version": thing.version, **thing.to_dict()}
    return json.dumps(whole, indent=indent, allow_nan=False)


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
