"""The networks that can be chosen, with their sizes, and jobs to start from.

Sizes are counted in the case files, without reading them whole; those of very large files are not.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from privopt.app.starting import network_job
from privopt.app.texts import flags_of
from privopt.app.tree import checked
from privopt.errors import PrivoptError
from privopt.extra import how_to_install
from privopt.networks.locate import find, names
from privopt.web.forms import SECTIONS

__all__ = ["catalogue"]

_LARGEST = 1 << 20  # bytes of a case file whose rows are counted
_TABLES = {"buses": "bus", "lines": "branch", "units": "gen"}
_EXAMPLES = {
    "14_ieee": "A small grid: publish the largest generator, measure the total demand",
    "39_epri": "New England: publish the largest generator",
    "118_ieee": "A larger grid: a design takes some seconds",
}


@cache
def catalogue() -> dict[str, Any]:
    """Networks by name, smallest first, and examples as forms; or what installs them."""
    try:
        known = names()
    except PrivoptError:  # the networks are not installed
        return {"networks": [], "examples": [], "missing": how_to_install("power")}
    return {
        "networks": [_network(name) for name in known],
        "examples": [
            {"name": name, "title": title, "form": example(name)}
            for name, title in _EXAMPLES.items()
            if name in known
        ],
        "missing": None,
    }


def example(name: str) -> dict[str, str]:
    """The form of the job that `privopt init` writes for a network, which measures the total."""
    text, _ = network_job(name, None, None)
    tree = checked(tomllib.loads(text), Path(), "the example")
    tree["design"]["measure"] = "total"
    return flags_of(tree, Path(), SECTIONS)


def _network(name: str) -> dict[str, Any]:
    path = find(name)
    if path.stat().st_size > _LARGEST:
        return {"name": name, **dict.fromkeys(_TABLES)}
    text = path.read_text(encoding="utf-8", errors="replace")
    return {"name": name, **{kind: _rows(text, table) for kind, table in _TABLES.items()}}


def _rows(text: str, table: str) -> int | None:
    """How many rows a table of a case file has."""
    found = re.search(rf"mpc\.{table}\s*=\s*\[(.*?)\]", text, re.DOTALL)
    if found is None:
        return None
    lines = (line.partition("%")[0].strip() for line in found[1].splitlines())
    return sum(1 for line in lines if line)
