"""DC optimal power flow over a horizon: copies of the program of one period, coupled in time.

    minimise   sum over periods t of the cost of z_t
    subject to A z_t <= b,   G z_t - charge_t + discharge_t = d_t        for every t (charge by bus)
               |p_t - p_(t-1)| <= ramp                                   `ramps`
               stored_t = stored_(t-1) + efficiency charge_t - discharge_t   `storage`

d_t are the loads of period t, private. Limits, costs and the availability of generators are public
and the same in every period. Everything in period 07 has a name that ends in `@07`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from privopt import arrays
from privopt.arrays import Dense, Vector
from privopt.errors import InputError
from privopt.labels import positions
from privopt.model.periods import at
from privopt.model.program import ConvexProgram
from privopt.networks.convention import Convention
from privopt.networks.dc import optimal_power_flow
from privopt.networks.horizon_program import HorizonProgram, aligned, columns_of
from privopt.networks.naming import counted
from privopt.networks.network import Network
from privopt.networks.storage import Storage
from privopt.scalars import real, whole

__all__ = ["horizon"]


def horizon(
    network: Network,
    convention: Convention,
    periods: Any,  # noqa: ANN401 -- the edge
    profile: Any,  # noqa: ANN401 -- the edge
    loads: Any,  # noqa: ANN401 -- the edge
    ramps: Any,  # noqa: ANN401 -- the edge
    storage: Iterable[Storage] | None,
) -> HorizonProgram:
    """The program of `Network.program(periods=...)`."""
    buses = tuple(str(number) for number in network.buses.number)
    labels = _labels(periods, profile, loads)
    metered, demand = _loads(network, labels, buses, profile, loads)
    one = optimal_power_flow(network, convention)
    other = one.d.copy()
    other[: len(buses)] -= network.buses.demand
    d = np.tile(other, (len(labels), 1))
    d[:, : len(buses)] += demand
    data = _Data(labels, buses, metered, d, other)
    return _coupled(network, one, data, ramps, _units(network, storage))


@dataclass(frozen=True, eq=False)
class _Data:
    """Periods, buses, those with a private load, d (a row a period), and what is no load in it."""

    labels: tuple[str, ...]
    buses: tuple[str, ...]
    metered: tuple[str, ...]
    d: Dense
    other: Vector


@dataclass(frozen=True, eq=False)
class _Units:
    """Storage units: what they are, the places of their buses, and their names."""

    units: tuple[Storage, ...]
    bus: Any
    names: tuple[str, ...]


def _coupled(
    network: Network,
    one: ConvexProgram,
    data: _Data,
    ramps: Any,  # noqa: ANN401 -- the edge
    storage: _Units,
) -> HorizonProgram:
    """The copies, with storage as further variables of each period, and the rows that couple."""
    labels, other = data.labels, data.other
    T, n, s = len(labels), one.n, len(storage.units)
    width = n + 3 * s  # of a period: its own, then charge, discharge, stored
    each = sp.eye_array(T)
    at_bus: Any = sp.csr_array((np.ones(s), (storage.bus, np.arange(s))), shape=(len(other), s))
    G: Any = sp.kron(each, sp.hstack([one.G, -at_bus, at_bus, sp.csr_array((len(other), s))]))
    A: list[Any] = [sp.kron(each, sp.hstack([one.A, sp.csr_array((len(one.b), 3 * s))]))]
    b = [np.tile(one.b, T)]
    rows = [at(name, label) for label in labels for name in one.row_names]

    limits = _ramps(network, one, ramps)
    coupled = np.flatnonzero(np.isfinite(limits))
    if len(coupled) and T > 1:
        pick: Any = sp.csr_array(
            (np.ones(len(coupled)), (np.arange(len(coupled)), coupled)),
            shape=(len(coupled), width),
        )
        step = sp.eye_array(T - 1, T, k=1) - sp.eye_array(T - 1, T)
        change: Any = sp.kron(step, pick)
        A += [change, -change]
        b += [np.tile(limits[coupled], 2 * (T - 1))]
        unit = [one.names[j].removeprefix("p") for j in coupled]
        rows += [at(f"{way}{u}", label) for way in ("up", "down") for label in labels[1:]
                 for u in unit]  # fmt: skip

    lower, upper = np.tile(np.full(width, -np.inf), (T, 1)), np.tile(np.full(width, np.inf), (T, 1))
    lower[:, :n], upper[:, :n] = one.lower, one.upper
    units = storage.units
    if s:
        kept = sp.diags_array([-unit.efficiency for unit in units])
        now = sp.hstack([sp.csr_array((s, n)), kept, sp.eye_array(s), sp.eye_array(s)])
        then = sp.hstack([sp.csr_array((s, n + 2 * s)), sp.eye_array(s)])
        dynamics = sp.kron(each, now) - sp.kron(sp.eye_array(T, k=-1), then)
        begin = np.zeros((T, s))
        begin[0] = [unit.begins_with for unit in units]
        A += [dynamics, -dynamics]  # a pair of rows is an equality; d holds loads and nothing else
        b += [begin.ravel(), -begin.ravel()]
        stored = [at(f"stored[{u}]", label) for label in labels for u in storage.names]
        rows += [*(f"balance of {name}" for name in stored),
                 *(f"-balance of {name}" for name in stored)]  # fmt: skip
        lower[:, n:] = 0.0
        power = [unit.power for unit in units]
        upper[:, n:] = [*power, *power, *(unit.energy for unit in units)]
        lower[-1, n + 2 * s :] = begin[0]
    kinds = [f"{kind}[{u}]" for kind in ("charge", "discharge", "stored") for u in storage.names]
    nothing = np.zeros(3 * s)
    C2 = sp.block_diag([one.quadratic, sp.csr_array((3 * s, 3 * s))])
    return HorizonProgram(
        labels, data.buses, data.metered, other,
        linear=np.tile(np.concatenate([one.linear, nothing]), T),
        quadratic=sp.kron(each, C2, format="csr"),
        constant=T * one.constant,
        A=sp.vstack(A, format="csr"),
        b=np.concatenate(b),
        G=sp.csr_array(G),
        d=data.d.ravel(),
        lower=lower.ravel(),
        upper=upper.ravel(),
        names=[at(name, label) for label in labels for name in (*one.names, *kinds)],
        auxiliary=[
            at(one.names[int(j)], label) for label in labels for j in one.auxiliary
        ],
        private=[k * len(other) + data.buses.index(bus) for k in range(T) for bus in data.metered],
        data_names=[at(name, label) for label in labels for name in one.data_names],
        row_names=rows,
    )  # fmt: skip


def _labels(periods: Any, profile: Any, loads: Any) -> tuple[str, ...]:  # noqa: ANN401 -- the edge
    """Names of the periods: given, those of a frame, or 00, 01, ..."""
    frame = next((one for one in (loads, profile) if arrays.is_frame(one)), None)
    if periods is None and frame is not None:
        periods = frame.index
    if periods is None and profile is not None:
        periods = np.size(profile)
    if periods is None:
        periods = 24
    if isinstance(periods, (int, np.integer, float, bool)):
        count = whole(periods, "periods", "say how many periods there are, such as 24.")
        return tuple(str(k).zfill(max(2, len(str(count - 1)))) for k in range(count))
    given = list(cast("Iterable[object]", periods))
    if all(isinstance(one, (int, np.integer)) for one in given):
        wide = max(2, *(len(str(one)) for one in given)) if given else 2
        return tuple(str(one).zfill(wide) for one in given)
    if isinstance(periods, str) or not given:
        raise InputError(
            f"periods is {periods!r:.40}.",
            "how many there are, or a name for each.",
            "pass periods=24.",
        )
    return tuple(str(one) for one in given)


def _loads(
    network: Network,
    labels: tuple[str, ...],
    buses: tuple[str, ...],
    profile: Any,  # noqa: ANN401 -- the edge
    loads: Any,  # noqa: ANN401 -- the edge
) -> tuple[tuple[str, ...], Dense]:
    """The buses whose loads are private, and all loads, periods by buses.

    Given, or those of the case times a profile. A bus without a column has no load.
    """
    demand = network.buses.demand
    if loads is not None and profile is not None:
        raise InputError(
            "profile and loads were given.",
            "a profile of factors, or a frame of loads.",
            "leave one of them out.",
        )
    if loads is not None:
        if not arrays.is_frame(loads):
            raise InputError(
                f"loads is a {type(loads).__name__}.",
                "a pandas frame of loads: periods by buses, per unit.",
                "pass profile= for factors of the case's own loads.",
            )
        own = set(columns_of(loads))
        metered = tuple(bus for bus in buses if bus in own)
        table = np.zeros((len(labels), len(buses)))
        table[:, [buses.index(bus) for bus in metered]] = aligned(
            loads, labels, metered, private=True
        )
        return metered, table
    if profile is None:
        return buses, np.tile(demand, (len(labels), 1))
    if arrays.is_frame(profile):
        return buses, aligned(profile, labels, buses) * demand
    if arrays.is_series(profile) and set(arrays.labels_of(profile.index)) == set(labels):
        profile = arrays.vector(profile, len(labels), "profile", labels=labels)
    elif arrays.is_series(profile):
        profile = profile.to_numpy()
    return buses, np.outer(arrays.vector(profile, len(labels), "profile"), demand)


def _ramps(network: Network, one: ConvexProgram, ramps: Any) -> Vector:  # noqa: ANN401 -- the edge
    """How far each unit may move from one period to the next; infinite where that is no limit."""
    units = network.generators
    m = len(units)
    limits = np.full(m, np.inf)
    if ramps is None:
        return limits
    if arrays.is_series(ramps):
        ramps = dict(zip(arrays.labels_of(ramps.index), ramps.to_numpy(), strict=True))
    if isinstance(ramps, Mapping):
        given = cast("Mapping[Any, Any]", ramps)
        names = [name.removeprefix("p[").removesuffix("]") for name in one.names[:m]]
        own = [str(key).removeprefix("p[").removesuffix("]") for key in given]
        where, shares = positions(own, names, "generators"), list(given.values())
    else:
        where = list(range(m))
        many = isinstance(ramps, (Sequence, np.ndarray))
        shares = list(cast("Sequence[Any]", ramps)) if many else [ramps] * m
        if len(shares) != m:
            raise InputError(
                f"{len(shares)} ramps were given.",
                f"one number, one for each of {m} generators, or a dict by generator.",
                "name those that have a limit: ramps={'3': 0.2}.",
            )
    needed = "a share of pmax per period: positive."
    for k, share in zip(where, shares, strict=True):
        limits[k] = real(share, "a ramp", needed, "leave out generators without a limit.",
                         low=0.0, open_low=True)  # fmt: skip
    with np.errstate(invalid="ignore"):
        limits = limits * np.maximum(np.abs(units.high), np.abs(units.low))
        return np.where(limits < units.high - units.low, limits, np.inf)


def _units(network: Network, storage: Iterable[Storage] | None) -> _Units:
    """The storage units, their buses and names."""
    units = tuple(storage or ())
    if not all(isinstance(unit, Storage) for unit in units):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            "storage holds something else than storage units.",
            "a list of privopt.networks.Storage(bus, energy, power).",
            "pass storage=[privopt.networks.Storage(bus=3, energy=0.5, power=0.1)].",
        )
    place = {int(number): k for k, number in enumerate(network.buses.number)}
    for unit in units:
        if int(unit.bus) not in place:
            raise InputError(
                f"a storage unit is at bus {unit.bus}, which is not there.",
                "the number of a bus of the network.",
                "see network.buses.number.",
            )
    bus = np.array([place[int(unit.bus)] for unit in units], dtype=np.intp)
    return _Units(units, bus, tuple(counted([(str(int(unit.bus)),) for unit in units])))
