"""A study: independent units of work, one row of results each, and their summary.

The numbers of a unit depend on its study's `conditions` and on the unit alone. Its three streams of
random numbers (instance, algorithm, verification) come from (seed, network, run): every algorithm
sees the same instance and the same draws, whatever the order or the number of processes.
"""

from __future__ import annotations

import json
import math
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, ClassVar, cast

import numpy as np

from privopt.errors import InputError
from privopt.experiments.algorithms import check_algorithms
from privopt.networks import canonical, fingerprint
from privopt.scalars import whole

__all__ = [
    "Row", "Study", "Unit", "checked_networks", "ended", "grouped", "mean_and_std", "streams",
]  # fmt: skip

Row = dict[str, Any]


@dataclass(frozen=True, order=True)
class Unit:
    """One unit of work: an algorithm on one random instance of a network, with its parameters."""

    network: str
    run: int
    algorithm: str
    parameters: tuple[tuple[str, float | int | str], ...] = ()

    @property
    def key(self) -> str:
        """The unit as text, to find its row again: the network by what identifies it."""
        return json.dumps(
            [fingerprint(self.network), self.run, self.algorithm, list(self.parameters)]
        )

    def columns(self) -> Row:
        """The unit as columns of a row."""
        return {
            "network": self.network,
            "run": self.run,
            "algorithm": self.algorithm,
            **dict(self.parameters),
        }


class Study(ABC):
    """What an experiment is made of: a dataclass whose fields are its extent and its conditions."""

    name: ClassVar[str]  # of its files
    known: ClassVar[tuple[str, ...]]  # the algorithms there are
    # Fields that say which units are done, and change the numbers of none.
    extent: ClassVar[tuple[str, ...]] = ("networks", "algorithms", "runs")

    networks: tuple[str, ...]
    algorithms: tuple[str, ...]
    runs: int
    samples: int
    seed: int

    def __post_init__(self) -> None:
        check_algorithms(self.algorithms, self.known)
        whole(self.runs, "runs", "the paper has 100.")
        whole(self.samples, "samples", "the paper has 1000.")
        whole(self.seed, "seed", "use 0.", low=0)
        object.__setattr__(self, "networks", checked_networks(self.networks))

    def settings(self) -> dict[str, Any]:
        """Conditions and extent, for the reader."""
        return asdict(cast("Any", self))

    def conditions(self) -> dict[str, Any]:
        """What the numbers of a unit depend on besides the unit."""
        return {name: value for name, value in self.settings().items() if name not in self.extent}

    def units(self) -> list[Unit]:
        """All units, run by run, so that what is there early covers all networks."""
        return [
            Unit(network, run, algorithm)
            for run in range(self.runs)
            for network in self.networks
            for algorithm in self.algorithms
        ]

    def together(self, unit: Unit) -> tuple[object, ...]:
        """Units that agree in this follow each other and are done in one process."""
        return unit.network, unit.run

    @abstractmethod
    def work(self, unit: Unit) -> Row:
        """Do one unit; an infeasible or failed solve is a row with a status that says so."""

    @abstractmethod
    def summarise(self, rows: list[Row]) -> list[Row]:
        """Rows of the table from the rows of the units."""


def streams(
    seed: int, network: str, run: int
) -> tuple[np.random.Generator, np.random.Generator, np.random.Generator]:
    """Generators of the instance, the algorithm and the verification."""
    root = np.random.SeedSequence([seed, zlib.crc32(fingerprint(network).encode()), run])
    first, second, third = (np.random.default_rng(child) for child in root.spawn(3))
    return first, second, third


def checked_networks(names: tuple[str, ...] | str) -> tuple[str, ...]:
    """Names of networks that exist, each once."""
    listed = (names,) if isinstance(names, str) else names
    found = tuple(canonical(name) for name in listed)
    if not found or len({fingerprint(name) for name in found}) < len(found):
        raise InputError(
            "no network was named, or one was named twice.",
            "each network once.",
            "write for example ('3_lmbd', '14_ieee').",
        )
    return found


def grouped(
    rows: list[Row], order: Mapping[str, Sequence[Any] | None], row: Callable[[list[Row]], Row]
) -> list[Row]:
    """One row for each group of runs that agree in the columns of `order`.

    The groups come in the order of the values given for each column (of the values themselves where
    none are given), the runs of a group in theirs.
    """

    def place(one: Row) -> list[Any]:
        return [
            one[name] if values is None else values.index(one[name])
            for name, values in order.items()
        ]

    found: list[Row] = []
    for _, members in groupby(sorted(rows, key=place), place):
        runs = sorted(members, key=lambda one: one["run"])
        found.append({**{name: runs[0][name] for name in order}, **row(runs)})
    return found


def ended(runs: list[Row]) -> Row:
    """How many runs there are, and how many had no plan."""
    counts = Counter(row["status"] for row in runs)
    return {
        "runs": len(runs),
        "infeasible_runs": counts["infeasible"],
        "failed_runs": counts["failed"],
    }


def mean_and_std(rows: Iterable[Mapping[str, Any]], column: str) -> tuple[float | None, ...]:
    """Mean and sample deviation of a column, None where there are too few values for it."""
    values = [float(row[column]) for row in rows if row.get(column) is not None]
    if not values:
        return None, None
    mean = math.fsum(values) / len(values)
    spread = math.fsum((value - mean) ** 2 for value in values)
    return mean, math.sqrt(spread / (len(values) - 1)) if len(values) > 1 else None
