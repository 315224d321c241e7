"""A power network: buses, branches and generators, per unit, as arrays in file order.

Powers are in units of `base_mva` MW, angles in radians, costs in money per hour. Only what is in
service is kept. `demand` is what a curator would call private; everything else is public.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from privopt.arrays import Dense, Vector

if TYPE_CHECKING:
    from privopt.model.program import ConvexProgram
    from privopt.networks.convention import Convention, Reactive
    from privopt.networks.horizon_program import HorizonProgram
    from privopt.networks.storage import Storage
    from privopt.show.pictures.picture import Picture

__all__ = ["Branches", "Buses", "Generators", "Network", "PiecewiseCost", "incidence"]

Places = NDArray[np.intp]


def incidence(source: Places, target: Places, nodes: int) -> Any:  # noqa: ANN401 -- scipy sparse
    """Lines by nodes, +1 where a line starts and -1 where it ends."""
    count = len(source)
    rows = np.repeat(np.arange(count), 2)
    entries = (np.tile([1.0, -1.0], count), (rows, np.column_stack([source, target]).ravel()))
    return sp.csr_array(entries, shape=(count, nodes))


def _not_given() -> Vector:
    return np.zeros(0)


def _fill(table: Buses | Branches | Generators, *names: str) -> None:
    """NaN for what was not given."""
    for name in names:
        if not len(getattr(table, name)):
            object.__setattr__(table, name, np.full(len(table), np.nan))


@dataclass(frozen=True, eq=False)
class Buses:
    """Nodes: their numbers in the file, demand, shunt conductance, whether the angle is fixed.

    Only a feeder (`lindistflow`, `socp`) has a use for the reactive demand, the shunt susceptance
    and the limits of the voltage; NaN where they are not given.
    """

    number: NDArray[np.int64]
    demand: Vector
    shunt: Vector
    reference: NDArray[np.bool_]
    reactive: Vector = field(default_factory=_not_given)
    susceptance: Vector = field(default_factory=_not_given)
    voltage_low: Vector = field(default_factory=_not_given)
    voltage_high: Vector = field(default_factory=_not_given)

    def __post_init__(self) -> None:
        _fill(self, "reactive", "susceptance", "voltage_low", "voltage_high")

    def __len__(self) -> int:
        return len(self.number)


@dataclass(frozen=True, eq=False)
class Branches:
    """Lines and transformers from `source` to `target` (positions among the buses).

    `rate` is infinite where the file gives no limit; `tap` is 1 for a line; angle limits are the
    file's, in radians. `charging` is the susceptance of the whole line, for feeders.
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
    charging: Vector = field(default_factory=_not_given)

    def __post_init__(self) -> None:
        _fill(self, "charging")

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, eq=False)
class PiecewiseCost:
    """The convex cost max_k (slope_k p + intercept_k) of one generator."""

    generator: int
    slope: Vector
    intercept: Vector


@dataclass(frozen=True, eq=False)
class Generators:
    """Units at `bus` (positions), their limits and cost linear p + quadratic p^2 + constant.

    A unit in `piecewise` has zero here and its cost there. `reactive_low` and `reactive_high` are
    for feeders.
    """

    bus: Places
    low: Vector
    high: Vector
    linear: Vector
    quadratic: Vector
    constant: Vector
    piecewise: tuple[PiecewiseCost, ...]
    reactive_low: Vector = field(default_factory=_not_given)
    reactive_high: Vector = field(default_factory=_not_given)

    def __post_init__(self) -> None:
        _fill(self, "reactive_low", "reactive_high")

    def __len__(self) -> int:
        return len(self.bus)


