"""Power networks: MATPOWER case files and the PGLib collection, as convex programs.

>>> import privopt as po
>>> network = po.networks.load("5_pjm")
>>> program = network.program()
>>> program.names[:3]
('p[1,1]', 'p[1,2]', 'p[3]')
"""

from __future__ import annotations

import os
from pathlib import Path

from privopt.networks.dc import Convention
from privopt.networks.matpower import read
from privopt.networks.network import Branches, Buses, Generators, Network, PiecewiseLinear
from privopt.networks.pglib import find, names

__all__ = [
    "Branches",
    "Buses",
    "Convention",
    "Generators",
    "Network",
    "PiecewiseLinear",
    "load",
    "names",
]


def load(name_or_path: str | os.PathLike[str]) -> Network:
    """Read a network.

    Parameters
    ----------
    name_or_path
        A PGLib name ("118_ieee", "1354_pegase__api"; `names()` lists them) or the path of a
        MATPOWER case file (.m).
    """
    text = os.fspath(name_or_path)
    path = Path(text)
    looks_like_path = isinstance(name_or_path, os.PathLike) or path.suffix == ".m" or os.sep in text
    if looks_like_path or path.is_file():
        return read(path)
    return read(find(text))
