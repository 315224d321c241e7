"""The map of a network, alone or with a result: one for notebooks, pages and the workbench.

    alone                   the case's demand, and what its generators can give, in MW
    release, measurement    the released values, at their buses
    decision                supplies and loading at the middle of what its measurement leaves
                            possible, released values
    optimum                 supplies and loading; private, as it is itself

What is drawn is in the unit of the result. The demand of a case is drawn where the network is asked
for its map (`network.plot`), and never on a page about a result (`map_of`): such a page is there to
be published, and the loads of somebody's case file are private.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from privopt.arrays import Vector
from privopt.claims.units import UnitLabels
from privopt.networks.chart import (
    Chart,
    bus_of,
    chart_of_network,
    chart_of_program,
    ends_of,
)
from privopt.show.pictures.intervals import GRAIN
from privopt.show.pictures.map import MapLine, MapNode, network_map
from privopt.show.pictures.picture import Picture

if TYPE_CHECKING:
    from privopt.model.program import ConvexProgram
    from privopt.networks.network import Network

__all__ = ["map_of", "plot"]

_MEGAWATTS = {"W": 1e-6, "kW": 1e-3, "MW": 1.0, "GW": 1e3}
_SUPPLY = {"p", "discharge"}
_AT_BUS = {"p", "demand", "theta", "v", "q", "reactive", "stored", "charge", "discharge"}
_WRITTEN = 2  # values that are written at one bus
_VISIBLE = 5e-4  # of a value: an error below it is not seen in three digits
_ERROR = "±: twice the expected error."


@dataclass(eq=False)
class _Drawn:
    """What is drawn on a chart, by bus and by line (two buses, in order of their positions)."""

    unit: str = ""
    demand: dict[str, float] = field(default_factory=dict[str, float])
    supply: dict[str, float] = field(default_factory=dict[str, float])
    values: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    loading: dict[tuple[int, int], float] = field(default_factory=dict[tuple[int, int], float])
    halves: tuple[str, str] = ("demand", "supply")
    caption: str = ""


def plot(network: Network, shown: Any = None) -> Picture:  # noqa: ANN401 -- any result
    """The map of a network, with what a result says of it."""
    chart = chart_of_network(network)
    if shown is None:
        return _picture(chart, _alone(network), f"Network {network.name}")
    return _picture(chart, _shown(chart, shown, network, loads=True), f"Network {network.name}")


def map_of(shown: Any, network: Network | None = None) -> Picture | None:  # noqa: ANN401 -- any result
    """The map of a result, for its page; None where there is no network and no program of one."""
    if network is not None:
        chart = chart_of_network(network)
        return _picture(chart, _shown(chart, shown, network), f"Network {network.name}")
    program = getattr(shown, "program", None)
    chart = None if program is None else chart_of_program(program)
    return None if chart is None else _picture(chart, _shown(chart, shown, None), "On the network")


def _alone(network: Network) -> _Drawn:
    """The case itself, in MW."""
    numbers = [str(number) for number in network.buses.number.tolist()]
    mw = network.base_mva
    capacity: defaultdict[str, float] = defaultdict(float)
    for bus, high in zip(network.generators.bus.tolist(), network.generators.high, strict=True):
        capacity[numbers[bus]] += mw * float(high) if np.isfinite(high) and high > 0 else 0.0
    demand = dict(zip(numbers, (mw * network.buses.demand).tolist(), strict=True))
    return _Drawn("MW", demand, capacity, halves=("demand of the case", "most that is generated"))


def _shown(
    chart: Chart,
    shown: Any,  # noqa: ANN401
    network: Network | None,
    *,
    loads: bool = False,
) -> _Drawn:
    """What a result says: its values, and supplies and loading where it has a whole solution.

    `loads`: the demand of the case too.
    """
    units: UnitLabels | None = _units(shown)
    found = _Drawn(unit=("" if network is None else "p.u.") if units is None else units.data)
    if network is not None and loads:
        _case_demand(found, network)
    program, solution = _solution(shown, network)
    if program is not None:
        _middle_demand(found, shown, program)
    if program is not None and solution is not None:
        for name, value in zip(program.names, solution.tolist(), strict=True):
            at = bus_of(name)
            if at is not None and at[0] in _SUPPLY:
                found.supply[at[1]] = found.supply.get(at[1], 0.0) + value / _periods(program)
        _loads(found, chart, program, solution)
    _values(found, chart, shown, units)
    if any("±" in said for own in found.values.values() for said in own):
        found.caption = f"{found.caption} {_ERROR}".strip()
    if not found.values and getattr(shown, "z", None) is None:
        found.caption = f"{found.caption} No released value belongs to one bus.".strip()
    return found


def _units(shown: Any) -> UnitLabels | None:  # noqa: ANN401 -- any result
    inner = getattr(shown, "kernel", None) or getattr(shown, "release", None)
    units = getattr(shown, "units", None) or getattr(inner, "units", None)
    return units if isinstance(units, UnitLabels) else None


def _case_demand(found: _Drawn, network: Network) -> None:
    """The demand of the case, in the unit of the result; none where that is no power."""
    times = 1.0
    if found.unit in _MEGAWATTS:
        times = network.base_mva / _MEGAWATTS[found.unit]
    elif found.unit not in ("", "p.u."):
        return
    numbers = [str(number) for number in network.buses.number.tolist()]
    found.demand = dict(zip(numbers, (times * network.buses.demand).tolist(), strict=True))
    found.halves = ("demand of the case", "supply")


def _middle_demand(found: _Drawn, shown: Any, program: ConvexProgram) -> None:  # noqa: ANN401
    """The demand at the middle of what a measurement leaves possible."""
    certificate = getattr(shown, "certificate", None)
    if certificate is None:
        return
    middle = np.asarray(certificate.region.middle)
    if len(middle) != len(program.private_names):
        return
    sums: defaultdict[str, float] = defaultdict(float)
    for name, value in zip(program.private_names, middle.tolist(), strict=True):
        at = bus_of(name)
        if at is not None and at[0] == "demand":
            sums[at[1]] += value / _periods(program)
    found.demand, found.halves = dict(sums), ("demand, middle of what is possible", "supply")


def _solution(shown: Any, network: Network | None) -> tuple[ConvexProgram | None, Vector | None]:  # noqa: ANN401
    """A program, and a whole solution of it that a result has."""
    program = getattr(shown, "program", None)
    certificate = getattr(shown, "certificate", None)
    affine = getattr(shown, "affine", None)
    z = getattr(shown, "z", None)
    if program is None and z is not None and network is not None:
        own = network.program()
        return (own, np.asarray(z)) if own.names == tuple(shown.names) else (None, None)
    if program is None:
        return None, None
    for one in (getattr(affine, "offset", None), getattr(certificate, "z0", None)):
        if one is not None and len(one) == program.n:
            return program, np.asarray(one)
    return program, None


def _periods(program: ConvexProgram) -> int:
    return 1 if program.periods is None else len(program.periods.labels)


def _loads(found: _Drawn, chart: Chart, program: ConvexProgram, z: Vector) -> None:
    """Flow over limit of each line that has one, both ways and in all periods: the largest."""
    rows = program.rows
    used = np.asarray(rows.matrix @ z)
    for name, value, bound in zip(rows.names, used.tolist(), rows.bound.tolist(), strict=True):
        ends = ends_of(name)
        if ends is None or not bound > 0 or not np.isfinite(bound):
            continue
        if all(end in chart.position for end in ends):
            a, b = sorted(chart.position[end] for end in ends)
            found.loading[a, b] = max(found.loading.get((a, b), 0.0), value / bound)
    if found.loading and _periods(program) > 1:
        found.caption = "Supplies are means over the periods, loading is the highest of any."


def _values(found: _Drawn, chart: Chart, shown: Any, units: UnitLabels | None) -> None:  # noqa: ANN401
    """What is released at each bus."""
    if getattr(shown, "z", None) is not None:
        return
    names = tuple(getattr(shown, "names", ()))
    values = getattr(shown, "values", None)
    if values is None or len(values) != len(names):
        values = getattr(getattr(shown, "kernel", None), "middle", None)
    errors = _errors(shown, len(names))
    labels = ("",) * len(names) if units is None else units.each(len(names))
    grain = GRAIN * float(np.abs(values).max(initial=0.0)) if values is not None else 0.0
    for k, name in enumerate(names):
        at = bus_of(name)
        if at is None or at[0] not in _AT_BUS or at[1] not in chart.position:
            continue
        known = values is not None and len(values) == len(names)
        value = float(values[k]) if known and values is not None else None
        said = "" if value is None else _said(value, None if errors is None else errors[k], grain)
        unit = "" if labels[k] == found.unit else labels[k]
        found.values.setdefault(at[1], []).append(f"{said} {unit}".strip())
        if at[0] in _SUPPLY and value is not None and at[1] not in found.supply:
            found.supply[at[1]] = max(value, 0.0)


def _errors(shown: Any, count: int) -> Vector | None:  # noqa: ANN401 -- any result
    errors = getattr(getattr(shown, "worth", None), "errors", None)
    if errors is None or len(errors) != count or not np.isfinite(errors).all():
        return None
    return np.asarray(errors)


def _said(value: float, error: float | None, grain: float) -> str:
    value = value if abs(value) > grain else 0.0
    if error is None or 2 * error <= max(_VISIBLE * abs(value), grain):
        return f"{value:.3g}"
    return f"{value:.3g} ± {2 * error:.2g}"


def _picture(chart: Chart, found: _Drawn, name: str) -> Picture:
    behind = f" {found.unit}" if found.unit else ""
    nodes: list[MapNode] = []
    for bus, (x, y) in zip(chart.buses, chart.places.tolist(), strict=True):
        demand, supply = found.demand.get(bus, 0.0), found.supply.get(bus, 0.0)
        own = found.values.get(bus)
        told = [f"bus {bus}"]
        told += [f"{found.halves[0]} {demand:.4g}{behind}"] if demand else []
        told += [f"{found.halves[1]} {supply:.4g}{behind}"] if supply else []
        written = "; ".join((own or [])[:_WRITTEN])
        if own and len(own) > _WRITTEN:
            written = f"{len(own)} values"
        told += [f"released: {'; '.join(own)}{behind}"] if own else []
        nodes.append(
            MapNode(x, y, bus, max(demand, 0.0), max(supply, 0.0), None, own is not None, written,
                    ", ".join(told))
        )  # fmt: skip
    lines: list[MapLine] = []
    for a, b in zip(chart.source.tolist(), chart.target.tolist(), strict=True):
        loading = found.loading.get((min(a, b), max(a, b)))
        told = f"line {chart.buses[a]} to {chart.buses[b]}"
        told += "" if loading is None else f": {100 * loading:.0f}% of its limit"
        lines.append(MapLine(a, b, loading, told))
    return network_map(
        nodes, lines, name, found.caption, unit=found.unit, halves=found.halves, ring="released"
    )
