"""Which file a name or path means, and what identifies it.

A PGLib name identifies its network; a path does not identify what lies there: a digest of the file
does.
"""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

from privopt.errors import InputError
from privopt.networks.pglib import find, short_name

__all__ = ["canonical", "fingerprint", "locate"]


def locate(name_or_path: str | os.PathLike[str]) -> Path:
    """The case file of a PGLib name or a path."""
    if not isinstance(name_or_path, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"{type(name_or_path).__name__} names no network.",
            "a PGLib name, or the path of a case file.",
            "write for example load('118_ieee').",
        )
    text = os.fspath(name_or_path)
    path = Path(text)
    looks_like_path = isinstance(name_or_path, os.PathLike) or path.suffix == ".m" or os.sep in text
    return path if looks_like_path or _is_file(path) else find(text)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long
        return False


def canonical(name_or_path: str | os.PathLike[str]) -> str:
    """The PGLib name without prefixes, or the path as it was given."""
    path = locate(name_or_path)
    given = Path(os.fspath(name_or_path))
    return str(given) if path == given else short_name(path.stem)


def fingerprint(name: str) -> str:
    """What identifies a network: its PGLib name, or a digest of its file."""
    path = locate(name)
    if path != Path(name):
        return short_name(path.stem)
    try:
        if path.exists() and not path.is_file():  # a pipe would never end
            raise IsADirectoryError(errno.EISDIR, "it is no file")
        return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        raise InputError(
            f"there is no file {name!r}."
            if missing
            else f"{name!r} cannot be read ({error.strerror}).",
            "the path of a MATPOWER case file (.m).",
            f"check it with: ls -l {path.parent}",
        ) from None
