"""Tables of numbers, in MATPOWER's columns, and the network they describe.

What is out of service goes: branches and generators with status 0, and isolated buses (type 4) with
all that is attached to them. A rate of 0 means no limit, a tap of 0 means none. Bus numbers may be
any whole numbers. Whoever brings the tables also says how a refusal of them reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.errors import InputError
from privopt.networks.costs import read_costs
from privopt.networks.network import Branches, Buses, Generators, Network

__all__ = ["BEYOND", "Columns", "Refusal", "Tables", "build", "columns", "usable"]

Columns = dict[str, Vector]
Refusal = Callable[[str], InputError]  # from why the tables cannot be used to the error

# The columns that are used, and where they stand.
_USED = {
    "bus": {"BUS_I": 0, "BUS_TYPE": 1, "PD": 2, "GS": 4},
    "gen": {"GEN_BUS": 0, "GEN_STATUS": 7, "PMAX": 8, "PMIN": 9},
    "branch": {"F_BUS": 0, "T_BUS": 1, "BR_R": 2, "BR_X": 3, "RATE_A": 5, "TAP": 8, "SHIFT": 9,
               "BR_STATUS": 10, "ANGMIN": 11, "ANGMAX": 12},
    "dcline": {"F_BUS": 0, "T_BUS": 1, "BR_STATUS": 2},
}  # fmt: skip
_MAY_BE_MISSING = ("TAP", "SHIFT", "BR_STATUS", "ANGMIN", "ANGMAX")  # of a branch
_MAY_BE_INFINITE = ("PMAX", "PMIN", "RATE_A", "ANGMIN", "ANGMAX")
_WHOLE = ("BUS_I", "BUS_TYPE", "GEN_BUS", "F_BUS", "T_BUS")
_SMALLEST, _LARGEST = 1e-60, 1e60
BEYOND = "that is beyond reason: 0, and 1e-60 to 1e60, are taken"
_ISOLATED, _REFERENCE = 4, 3


@dataclass(frozen=True, eq=False)
class Tables:
    """The base power, tables by column name, and costs, a row a generator.

    `units` is what messages call the generators; by default they count those in service.
    """

    base_mva: float
    bus: Columns
    gen: Columns
    branch: Columns
    gencost: Dense
    dcline: Columns | None = None
    units: Sequence[str] | None = None


def usable(numbers: Dense) -> bool:
    """Whether squares, quotients and products stay far within what a float can hold."""
    size = np.abs(numbers)
    return bool(np.all((size == 0) | ((size >= _SMALLEST) & (size <= _LARGEST))))


def columns(name: str, values: Dense, refuse: Refusal) -> Columns:
    """The used columns of a table (`bus`, `gen`, `branch` or `dcline`), checked."""
    found: Columns = {}
    for column, place in _USED[name].items():
        if place >= values.shape[1]:
            if name == "branch" and column in _MAY_BE_MISSING:
                continue
            raise refuse(f"mpc.{name} has no column {column}")
        numbers = values[:, place]
        bad = np.isnan(numbers) if column in _MAY_BE_INFINITE else ~np.isfinite(numbers)
        if bad.any():
            raise refuse(f"mpc.{name} has a value in {column} that is not finite")
        if not usable(numbers[np.isfinite(numbers)]):
            raise refuse(f"mpc.{name} has a value in {column} {BEYOND}")
        if column in _WHOLE and np.any((numbers != np.round(numbers)) | (np.abs(numbers) > 2**53)):
            raise refuse(f"mpc.{name} has a value in {column} that is no whole number")
        found[column] = numbers
    return found


def build(name: str, tables: Tables, refuse: Refusal) -> Network:
    """The network of that name which the tables describe."""
    base, bus, gen, branch = tables.base_mva, tables.bus, tables.gen, tables.branch
    costs = tables.gencost
    if len(costs) not in (len(gen["GEN_BUS"]), 2 * len(gen["GEN_BUS"])):
        raise refuse(f"{len(costs)} costs for {len(gen['GEN_BUS'])} generators")
    if np.any(branch["RATE_A"] < 0):
        raise refuse("a branch has a negative rate")
    number = bus["BUS_I"].astype(np.int64)
    if len(np.unique(number)) < len(number):
        raise refuse("a bus number comes twice")
    kept = np.flatnonzero(bus["BUS_TYPE"] != _ISOLATED)
    if not len(kept):
        raise refuse("no bus is in service")
    place = _Places(number, kept, refuse)
    on = (gen["GEN_STATUS"] > 0) & place.in_service(gen["GEN_BUS"], "generator")
    source_on = place.in_service(branch["F_BUS"], "branch")
    target_on = place.in_service(branch["T_BUS"], "branch")
    closed = (branch.get("BR_STATUS", np.ones(len(source_on))) > 0) & source_on & target_on
    line = {name: column[closed] for name, column in branch.items()}
    none = np.zeros(int(closed.sum()))
    source, target = place.of(line["F_BUS"]), place.of(line["T_BUS"])
    if np.any(source == target):
        raise refuse(f"a branch joins bus {line['F_BUS'][source == target][0]:g} to itself")
    units = None if tables.units is None else list(compress(tables.units, on))
    cost = read_costs(costs[: len(on)][on], base, units)
    tap = line.get("TAP", none)
    return Network(
        name=name,
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
            *cost,
        ),
    )


class _Places:
    """Positions of buses in service, by their numbers in the tables."""

    def __init__(self, number: NDArray[np.int64], kept: NDArray[np.intp], refuse: Refusal) -> None:
        self._refuse = refuse
        self._place = dict.fromkeys(number.tolist(), -1)
        self._place.update({int(number[k]): j for j, k in enumerate(kept)})

    def in_service(self, numbers: Vector, what: str) -> NDArray[np.bool_]:
        """Whether each bus is in service; numbers the table of buses does not have are refused."""
        unknown = [value for value in numbers if value not in self._place]
        if unknown:
            raise self._refuse(f"a {what} is at bus {unknown[0]:g}, which is not there")
        return np.array([self._place[int(value)] >= 0 for value in numbers], dtype=bool)

    def of(self, numbers: Vector) -> NDArray[np.intp]:
        """Positions of numbers in service."""
        return np.array([self._place[int(value)] for value in numbers], dtype=np.intp)
