"""Coordinates of a pandapower net: GeoJSON points `net.bus.geo`, or `net.bus_geodata` of old nets.

Buses that pandapower's conversion adds (star points of transformers, ends of open lines) lie in the
middle of their neighbours. A net of which only some buses have coordinates has none: half a map
would say where the others are not.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from privopt.arrays import Dense
from privopt.networks.network import Network

__all__ = ["geodata"]


def geodata(net: Any, network: Network) -> Dense | None:  # noqa: ANN401 -- a pandapower net
    """Coordinates of the network's buses, in file order; None where the net has none."""
    known = _of_geojson(net) or _of_table(net)
    own = {int(index) for index in net.bus.index}
    numbers: list[int] = network.buses.number.tolist()
    if any(number in own and number not in known for number in numbers):
        return None
    found = np.array([known.get(number, (math.nan, math.nan)) for number in numbers])
    ends = np.column_stack([network.branches.source, network.branches.target])
    for _ in range(len(numbers)):
        missing = np.flatnonzero(np.isnan(found[:, 0]))
        if not len(missing):
            return found
        for node in missing:
            beside = ends[(ends == node).any(axis=1)].ravel()
            placed = beside[~np.isnan(found[beside, 0])]
            if len(placed):
                found[node] = found[placed].mean(axis=0)
    return None


def _of_geojson(net: Any) -> dict[int, tuple[float, float]]:  # noqa: ANN401
    """From the column `geo` of the buses."""
    if "geo" not in net.bus:
        return {}
    found: dict[int, tuple[float, float]] = {}
    for index, text in net.bus.geo.items():
        try:
            x, y = json.loads(text)["coordinates"][:2]
            pair = float(x), float(y)
        except (TypeError, ValueError, KeyError, RecursionError):
            continue
        if all(map(math.isfinite, pair)):
            found[int(index)] = pair
    return found


def _of_table(net: Any) -> dict[int, tuple[float, float]]:  # noqa: ANN401
    """From the table `bus_geodata`, which pandapower had before version 3."""
    table = net.get("bus_geodata")
    if table is None:
        return {}
    pairs = zip(table.index, table.x, table.y, strict=True)
    return {int(k): (float(x), float(y)) for k, x, y in pairs if math.isfinite(x + y)}
