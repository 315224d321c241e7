"""Where the buses of a network are drawn, in the unit square, x to the right and y upwards.

Coordinates that the case has (a pandapower net) or that a file gives (`with_places`) are taken as
they are, apart from their size. Otherwise one layout is computed from the lines alone
(`stress`, then `crossings.untangled`): the same network always looks the same.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense
from privopt.errors import InputError
from privopt.foreign import shown, some
from privopt.networks.crossings import untangled
from privopt.networks.stress import least_stress, simple_lines

if TYPE_CHECKING:
    from privopt.networks.network import Network

__all__ = ["coordinates", "fitted", "layout", "places", "read_places"]

_UNTANGLED = 130  # nodes, up to which they are also moved one at a time
_TURNS = 36  # directions that are tried as the horizontal one
_GRID = 1e4  # positions are rounded to this part of the picture
_LARGEST = 10_000_000  # bytes of a file of places


def places(network: Network) -> Dense:
    """Positions of the buses, in file order; `Network.places` keeps them."""
    if network.coordinates is not None:
        return fitted(network.coordinates)
    lines = network.branches
    return layout(len(network.buses), lines.source, lines.target)


def layout(count: int, source: NDArray[np.intp], target: NDArray[np.intp]) -> Dense:
    """Positions of nodes joined by lines, wider than high, the same every time.

    Up to a few thousand nodes within seconds. Parts that are not connected lie apart.
    """
    if count < 2:
        return np.full((count, 2), 0.5)
    source, target = simple_lines(source, target)
    x = _turned(least_stress(count, source, target))
    if count <= _UNTANGLED:
        x = _turned(untangled(np.round(fitted(x) * _GRID) / _GRID, source, target))
    return np.round(fitted(x) * _GRID) / _GRID


def fitted(x: Dense) -> Dense:
    """In the middle of the unit square, in its own proportions."""
    x = x - x.min(axis=0)
    width = float(x.max(initial=0.0))
    if not width:
        return np.full(x.shape, 0.5)
    return x / width + (1.0 - (x / width).max(axis=0)) / 2.0


def _turned(x: Dense) -> Dense:
    """Turned until it is lowest."""
    x = x - x.mean(axis=0)
    angle = np.pi * np.arange(_TURNS) / _TURNS
    turned = [x @ np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) for a in angle]
    high = np.array([np.ptp(one[:, 1]) for one in turned])
    return turned[int(np.flatnonzero(high <= high.min() + 1e-6 * np.ptp(x))[0])]


def coordinates(network: Network, given: Any) -> Dense:  # noqa: ANN401 -- the edge
    """Coordinates of all buses from a dict by bus number, a CSV file, or an array in file order."""
    if isinstance(given, (str, os.PathLike)):
        given = read_places(Path(given))  # pyright: ignore[reportUnknownArgumentType]
    numbers: list[int] = network.buses.number.tolist()
    if isinstance(given, Mapping):
        table = {str(bus).strip(): pair for bus, pair in given.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        missing = [str(number) for number in numbers if str(number) not in table]
        if missing:
            raise InputError(
                f"no place was given for {len(missing)} of {len(numbers)} buses: {some(missing)}.",
                "x and y of every bus.",
                "add the missing rows, or leave the places out: a layout is then computed.",
            )
        given = [table[str(number)] for number in numbers]
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (len(numbers), 2) or not np.isfinite(found).all():
        raise InputError(
            f"places of shape {found.shape} were given, or some that are not finite.",
            f"two finite numbers for each of {len(numbers)} buses.",
            "pass {bus: (x, y)}, a CSV file with the columns bus, x, y, or an array.",
        )
    return found


def read_places(path: Path) -> dict[str, tuple[float, float]]:
    """Places from a CSV file with the columns bus, x and y, in any order."""
    try:
        if path.stat().st_size > _LARGEST:
            raise _unread(path, f"it has more than {_LARGEST:,} bytes")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _unread(path, getattr(error, "strerror", None) or "it is no text") from None
    return _pairs(path, csv.reader(text.splitlines()))


def _pairs(path: Path, rows: Iterable[list[str]]) -> dict[str, tuple[float, float]]:
    rows = iter(rows)
    head = [cell.strip().lower() for cell in next(rows, list[str]())]
    if not {"bus", "x", "y"} <= set(head):
        raise _unread(path, f"its first row is {shown(','.join(head))!r}")
    bus, x, y = (head.index(name) for name in ("bus", "x", "y"))
    found: dict[str, tuple[float, float]] = {}
    for number, row in enumerate(rows, 2):
        if not any(map(str.strip, row)):
            continue
        try:
            name, pair = row[bus].strip(), (float(row[x]), float(row[y]))
        except (IndexError, ValueError):
            raise _unread(path, f"row {number} has no bus and two numbers") from None
        if name in found or not all(map(math.isfinite, pair)):
            why = f"bus {shown(name)} is there twice" if name in found else "a place is not finite"
            raise _unread(path, f"{why} (row {number})")
        found[name] = pair
    return found


def _unread(path: Path, why: str) -> InputError:
    return InputError(
        f"{path.name} cannot be read as places of buses: {why}.",
        "a CSV file with the columns bus, x and y.",
        "write one row for each bus, for example: 1,10.5,47.2",
    )
