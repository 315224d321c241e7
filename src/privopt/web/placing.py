"""Where the nodes of a network are drawn: the places that its pages use, in the unit square."""

from __future__ import annotations

from privopt.arrays import Dense
from privopt.experiments.drawing import layout
from privopt.experiments.instance import Grid
from privopt.networks import Network

__all__ = ["places"]


def places(network: Network) -> Dense:
    """Positions, one a row."""
    lines = network.branches
    grid = Grid.__new__(Grid)
    for name, value in (
        ("number", network.buses.number), ("source", lines.source), ("target", lines.target),
    ):  # fmt: skip
        object.__setattr__(grid, name, value)
    return layout(grid)
