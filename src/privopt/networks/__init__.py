"""Power networks: MATPOWER case files and the PGLib collection, as convex programs.

>>> import privopt as po
>>> network = po.networks.load("5_pjm")
>>> program = network.program()
>>> program.names[:3]
('p[1,1]', 'p[1,2]', 'p[3]')
"""

from __future__ import annotations

import os

from privopt.networks.dc import Convention
from privopt.networks.locate import canonical, fingerprint, locate
from privopt.networks.matpower import read
from privopt.networks.network import Branches, Buses, Generators, Network, PiecewiseLinear
from privopt.networks.pglib import names

__all__ = [
    "Branches",
    "Buses",
    "Convention",
    "Generators",
    "Network",
    "PiecewiseLinear",
    "canonical",
    "fingerprint",
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
    return read(locate(name_or_path))
