"""Powers in a unit: the same network, per unit of another base. The one place that converts them.

    base 100 MVA -> 1 MVA: powers, limits and shunts x 100, impedances / 100, prices / 100

A network is per unit of `base_mva`. Per unit of 1 MVA its powers are in MW (of 0.001 MVA, in kW):
every program of it, over a horizon or of a feeder, then has its loads, its generation, its flows
and their limits in that unit, angles in radians and voltages per unit as before, and the same
solutions at the same cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from privopt.claims.units import UnitLabels
from privopt.errors import InputError
from privopt.networks.network import Network

__all__ = ["PER_UNIT", "POWERS", "power_units", "rebased"]

PER_UNIT = "p.u."
POWERS = {"W": 1e-6, "kW": 1e-3, "MW": 1.0, "GW": 1e3}  # in MVA
_REACTIVE = {"W": "var", "kW": "kvar", "MW": "Mvar", "GW": "Gvar", PER_UNIT: PER_UNIT}
_COST = "$/h"


def rebased(network: Network, unit: str) -> Network:
    """The network per unit of one `unit` of power; as it is for "p.u."."""
    if unit == PER_UNIT:
        return network
    if unit not in POWERS:
        raise InputError(
            f"unit is {unit!r:.40}.",
            f"a unit of power: {', '.join(POWERS)} or {PER_UNIT!r}.",
            "use unit='MW'.",
        )
    times = network.base_mva / POWERS[unit]
    buses, branches, units = network.buses, network.branches, network.generators
    return replace(
        network,
        base_mva=POWERS[unit],
        times=times * network.times,
        buses=replace(
            buses,
            demand=times * buses.demand,
            shunt=times * buses.shunt,
            reactive=times * buses.reactive,
            susceptance=times * buses.susceptance,
        ),
        branches=replace(
            branches,
            r=branches.r / times,
            x=branches.x / times,
            rate=times * branches.rate,
            charging=times * branches.charging,
        ),
        generators=replace(
            units,
            low=times * units.low,
            high=times * units.high,
            linear=units.linear / times,
            quadratic=units.quadratic / times**2,
            piecewise=tuple(replace(one, slope=one.slope / times) for one in units.piecewise),
            reactive_low=times * units.reactive_low,
            reactive_high=times * units.reactive_high,
        ),
    )


def power_units(names: Sequence[str], data_names: Sequence[str], unit: str) -> UnitLabels:
    """The units of a network's variables, by what their names begin with, and of its data."""
    reactive = _REACTIVE[unit]
    kinds = {
        "p": unit, "flow": unit, "charge": unit, "discharge": unit, "q": reactive,
        "reactive_flow": reactive, "stored": f"{unit} x period", "theta": "rad", "v": "p.u.^2",
        "current": f"{unit}^2/p.u.^2", "cost": _COST,
    }  # fmt: skip
    both = any(name.startswith("reactive[") for name in data_names)
    data = f"{unit}, {reactive}" if both and reactive != unit else unit
    return UnitLabels(data, tuple(kinds.get(name.partition("[")[0], "") for name in names), _COST)
