"""Which program of a network is asked for: at one time or over a horizon, DC or of a feeder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from privopt.errors import InputError
from privopt.model.program import ConvexProgram
from privopt.networks.branch_flow import branch_flow
from privopt.networks.convention import Convention, Reactive
from privopt.networks.dc import optimal_power_flow
from privopt.networks.horizon import horizon
from privopt.networks.network import Network
from privopt.networks.rebased import power_units, rebased
from privopt.networks.storage import Storage

__all__ = ["Over", "program_of"]


@dataclass(frozen=True, eq=False)
class Over:
    """What is said of time, as `Network.program` takes it."""

    periods: Any
    profile: Any
    loads: Any
    ramps: Any
    storage: Iterable[Storage] | None

    @property
    def once(self) -> bool:
        """Whether the program is of one time."""
        given = (self.periods, self.profile, self.loads, self.ramps)
        return all(one is None for one in given) and not self.storage


def program_of(
    network: Network,
    convention: Convention | str,
    reactive: Reactive | str | None,
    over: Over,
    unit: str | None,
) -> ConvexProgram:
    """The program of `Network.program`; with a unit, that of the network in this unit."""
    if unit is not None:
        made = program_of(rebased(network, unit), convention, reactive, over, None)
        return made.in_unit(power_units(made.names, made.data_names, unit))
    asked = Convention.read(convention)
    if asked.of_feeders and not over.once:
        raise InputError(
            f"periods of a feeder ({str(asked)!r}) were asked for.",
            "a DC flow ('powermodels' or 'matpower') over a horizon, or a feeder at one time.",
            "leave the periods out, or write the feeder's day in cvxpy (from_cvxpy).",
        )
    if asked.of_feeders:
        return branch_flow(network, asked, Reactive.read(reactive or "follows"))
    if reactive is not None:
        raise InputError(
            f"reactive={str(reactive)!r} was given for a DC flow ({str(asked)!r}).",
            "reactive demands of a feeder: 'lindistflow' or 'socp'.",
            "leave it out, or use one of these conventions.",
        )
    if over.once:
        return optimal_power_flow(network, asked)
    return horizon(network, asked, over.periods, over.profile, over.loads, over.ramps, over.storage)
