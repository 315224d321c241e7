"""Tables of numbers, in MATPOWER's columns, and the network they describe.

What is out of service goes: branches and generators with status 0, and isolated buses (type 4) with
all that is attached to them. A rate of 0 means no limit, a tap of 0 means none. Bus numbers may be
any whole numbers. Whoever brings the tables also says how a refusal of them reads.

A row of the table `gencost` is model, startup, shutdown, N, then either N polynomial coefficients
from the highest power down (model 2), or N points x, y of a piecewise-linear cost (model 1), with
power in MW. Start-up costs play no part in a dispatch. Only convex costs are taken, up to degree
two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.errors import InputError
from privopt.networks.network import Branches, Buses, Generators, Network, PiecewiseCost

__all__ = ["BEYOND", "Columns", "Refusal", "Tables", "build", "columns", "read_costs", "usable"]

_PIECEWISE, _POLYNOMIAL = 1, 2
_FIRST = 4  # column where the numbers of the cost start


class Costs(NamedTuple):
    """Polynomial coefficients of each generator, and the piecewise-linear ones apart."""

    linear: Vector
    quadratic: Vector
    constant: Vector
    piecewise: tuple[PiecewiseCost, ...]


def read_costs(table: Dense, base_mva: float, units: Sequence[str] | None = None) -> Costs:
    """Costs of the generators, one row of the table each; `units` is what messages call them."""
    names = units or [f"generator {k + 1} of those in service" for k in range(len(table))]
    linear, quadratic, constant = np.zeros((3, len(table)))
    pieces: list[PiecewiseCost] = []
    for k, row in enumerate(table):
        if not np.isin(row[0], (_PIECEWISE, _POLYNOMIAL)) or not np.isin(row[3], range(100)):
            raise _refused(names[k], f"cost model {row[0]:g} with {row[3]:g} numbers")
        model, count = int(row[0]), int(row[3])
        numbers = row[_FIRST:]
        if not np.isfinite(numbers).all():
            raise _refused(names[k], "a cost that is not finite")
        if model == _POLYNOMIAL and 0 <= count <= len(numbers):
            coefficients = np.concatenate([[0.0, 0.0, 0.0], numbers[:count]])[::-1]
            if np.any(coefficients[3:] != 0) or coefficients[2] < 0:
                raise _refused(names[k], "a polynomial of degree three or more, or a concave one")
            constant[k] = coefficients[0]
            linear[k] = coefficients[1] * base_mva
            quadratic[k] = coefficients[2] * base_mva**2
        elif model == _PIECEWISE and 2 <= count <= len(numbers) // 2:
            x, y = numbers[0 : 2 * count : 2] / base_mva, numbers[1 : 2 * count : 2]
            slope = _slopes(names[k], x, y)
            if np.ptp(slope) <= 1e-9 * np.abs(slope).max(initial=0.0):
                linear[k], constant[k] = slope[0], y[0] - slope[0] * x[0]
            else:
                pieces.append(PiecewiseCost(k, slope, y[:-1] - slope * x[:-1]))
        else:
            raise _refused(
                names[k], f"cost model {model} with {count} numbers, of which some are missing"
            )
    return Costs(linear, quadratic, constant, tuple(pieces))


def _slopes(unit: str, x: Vector, y: Vector) -> Vector:
    """Slopes between the points, refused where they fall."""
    if np.any(np.diff(x) <= 0):
        raise _refused(unit, "a piecewise-linear cost whose points do not go from left to right")
    slope = np.diff(y) / np.diff(x)
    if np.any(np.diff(slope) < -1e-9 * np.abs(slope).max(initial=0.0)):
        raise _refused(unit, "a piecewise-linear cost that is not convex")
    return slope


def _refused(unit: str, what: str) -> InputError:
    return InputError(
        f"{unit} has {what}.",
        "a convex cost: a polynomial of degree at most two, or rising slopes.",
        "change its cost, for example to the quadratic that fits it best (mpc.gencost in a file).",
    )


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
_FOR_FEEDERS = {  # checked by what uses them: a DC flow has no need of them
    "bus": {"QD": 3, "BS": 5, "VMAX": 11, "VMIN": 12},
    "gen": {"QMAX": 3, "QMIN": 4},
    "branch": {"BR_B": 4},
    "dcline": {},
}
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


def columns(name: str, values: Dense, refuse: Refusal, *, feeder: bool = True) -> Columns:
    """The used columns of a table (`bus`, `gen`, `branch` or `dcline`), checked.

    Those that only feeders use are taken as they are, or left out.
    """
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
    for column, place in _FOR_FEEDERS[name].items() if feeder else ():
        if place < values.shape[1]:
            found[column] = values[:, place]
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
            _given(bus, "QD")[kept] / base,
            _given(bus, "BS")[kept] / base,
            _given(bus, "VMIN")[kept],
            _given(bus, "VMAX")[kept],
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
            _given(line, "BR_B"),
        ),
        generators=Generators(
            place.of(gen["GEN_BUS"][on]),
            gen["PMIN"][on] / base,
            gen["PMAX"][on] / base,
            *cost,
            _given(gen, "QMIN")[on] / base,
            _given(gen, "QMAX")[on] / base,
        ),
    )


def _given(table: Columns, name: str) -> Vector:
    """A column that only feeders use; NaN where it is not there."""
    return table.get(name, np.full(len(next(iter(table.values()))), np.nan))


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
