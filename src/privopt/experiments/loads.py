"""PGLib's own loads, generators and costs: where a private plan exists at all, and what it costs.

The DC optimal power flow of each network as its file has it. Loads that are not zero are private,
each within 5% of the file's; the supply of 30% of the generators that can vary is released. alpha
is 2% of the largest load, as loads differ from network to network.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np

from privopt.errors import InputError
from privopt.experiments.policies import Case, ProofTable
from privopt.experiments.study import Row, Unit, streams
from privopt.model.domain import Box
from privopt.model.program_file import protecting
from privopt.model.query import Identity
from privopt.networks import Network, fingerprint, load, names
from privopt.scalars import real

__all__ = ["ALGORITHMS", "Loads", "loads_case"]

ALGORITHMS = ("no privacy", "PIQ-a", "certified s=1", "certified")
LARGEST = 118  # nodes


def small_networks() -> tuple[str, ...]:
    """The PGLib networks of up to 118 nodes; their names begin with the number of nodes."""
    return tuple(name for name in names() if int(re.findall(r"^\d+", name)[0]) <= LARGEST)


@dataclass(frozen=True, kw_only=True)
class Loads(ProofTable):
    """The paper's plan and certified policies on PGLib's own data.

    Parameters
    ----------
    networks, algorithms
        Which; every PGLib network of up to 118 nodes and all rows unless given.
    runs
        Draws of the released generators: all else is fixed.
    samples, seed
        Draws for each verification, and the seed.
    width
        Half-width of the domain, relative to each load.
    share
        Of the generators that can vary, released.
    change
        alpha, relative to the largest load of the network.
    epsilon, eta
        The paper's: 1 and 2.5%.
    """

    name: ClassVar[str] = "loads"
    known: ClassVar[tuple[str, ...]] = ALGORITHMS

    networks: tuple[str, ...] = field(default_factory=small_networks)
    algorithms: tuple[str, ...] = ALGORITHMS
    runs: int = 5
    samples: int = 1000
    seed: int = 0
    width: float = 0.05
    share: float = 0.3
    change: float = 0.02
    epsilon: float = 1.0
    eta: float = 0.025

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("width", "share", "change"):
            real(
                getattr(self, name), name, "a share between 0 and 1.", "use 0.05.",
                low=0.0, high=1.0, open_low=True,
            )  # fmt: skip

    def work(self, unit: Unit) -> Row:
        """One algorithm with one draw of the released generators."""
        return self.measured(unit, _case(self, unit.network, fingerprint(unit.network), unit.run))


@lru_cache(maxsize=1)
def _case(study: Loads, network: str, _identity: str, run: int) -> Case:
    return loads_case(study, load(network), streams(study.seed, network, run)[0])


def loads_case(study: Loads, network: Network, rng: np.random.Generator) -> Case:
    """A network's own power flow with its loads as private data.

    Released is a share of the generators that can vary, drawn without replacement, at least one.
    """
    whole = network.program()
    loaded = np.flatnonzero(network.buses.demand)
    units = len(network.generators)
    free = np.flatnonzero(whole.lower[:units] < whole.upper[:units])
    if not len(loaded) or not len(free):
        raise InputError(
            f"{network.name} has no load, or no generator that can vary.",
            "loads to protect and a supply to release.",
            "leave it out of --networks.",
        )
    program = protecting(whole, loaded).at(whole.d)
    count = max(1, math.floor(study.share * len(free)))
    released = np.sort(rng.choice(free, count, replace=False)).tolist()
    middle = whole.d[loaded]
    size = np.abs(network.buses.demand[loaded])
    half = study.width * size
    return Case(
        program=program,
        query=Identity(released),
        domain=Box(middle - half, middle + half),
        epsilon=study.epsilon,
        alpha=study.change * float(size.max()),
        eta=study.eta,
    )
