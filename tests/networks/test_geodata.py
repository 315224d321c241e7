"""Coordinates of a pandapower net, new and old, and of the buses that its conversion adds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import privopt as po
from privopt.networks.geodata import geodata


class Net(dict[str, Any]):
    """As much of a net as is read."""

    @property
    def bus(self) -> Any:
        return self["bus"]


def points(pairs: dict[int, tuple[float, float]]) -> pd.Series:
    texts = {k: f'{{"type": "Point", "coordinates": [{x}, {y}]}}' for k, (x, y) in pairs.items()}
    return pd.Series(texts)


def test_geojson_points_and_the_table_of_old_nets() -> None:
    network = po.networks.load("5_pjm")
    pairs = {k: (float(k), float(k * k)) for k in range(1, 6)}
    new = Net(bus=pd.DataFrame({"geo": points(pairs)}))
    np.testing.assert_allclose(np.array(geodata(new, network)), list(pairs.values()))
    frame = pd.DataFrame.from_dict(pairs, orient="index", columns=["x", "y"])
    old = Net(bus=pd.DataFrame(index=range(1, 6)), bus_geodata=frame)
    np.testing.assert_allclose(np.array(geodata(old, network)), list(pairs.values()))


def test_added_buses_lie_between_their_neighbours_and_half_a_map_is_none() -> None:
    network = po.networks.load("5_pjm")  # bus 5 has lines to 1 and 4
    pairs = {1: (0.0, 0.0), 2: (1.0, 0.0), 3: (1.0, 1.0), 4: (0.0, 1.0)}
    added = Net(bus=pd.DataFrame({"geo": points(pairs)}))
    found = geodata(added, network)
    assert found is not None
    np.testing.assert_allclose(found[4], [0.0, 0.5])
    half = Net(bus=pd.DataFrame({"geo": [*points(pairs), None]}, index=range(1, 6)))
    assert geodata(half, network) is None
    assert geodata(Net(bus=pd.DataFrame(index=range(1, 6))), network) is None
