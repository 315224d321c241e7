"""Storage in a network: what is charged at an efficiency is there to be discharged later.

    stored_t = stored_(t-1) + efficiency charge_t - discharge_t        0 <= stored <= energy
    0 <= charge, discharge <= power,    stored at the end >= stored at the beginning = initial

Charging and discharging at once wastes energy; where energy costs something no optimum does it.
"""

from __future__ import annotations

from dataclasses import dataclass

from privopt.errors import InputError
from privopt.scalars import real

__all__ = ["Storage"]


@dataclass(frozen=True)
class Storage:
    """A storage unit at a bus.

    Parameters
    ----------
    bus
        Its number in the file of the network.
    energy
        How much it can hold: power, in the unit of the program (per unit unless it has one: MW
        divided by `base_mva`), times one period.
    power
        Limit of charging and of discharging, in that unit.
    efficiency
        Share of what is charged that can be discharged again.
    initial
        What it holds at the beginning, and at least at the end; half of `energy` unless given.
    """

    bus: int
    energy: float
    power: float
    efficiency: float = 0.9
    initial: float | None = None

    def __post_init__(self) -> None:
        what, remedy = "a positive number, per unit.", "see privopt.networks.Storage."
        for name in ("energy", "power"):
            real(getattr(self, name), name, what, remedy, low=0.0, open_low=True)
        share = "a share: above 0, at most 1."
        real(self.efficiency, "efficiency", share, remedy, low=0.0, high=1.0, open_low=True)
        if self.initial is not None:
            held = "from 0 to energy."
            real(self.initial, "initial", held, "leave it out.", low=0.0, high=self.energy)
        if isinstance(self.bus, bool) or not hasattr(self.bus, "__index__"):
            raise InputError(
                f"bus is {self.bus!r:.40}.",
                "the number of a bus of the network.",
                "see network.buses.number.",
            )

    @property
    def begins_with(self) -> float:
        """What it holds at the beginning."""
        return 0.5 * self.energy if self.initial is None else self.initial
