"""A network as it is drawn: nodes with their places, and lines by their names.

Taken from a network, or from a program that a network made: its private entries are named
`demand[bus]`, its lines `flow[f,t]`; where a line has no limit, the balance of a bus names its
neighbours by their angles `theta[bus]`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense
from privopt.networks.placing import layout

if TYPE_CHECKING:
    from privopt.model.program import ConvexProgram
    from privopt.networks.network import Network

__all__ = ["Chart", "bus_of", "chart_of_network", "chart_of_program", "ends_of"]

_ONE = re.compile(r"(\w+)\[([^\[\],]+)(?:,\d+)?\](?:@.*)?$")
_LINE = re.compile(
    r"(?:flow|rate|reactive_flow|current)\[([^\[\],]+),([^\[\],]+)(?:,\d+)?\](?:@.*)?$"
)


@dataclass(frozen=True, eq=False)
class Chart:
    """Nodes by name, lines by the positions of their ends; places if they are known."""

    buses: tuple[str, ...]
    source: NDArray[np.intp]
    target: NDArray[np.intp]
    known: Dense | None = None

    @cached_property
    def places(self) -> Dense:
        """Where each node is drawn, in the unit square, y upwards."""
        return (
            layout(len(self.buses), self.source, self.target) if self.known is None else self.known
        )

    @cached_property
    def position(self) -> dict[str, int]:
        """The position of each node."""
        return {name: k for k, name in enumerate(self.buses)}


def bus_of(name: str) -> tuple[str, str] | None:
    """What a name is of, and at which bus: ("p", "3") of `p[3]`, `p[3,1]` and `p[3]@07`."""
    found = _ONE.match(name)
    return None if found is None else (found[1], found[2])


def ends_of(name: str) -> tuple[str, str] | None:
    """The buses that a line joins, of the names of its flow and limits."""
    found = _LINE.match(name)
    return None if found is None else (found[1], found[2])


def chart_of_network(network: Network) -> Chart:
    """The chart of a network, at its places."""
    lines = network.branches
    names = tuple(str(number) for number in network.buses.number.tolist())
    return Chart(names, lines.source, lines.target, network.places)


def chart_of_program(program: ConvexProgram) -> Chart | None:
    """The chart of a program; None where it is that of no network."""
    entries = [bus_of(name) for name in program.data_names]
    buses = tuple(dict.fromkeys(one[1] for one in entries if one and one[0] == "demand"))
    position = {name: k for k, name in enumerate(buses)}
    names = (*program.names, *program.rows.names, *program.cones.names)
    pairs = dict.fromkeys(
        (min(ends), max(ends))
        for one in map(ends_of, names)
        if one is not None and all(end in position for end in one)
        for ends in [(position[one[0]], position[one[1]])]
        if ends[0] != ends[1]
    )
    pairs |= dict.fromkeys(_balanced(program, entries, position))
    if len(buses) < 2 or not pairs:
        return None
    joined = np.array(sorted(pairs), dtype=np.intp)
    return Chart(buses, joined[:, 0], joined[:, 1])


def _balanced(
    program: ConvexProgram, entries: list[tuple[str, str] | None], position: dict[str, int]
) -> list[tuple[int, int]]:
    """Pairs of buses: the balance of one has the angle of the other."""
    angles = {
        j: position[one[1]]
        for j, one in enumerate(map(bus_of, program.names))
        if one is not None and one[0] == "theta" and one[1] in position
    }
    matrix: Any = program.equalities.matrix.tocoo()
    found: list[tuple[int, int]] = []
    rows: list[int] = matrix.row.tolist()
    columns: list[int] = matrix.col.tolist()
    for i, j in zip(rows, columns, strict=True):
        one = entries[i] if i < len(entries) else None
        if one is not None and one[0] == "demand" and j in angles:
            ends = position[one[1]], angles[j]
            if ends[0] != ends[1]:
                found.append((min(ends), max(ends)))
    return found
