"""A power network: buses, branches and generators, per unit, as arrays in file order.

Powers are in units of `base_mva` MW, angles in radians, costs in money per hour. Only what is in
service is kept. `demand` is what a curator would call private; everything else is public.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from privopt.arrays import Vector

if TYPE_CHECKING:
    from privopt.model.program import ConvexProgram
    from privopt.networks.dc import Convention
    from privopt.networks.horizon_program import HorizonProgram
    from privopt.networks.storage import Storage

__all__ = ["Branches", "Buses", "Generators", "Network", "PiecewiseLinear", "incidence"]

Places = NDArray[np.intp]


def incidence(source: Places, target: Places, nodes: int) -> Any:  # noqa: ANN401 -- scipy sparse
    """Lines by nodes, +1 where a line starts and -1 where it ends."""
    count = len(source)
    rows = np.repeat(np.arange(count), 2)
    entries = (np.tile([1.0, -1.0], count), (rows, np.column_stack([source, target]).ravel()))
    return sp.csr_array(entries, shape=(count, nodes))


@dataclass(frozen=True, eq=False)
class Buses:
    """Nodes: their numbers in the file, demand, shunt conductance, whether the angle is fixed."""

    number: NDArray[np.int64]
    demand: Vector
    shunt: Vector
    reference: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.number)


@dataclass(frozen=True, eq=False)
class Branches:
    """Lines and transformers from `source` to `target` (positions among the buses).

    `rate` is infinite where the file gives no limit; `tap` is 1 for a line; angle limits are the
    file's, in radians.
    """

    source: Places
    target: Places
    r: Vector
    x: Vector
    rate: Vector
    tap: Vector
    shift: Vector
    angle_low: Vector
    angle_high: Vector

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, eq=False)
class PiecewiseLinear:
    """The convex cost max_k (slope_k p + intercept_k) of one generator."""

    generator: int
    slope: Vector
    intercept: Vector


@dataclass(frozen=True, eq=False)
class Generators:
    """Units at `bus` (positions), their limits and cost linear p + quadratic p^2 + constant.

    A unit in `piecewise` has zero here and its cost there.
    """

    bus: Places
    low: Vector
    high: Vector
    linear: Vector
    quadratic: Vector
    constant: Vector
    piecewise: tuple[PiecewiseLinear, ...]

    def __len__(self) -> int:
        return len(self.bus)


@dataclass(frozen=True, eq=False, repr=False)
class Network:
    """A power network as read from a case file.

    Powers are per unit: MW divided by `base_mva`. So are the demands, and with them the `alpha` of
    a privacy request: 10 MW are `10 / network.base_mva`.

    Examples
    --------
    >>> import privopt as po
    >>> network = po.networks.load("14_ieee")
    >>> network
    Network('14_ieee': 14 buses, 20 branches, 5 generators)
    >>> program = network.program()
    >>> round(program.solve().cost, 1)
    2051.5
    """

    name: str
    base_mva: float
    buses: Buses
    branches: Branches
    generators: Generators

    def __repr__(self) -> str:
        return (
            f"Network({self.name!r}: {len(self.buses)} buses, {len(self.branches)} branches, "
            f"{len(self.generators)} generators)"
        )

    @property
    def fixed_cost(self) -> float:
        """The part of the cost that no decision changes: the constant of `program()`."""
        return float(self.generators.constant.sum())

    @cached_property
    def islands(self) -> Places:
        """For each bus, the number of the connected part of the network it lies in."""
        n, lines = len(self.buses), self.branches
        links = sp.coo_array((np.ones(len(lines)), (lines.source, lines.target)), shape=(n, n))
        return np.asarray(connected_components(links.tocsr(), directed=False)[1], dtype=np.intp)

    @overload
    def program(  # pyright: ignore[reportOverlappingOverload] -- without periods it is one period
        self, convention: Convention | str = "powermodels"
    ) -> ConvexProgram: ...

    @overload
    def program(
        self,
        convention: Convention | str = "powermodels",
        *,
        periods: Any = None,  # noqa: ANN401 -- the edge
        profile: Any = None,  # noqa: ANN401 -- the edge
        loads: Any = None,  # noqa: ANN401 -- the edge
        ramps: Any = None,  # noqa: ANN401 -- the edge
        storage: Iterable[Storage] | None = None,
    ) -> HorizonProgram: ...

    def program(
        self,
        convention: Convention | str = "powermodels",
        *,
        periods: Any = None,
        profile: Any = None,
        loads: Any = None,
        ramps: Any = None,
        storage: Iterable[Storage] | None = None,
    ) -> ConvexProgram:
        """DC optimal power flow with the case's own demands as the private data.

        Variables are `p[bus]` (or `p[bus,unit]` where a bus has several units) and `theta[bus]`,
        then `flow[f,t]` of lines without impedance and `cost[bus]` of piecewise-linear costs; rows
        are `flow[f,t]`, the limit of a line from f to t; private entries are `demand[bus]`. Powers
        are per unit of `base_mva`.

        Parameters
        ----------
        convention
            "powermodels" (susceptance -Im(1/(r+jx)), no taps or shifts, angle limits) or
            "matpower" (susceptance 1/(x tap), phase shifts); see `privopt.networks.dc`.
        periods
            For a program over a horizon: how many periods, or a name for each (00, 01, ... unless
            given). Names then end in the period, as in `p[3]@07` and `demand[3]@07`. With any of
            the arguments below and without this one: as many as their frame has rows, or 24.
        profile
            Factors of the case's loads: one for each period, or a frame of periods by buses.
        loads
            A frame of loads in their place, per unit: a row for each period, a column for each bus.
        ramps
            How far a generator may move from one period to the next, as a share of its pmax: one
            number for all, or a dict from generators (`"3"`, or `"1,2"` for the second unit at bus
            1); those that are not named have no such limit.
        storage
            Storage units, `privopt.networks.Storage`: variables `charge[bus]@07`,
            `discharge[bus]@07` and `stored[bus]@07`.
        """
        if periods is None and profile is None and loads is None and ramps is None and not storage:
            from privopt.networks.dc import optimal_power_flow

            return optimal_power_flow(self, convention)
        from privopt.networks.horizon import horizon

        return horizon(self, convention, periods, profile, loads, ramps, storage)
