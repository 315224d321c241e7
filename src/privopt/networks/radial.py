"""What a feeder must be: without loops, with voltage limits and reactive powers that are given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Vector
from privopt.errors import InputError
from privopt.networks.naming import line_names, unit_names
from privopt.networks.network import Network
from privopt.networks.tables import BEYOND, usable

__all__ = ["check_feeder", "loops"]


def loops(network: Network) -> NDArray[np.intp]:
    """Positions of lines that close a loop with the lines before them; none in a radial network."""
    parent = list(range(len(network.buses)))

    def root(bus: int) -> int:
        while parent[bus] != bus:
            parent[bus] = parent[parent[bus]]
            bus = parent[bus]
        return bus

    closing: list[int] = []
    lines = network.branches
    ends = zip(lines.source.tolist(), lines.target.tolist(), strict=True)
    for k, (source, target) in enumerate(ends):
        one, other = root(source), root(target)
        if one == other:
            closing.append(k)
        parent[one] = other
    return np.array(closing, dtype=np.intp)


def check_feeder(network: Network) -> None:
    """Refuse loops, and data that are missing or cannot be right."""
    closing = loops(network)
    if len(closing):
        named = line_names(network)[int(closing[0])][0]
        count = f"{len(closing)} line{'s' if len(closing) > 1 else ''}"
        raise InputError(
            f"{network.name!r} is meshed: {count} too many for a radial network; one that closes a "
            f"loop joins buses {' and '.join(named.split(',')[:2])}.",
            "for 'lindistflow' and 'socp', a network without loops or parallel lines.",
            "open a line of each loop (status 0 in the file), or use a DC convention.",
        )
    buses, units, lines = network.buses, network.generators, network.branches
    bus = [f"bus {number}" for number in buses.number]
    unit = [f"the unit at {name}" for name in unit_names(network)]
    line = [f"line {name}" for name, _ in line_names(network)]
    _check(buses.reactive, bus, "reactive demand (Qd)")
    _check(buses.susceptance, bus, "shunt susceptance (Bs)")
    _check(buses.voltage_low, bus, "lower limit of the voltage (Vmin)")
    _check(buses.voltage_high, bus, "upper limit of the voltage (Vmax)")
    _check(units.reactive_low, unit, "lower limit of reactive power (Qmin)", infinite=True)
    _check(units.reactive_high, unit, "upper limit of reactive power (Qmax)", infinite=True)
    _check(lines.charging, line, "charging susceptance (b)")
    low, high = buses.voltage_low, buses.voltage_high
    crossed = np.flatnonzero((low < 0) | (high < low) | (high <= 0))
    if len(crossed):
        k = crossed[0]
        raise InputError(
            f"the voltage of {bus[k]} is to lie in [{low[k]:g}, {high[k]:g}].",
            "0 <= Vmin <= Vmax, per unit.",
            "correct the file, or set limits with network.with_voltage_limits(0.9, 1.1).",
        )


def _check(values: Vector, owners: list[str], what: str, *, infinite: bool = False) -> None:
    bad = np.isnan(values) if infinite else ~np.isfinite(values)
    why = "not given" if bad.any() else BEYOND.partition(":")[0].removeprefix("that is ")
    finite = np.isfinite(values)
    if not bad.any() and not usable(values[finite]):
        size = np.abs(np.where(finite, values, 0.0))
        bad = (size > 1e60) | ((size > 0) & (size < 1e-60))
    if bad.any():
        raise InputError(
            f"the {what} of {owners[int(np.flatnonzero(bad)[0])]} is {why}.",
            "numbers: voltages and reactive powers matter in 'lindistflow' and 'socp'.",
            "put them into the case file, or use a DC convention.",
        )
