"""Networks from MATPOWER case files.

What is out of service goes: branches and generators with status 0, and isolated buses (type 4) with
all that is attached to them. A rate of 0 means no limit, a tap of 0 means none. Bus numbers may be
any whole numbers. Active DC lines are refused.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Vector
from privopt.errors import InputError
from privopt.networks.casefile import Tables, read_tables, unreadable
from privopt.networks.costs import read_costs
from privopt.networks.network import Branches, Buses, Generators, Network

__all__ = ["read"]

_ISOLATED, _REFERENCE = 4, 3


def read(path: Path) -> Network:
    """A network from a MATPOWER case file."""
    tables = read_tables(path)
    lines = 0 if tables.dcline is None else int((tables.dcline["BR_STATUS"] > 0).sum())
    if lines:
        raise InputError(
            f"{path.name} has {lines} DC lines in service.",
            "a network of buses, AC branches and generators.",
            "set their status to 0, and put what they carry into the demands of their ends.",
        )
    return _network(path, tables)


def _network(path: Path, tables: Tables) -> Network:
    base, bus, gen, branch = tables.base_mva, tables.bus, tables.gen, tables.branch
    costs = tables.gencost
    if len(costs) not in (len(gen["GEN_BUS"]), 2 * len(gen["GEN_BUS"])):
        raise unreadable(path, f"{len(costs)} costs for {len(gen['GEN_BUS'])} generators")
    if np.any(branch["RATE_A"] < 0):
        raise unreadable(path, "a branch has a negative rate")
    number = bus["BUS_I"].astype(np.int64)
    if len(np.unique(number)) < len(number):
        raise unreadable(path, "a bus number comes twice")
    kept = np.flatnonzero(bus["BUS_TYPE"] != _ISOLATED)
    if not len(kept):
        raise unreadable(path, "no bus is in service")
    place = _Places(path, number, kept)
    on = (gen["GEN_STATUS"] > 0) & place.in_service(gen["GEN_BUS"], "generator")
    source_on = place.in_service(branch["F_BUS"], "branch")
    target_on = place.in_service(branch["T_BUS"], "branch")
    closed = (branch.get("BR_STATUS", np.ones(len(source_on))) > 0) & source_on & target_on
    line = {name: column[closed] for name, column in branch.items()}
    none = np.zeros(int(closed.sum()))
    source, target = place.of(line["F_BUS"]), place.of(line["T_BUS"])
    if np.any(source == target):
        raise unreadable(
            path, f"a branch joins bus {line['F_BUS'][source == target][0]:g} to itself"
        )
    cost = read_costs(costs[: len(on)][on], base)
    tap = line.get("TAP", none)
    return Network(
        name=path.stem.removeprefix("pglib_opf_case"),
        base_mva=base,
        buses=Buses(
            number[kept],
            bus["PD"][kept] / base,
            bus["GS"][kept] / base,
            bus["BUS_TYPE"][kept] == _REFERENCE,
        ),
        branches=Branches(
            source,
            target,
            line["BR_R"],
            line["BR_X"],
            np.where(line["RATE_A"] == 0, np.inf, line["RATE_A"] / base),
            np.where(tap == 0, 1.0, tap),
            np.deg2rad(line.get("SHIFT", none)),
            np.deg2rad(line.get("ANGMIN", none)),
            np.deg2rad(line.get("ANGMAX", none)),
        ),
        generators=Generators(
            place.of(gen["GEN_BUS"][on]),
            gen["PMIN"][on] / base,
            gen["PMAX"][on] / base,
            cost.linear,
            cost.quadratic,
            cost.constant,
            cost.piecewise,
        ),
    )


class _Places:
    """Positions of buses in service, by their numbers in the file."""

    def __init__(self, path: Path, number: NDArray[np.int64], kept: NDArray[np.intp]) -> None:
        self._path = path
        self._place = dict.fromkeys(number.tolist(), -1)
        self._place.update({int(number[k]): j for j, k in enumerate(kept)})

    def in_service(self, numbers: Vector, what: str) -> NDArray[np.bool_]:
        """Whether each bus is in service; numbers the table of buses does not have are refused."""
        unknown = [value for value in numbers if value not in self._place]
        if unknown:
            raise unreadable(self._path, f"a {what} is at bus {unknown[0]:g}, which is not there")
        return np.array([self._place[int(value)] >= 0 for value in numbers], dtype=bool)

    def of(self, numbers: Vector) -> NDArray[np.intp]:
        """Positions of numbers in service."""
        return np.array([self._place[int(value)] for value in numbers], dtype=np.intp)