@dataclass(frozen=True, eq=False, repr=False)
class Network:
    """A power network as read from a case file.

    Powers are per unit: MW divided by `base_mva`. So are the demands, and with them the `alpha` of
    a privacy request: 10 MW are `10 / network.base_mva`. Programs in MW: `program(unit="MW")`.

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
    times: float = 1.0  # how large 1 p.u. of the case's own base is here: see `rebased`
    coordinates: Dense | None = None  # of the buses, x and y, where they are known

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

    @cached_property
    def places(self) -> Dense:
        """Where each bus is drawn, in the unit square, y upwards: its coordinates, or a layout.

        The layout is computed from the lines alone and is always the same: see `placing`.
        """
        from privopt.networks.placing import places

        return places(self)

    def with_places(self, places: Any) -> Network:  # noqa: ANN401 -- the edge
        """The same network, drawn at these places.

        Parameters
        ----------
        places
            A CSV file with the columns bus, x and y, a dict from bus numbers to (x, y), or an array
            with a row for each bus, in file order. x goes to the right and y upwards, in any unit.

        Examples
        --------
        >>> import privopt as po
        >>> network = po.networks.load("5_pjm")
        >>> corners = {1: (0, 0), 2: (4, 0), 3: (4, 4), 4: (0, 4), 5: (2, 2)}
        >>> network.with_places(corners).places[4].tolist()
        [0.5, 0.5]
        """
        from privopt.networks.placing import coordinates

        return replace(self, coordinates=coordinates(self, places))

    def plot(self, shown: Any = None) -> Picture:  # noqa: ANN401 -- any result
        """The network as a map: an SVG picture that a notebook shows and `.save` writes.

        Parameters
        ----------
        shown
            A release, instrument, measurement, decision or optimum, in the names of
            `program()`: its values stand at their buses, with supplies and the loading of lines
            where it has a whole solution. Without one, the case's demands and generators.

        Examples
        --------
        >>> import privopt as po
        >>> po.networks.load("5_pjm").plot().title
        'Network 5_pjm'
        """
        from privopt.networks.plotting import plot

        return plot(self, shown)

    def with_generators(self, units: Mapping[Any, Any]) -> Network:
        """The same network with controllable units added, in MW and money per MWh.

        Parameters
        ----------
        units
            For each bus number, the unit there: `(p_max, cost)`, an `AddedUnit` with reactive power
            or other limits, or a list of these. Their powers are variables `p[bus]` (and `q[bus]`
            in a feeder).

        Examples
        --------
        >>> import privopt as po
        >>> po.networks.load("5_pjm").with_generators({2: (50.0, 12.0)}).program().names[5]
        'p[2]'
        """
        from privopt.networks.additions import with_generators

        return with_generators(self, units)

    def with_voltage_limits(self, low: Any, high: Any) -> Network:  # noqa: ANN401
        """The same network with other limits of the voltage, per unit: numbers, or one a bus.

        Reference buses keep theirs: the grid above holds the voltage there.
        """
        from privopt.networks.additions import with_voltage_limits

        return with_voltage_limits(self, low, high)

    @overload
    def program(  # pyright: ignore[reportOverlappingOverload] -- without periods it is one period
        self,
        convention: Convention | str = "powermodels",
        *,
        reactive: Reactive | str | None = None,
        unit: str | None = None,
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
        unit: str | None = None,
    ) -> HorizonProgram: ...

    def program(
        self,
        convention: Convention | str = "powermodels",
        *,
        reactive: Reactive | str | None = None,
        periods: Any = None,
        profile: Any = None,
        loads: Any = None,
        ramps: Any = None,
        storage: Iterable[Storage] | None = None,
        unit: str | None = None,
    ) -> ConvexProgram:
        """Optimal power flow with the case's own demands as the private data.

        In DC, variables are `p[bus]` (or `p[bus,unit]` where a bus has several units) and
        `theta[bus]`, then `flow[f,t]` of lines without impedance and `cost[bus]` of
        piecewise-linear costs; rows are `flow[f,t]`, the limit of a line from f to t. In a feeder,
        they are `p[bus]`, `q[bus]`, `flow[f,t]`, `reactive_flow[f,t]`, the squared voltages
        `v[bus]` and, with losses, the squared currents `current[f,t]`; cones are `rate[f,t]`.
        Private entries are `demand[bus]`. Powers are per unit of `base_mva`, or in `unit`.

        Parameters
        ----------
        convention
            DC: "powermodels" (susceptance -Im(1/(r+jx)), no taps or shifts, angle limits) or
            "matpower" (susceptance 1/(x tap), phase shifts); see `privopt.networks.dc`. Feeders
            without loops: "lindistflow" (voltages and reactive power, losses neglected) or "socp"
            (losses, by a relaxation); see `privopt.networks.branch_flow`.
        reactive
            Of feeders: reactive demands are the active ones times the case's ratio at each bus
            ("follows", unless given), private entries `reactive[bus]` ("private"), or known
            ("public").
        periods
            For a DC program over a horizon: how many periods, or a name for each (00, 01, ...
            unless given). Names then end in the period, as in `p[3]@07` and `demand[3]@07`. With
            any of the arguments below and without this one: as many as their frame has rows, or 24.
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
        unit
            "MW" (or "W", "kW", "GW"): all powers of the program are in it, those of d, of released
            values, and of what is given here (`loads`, `storage`). It goes with every result.
            "p.u." labels what is per unit. Unless given, powers are per unit and have no label.
        """
        from privopt.networks.programs import Over, program_of

        over = Over(periods, profile, loads, ramps, storage)
        return program_of(self, convention, reactive, over, unit)
