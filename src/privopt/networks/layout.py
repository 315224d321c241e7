"""Where the variables of a feeder stand: p, q, P, Q, v, then l, then costs with pieces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privopt.networks.convention import Convention
from privopt.networks.network import Network

__all__ = ["Layout"]


@dataclass(frozen=True, eq=False)
class Layout:
    """Where each kind of variable starts; p is first. `lossy` are the lines that have a current."""

    units: int
    lines: int
    buses: int
    lossy: NDArray[np.intp]
    pieces: int

    @classmethod
    def of(cls, network: Network, convention: Convention) -> Layout:
        """The variables of a feeder."""
        lines = network.branches
        losses = convention is Convention.SOCP
        lossy = np.flatnonzero(((lines.r != 0) | (lines.x != 0)) & losses).astype(np.intp)
        units = network.generators
        return cls(len(units), len(lines), len(network.buses), lossy, len(units.piecewise))

    @property
    def P(self) -> int:
        """The first active flow, after p and q of the units."""
        return 2 * self.units

    @property
    def Q(self) -> int:
        """The first reactive flow."""
        return self.P + self.lines

    @property
    def v(self) -> int:
        """The first squared voltage."""
        return self.Q + self.lines

    @property
    def current(self) -> int:
        """The first squared current."""
        return self.v + self.buses

    @property
    def cost(self) -> int:
        """The first cost of a unit with pieces."""
        return self.current + len(self.lossy)

    @property
    def width(self) -> int:
        """How many variables there are."""
        return self.cost + self.pieces
