"""Networks with something added: generators that are decided, and other limits of the voltage.

MATPOWER's feeders have one unit, the substation, so there is nothing to decide in them. Added units
are described as in a case file: in MW, MVAr and money per MWh.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from privopt import arrays
from privopt.arrays import Vector
from privopt.errors import InputError
from privopt.networks.network import Generators, Network
from privopt.networks.tables import BEYOND, usable
from privopt.scalars import real

__all__ = ["AddedUnit", "with_generators", "with_voltage_limits"]


@dataclass(frozen=True)
class AddedUnit:
    """A generator to add: p_min <= p <= p_max in MW, at cost p + quadratic p^2 an hour.

    Parameters
    ----------
    p_max
        Its largest power, MW.
    cost
        Money per MWh.
    p_min
        Its least power, MW; negative for what can also take power, such as a battery.
    q_min, q_max
        Limits of its reactive power, MVAr; zero unless given. A DC flow has none.
    quadratic
        Money per MWh for each MW: the price rises with the power.
    """

    p_max: float
    cost: float
    p_min: float = 0.0
    q_min: float = 0.0
    q_max: float = 0.0
    quadratic: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = real(
                getattr(self, field.name), field.name, "a finite number.", "give it in MW or MVAr."
            )
            if not usable(np.array([value])):
                raise InputError(f"{field.name} is {value:g}, a number {BEYOND}.",
                                 "MW, MVAr, or money per MWh.", "check its unit.")  # fmt: skip
            object.__setattr__(self, field.name, value)
        for low, high in (("p_min", "p_max"), ("q_min", "q_max")):
            if getattr(self, low) > getattr(self, high):
                raise InputError(
                    f"{low} is {getattr(self, low):g} and {high} is {getattr(self, high):g}.",
                    f"{low} <= {high}.",
                    "exchange them, or correct one.",
                )
        if self.quadratic < 0:
            raise InputError(f"quadratic is {self.quadratic:g}.", "a convex cost: at least 0.",
                             "leave it out for a cost in proportion to the power.")  # fmt: skip


def with_generators(network: Network, units: Mapping[Any, Any]) -> Network:
    """The network with a unit more at each bus of `units`; see `Network.with_generators`."""
    places = {str(number): k for k, number in enumerate(network.buses.number.tolist())}
    if not isinstance(units, Mapping) or not units:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _unclear(units)
    at: list[int] = []
    added: list[AddedUnit] = []
    for bus, several in units.items():
        if str(bus) not in places:
            raise InputError(
                f"bus {bus!r}, which is to have a unit, is not in {network.name!r}.",
                "numbers of buses in service.",
                "network.buses.number lists them.",
            )
        for one in _each(several):
            at.append(places[str(bus)])
            added.append(_unit(one))
    base, old = network.base_mva, network.generators

    def joined(before: Vector, name: str, scale: float) -> Vector:
        return np.concatenate([before, [scale * getattr(unit, name) for unit in added]])

    both = Generators(
        bus=np.concatenate([old.bus, np.array(at, dtype=np.intp)]),
        low=joined(old.low, "p_min", 1 / base),
        high=joined(old.high, "p_max", 1 / base),
        linear=joined(old.linear, "cost", base),
        quadratic=joined(old.quadratic, "quadratic", base**2),
        constant=np.concatenate([old.constant, np.zeros(len(added))]),
        piecewise=old.piecewise,
        reactive_low=joined(old.reactive_low, "q_min", 1 / base),
        reactive_high=joined(old.reactive_high, "q_max", 1 / base),
    )
    return replace(network, generators=both)


def with_voltage_limits(network: Network, low: Any, high: Any) -> Network:  # noqa: ANN401
    """Other limits of the voltage, not at reference buses; see `Network.with_voltage_limits`."""
    buses, n = network.buses, len(network.buses)
    given = {"low": arrays.vector(low, n, "low"), "high": arrays.vector(high, n, "high")}
    if np.any((given["low"] < 0) | (given["low"] > given["high"])):
        raise InputError(
            "the limits of a voltage are negative, or cross.",
            "0 <= low <= high, per unit.",
            "write for example network.with_voltage_limits(0.95, 1.05).",
        )
    limits = replace(
        buses,
        voltage_low=np.where(buses.reference, buses.voltage_low, given["low"]),
        voltage_high=np.where(buses.reference, buses.voltage_high, given["high"]),
    )
    return replace(network, buses=limits)


def _each(given: Any) -> list[Any]:  # noqa: ANN401
    return list(given) if isinstance(given, list) else [given]  # pyright: ignore[reportUnknownArgumentType]


def _unit(given: Any) -> AddedUnit:  # noqa: ANN401
    if isinstance(given, AddedUnit):
        return given
    pair: Any = given
    if not isinstance(given, tuple) or len(pair) != 2:
        raise _unclear(pair)
    return AddedUnit(*pair)


def _unclear(given: object) -> InputError:
    return InputError(
        f"a unit to add is {given!r:.80}.",
        "for each bus (p_max in MW, cost per MWh), an AddedUnit, or a list of these.",
        "write for example network.with_generators({18: (0.5, 30.0)}).",
    )
