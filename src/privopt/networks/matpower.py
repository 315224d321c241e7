"""Reading MATPOWER case files with matpowercaseframes, checked.

What is out of service goes: branches and generators with status 0, and isolated buses (type 4) with
all that is attached to them. A rate of 0 means no limit, a tap of 0 means none. Bus numbers may be
any whole numbers. A file that computes its data (mpc.branch(:, 3) = ...) is a program, not a table,
and is refused, as are active DC lines.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.errors import InputError
from privopt.networks.costs import read_costs
from privopt.networks.network import Branches, Buses, Generators, Network
from privopt.networks.pglib import require

__all__ = ["read"]

_ISOLATED, _REFERENCE = 4, 3
_TABLES = {
    "bus": ("BUS_I", "BUS_TYPE", "PD", "GS"),
    "gen": ("GEN_BUS", "GEN_STATUS", "PMAX", "PMIN"),
    "gencost": (),
    "branch": ("F_BUS", "T_BUS", "BR_R", "BR_X", "RATE_A"),
}


def read(path: Path) -> Network:
    """A network from a MATPOWER case file."""
    require("matpowercaseframes")
    _check_text(path)
    from matpowercaseframes import CaseFrames

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case: Any = CaseFrames(str(path))
            tables = {name: _table(case, name) for name in _TABLES}
            base = float(case.baseMVA)
            lines = _status(case, "dcline", "BR_STATUS")
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise _unreadable(path, str(error) or type(error).__name__) from error
    if not (np.isfinite(base) and base > 0):
        raise _unreadable(path, f"baseMVA is {base}")
    if lines.any():
        raise InputError(
            f"{path.name} has {int(lines.sum())} DC lines in service.",
            "a network of buses, AC branches and generators.",
            "set their status to 0, and put what they carry into the demands of their ends.",
        )
    return _network(path, base, tables)


def _network(path: Path, base: float, tables: dict[str, dict[str, Vector] | Dense]) -> Network:
    bus, gen, branch = _named(tables["bus"]), _named(tables["gen"]), _named(tables["branch"])
    costs = np.asarray(tables["gencost"])
    if len(costs) not in (len(gen["GEN_BUS"]), 2 * len(gen["GEN_BUS"])):
        raise _unreadable(path, f"{len(costs)} costs for {len(gen['GEN_BUS'])} generators")
    number = bus["BUS_I"].astype(np.int64)
    if len(np.unique(number)) < len(number):
        raise _unreadable(path, "a bus number comes twice")
    kept = np.flatnonzero(bus["BUS_TYPE"] != _ISOLATED)
    if not len(kept):
        raise _unreadable(path, "no bus is in service")
    place = _Places(path, number, kept)
    on = (gen["GEN_STATUS"] > 0) & place.in_service(gen["GEN_BUS"], "generator")
    source_on = place.in_service(branch["F_BUS"], "branch")
    target_on = place.in_service(branch["T_BUS"], "branch")
    closed = (branch.get("BR_STATUS", np.ones(len(source_on))) > 0) & source_on & target_on
    line = {name: column[closed] for name, column in branch.items()}
    none = np.zeros(int(closed.sum()))
    source, target = place.of(line["F_BUS"]), place.of(line["T_BUS"])
    if np.any(source == target):
        raise _unreadable(
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
            raise _unreadable(self._path, f"a {what} is at bus {unknown[0]:g}, which is not there")
        return np.array([self._place[int(value)] >= 0 for value in numbers], dtype=bool)

    def of(self, numbers: Vector) -> NDArray[np.intp]:
        """Positions of numbers in service."""
        return np.array([self._place[int(value)] for value in numbers], dtype=np.intp)


def _named(table: dict[str, Vector] | Dense) -> dict[str, Vector]:
    return table if isinstance(table, dict) else {}


def _table(case: Any, name: str) -> dict[str, Vector] | Dense:  # noqa: ANN401
    """A table as columns by name (gencost: as it stands), all numbers."""
    if not hasattr(case, name):
        message = f"there is no table mpc.{name}"
        raise ValueError(message)
    frame: Any = getattr(case, name)
    needed = _TABLES[name]
    missing = [column for column in needed if column not in frame.columns]
    if missing:
        message = f"mpc.{name} has no column {missing[0]}"
        raise ValueError(message)
    values = np.asarray(frame.to_numpy(), dtype=float)
    if name == "gencost":
        return values
    columns = {str(c): values[:, j] for j, c in enumerate(frame.columns)}
    for column in needed:
        if not np.isfinite(columns[column]).all() and column not in ("PMAX", "PMIN", "RATE_A"):
            message = f"mpc.{name} has a value in {column} that is not finite"
            raise ValueError(message)
    return columns


def _status(case: Any, name: str, column: str) -> NDArray[np.bool_]:  # noqa: ANN401
    if not hasattr(case, name):
        return np.zeros(0, dtype=bool)
    return np.asarray(getattr(case, name)[column].to_numpy(), dtype=float) > 0


def _check_text(path: Path) -> None:
    """Refuse what the table reader would misread: no case, computed data, two rows on a line."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(
            f"there is no file {str(path)!r}.",
            "the path of a MATPOWER case file (.m).",
            f"check it with: ls {path.parent}",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, str(error)) from error
    text = re.sub(r"%.*", "", text)
    if not re.search(r"^\s*function\s+mpc\s*=", text, re.MULTILINE):
        raise _unreadable(path, "it does not start with 'function mpc = ...'")
    computed = re.search(r"mpc\.\w+\s*\(", text)
    if computed:
        raise InputError(
            f"{path.name} computes its data (it uses {computed.group()}...).",
            "a case file of plain tables.",
            f"run in MATPOWER: savecase('plain.m', loadcase('{path.stem}'))",
        )
    crowded = re.search(r";[ \t]*[-+.\d]", text)
    if crowded:
        line = text[: crowded.start()].count("\n") + 1
        raise _unreadable(path, f"line {line} holds more than one row")


def _unreadable(path: Path, why: str) -> InputError:
    return InputError(
        f"{path.name} cannot be read as a MATPOWER case: {why}.",
        "a MATPOWER case file, version 2, with the tables bus, gen, branch and gencost.",
        f"write it anew in MATPOWER: savecase('plain.m', loadcase('{path.stem}'))",
    )
