"""Table 1: identity queries on 30% of the nodes of six networks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from privopt.experiments.algorithms import ADDED, MEASURED, applies, corners
from privopt.experiments.instance import SHARE, Instance, instance
from privopt.experiments.measure import AFFINE, PaperTable
from privopt.experiments.study import Row, Unit, ended, grouped, mean_and_std, streams
from privopt.networks import fingerprint

__all__ = ["ALGORITHMS", "NETWORKS", "Table1", "drawn_instance", "table_row"]

NETWORKS = ("3_lmbd", "5_pjm", "14_ieee", "39_epri", "57_ieee", "118_ieee")
ALGORITHMS = ("OP", "PIQ-a", "PIQ-s", *ADDED, MEASURED)


@dataclass(frozen=True, kw_only=True)
class Table1(PaperTable):
    """The paper's Table 1 and the columns privopt adds.

    Parameters
    ----------
    networks, algorithms
        Which; all of the paper's and ours unless given.
    runs, samples
        Random instances for each network, and draws for each verification.
    seed
        Of all random numbers.
    epsilon, alpha, eta, beta
        The paper's: 1, 0.1, 2.5% and 1%.
    """

    name: ClassVar[str] = "table1"
    known: ClassVar[tuple[str, ...]] = ALGORITHMS

    networks: tuple[str, ...] = NETWORKS
    algorithms: tuple[str, ...] = ALGORITHMS
    runs: int = 100
    samples: int = 1000
    seed: int = 0
    epsilon: float = 1.0
    alpha: float = 0.1
    eta: float = 0.025
    beta: float = 0.01

    def units(self) -> list[Unit]:
        """Those of the algorithms that have a row of their own on the network."""
        boxes = {name: self._boxes(name) for name in self.networks}
        return [
            unit for unit in super().units() if applies(unit.algorithm, boxes=boxes[unit.network])
        ]

    @staticmethod
    def _boxes(network: str) -> bool:
        return corners(math.floor(SHARE * len(instance(network, 0).grid.number)))

    def work(self, unit: Unit) -> Row:
        """Solve and verify one algorithm on one instance."""
        drawn = drawn_instance(self.seed, unit.network, fingerprint(unit.network), unit.run)
        boxes = self._boxes(unit.network)
        return self.measured(unit, drawn.program, drawn.query, boxes=boxes, domain=drawn.domain)

    def summarise(self, rows: list[Row]) -> list[Row]:
        """Mean and deviation over the runs of each network and algorithm."""
        order = {"network": self.networks, "algorithm": self.algorithms}
        return grouped(rows, order, table_row)


@lru_cache(maxsize=1)
def drawn_instance(seed: int, network: str, _identity: str, run: int) -> Instance:
    """The instance of a run: its algorithms share it, and what a solve keeps of it."""
    return instance(network, streams(seed, network, run)[0])


def table_row(runs: list[Row]) -> Row:
    """Means and deviations of the runs, and how many had no plan."""
    violation, violation_std = mean_and_std(runs, "violation")
    loss, loss_std = mean_and_std(runs, "loss")
    answered = next((row for row in runs if row["guarantee"]), Row())
    return {
        "violation_mean": violation,
        "violation_std": violation_std,
        "affine_violation_mean": mean_and_std(runs, "affine_violation")[0],
        "loss_mean": loss,
        "loss_std": loss_std,
        "loss_of": answered.get("loss_of", AFFINE),
        "undecided_mean": mean_and_std(runs, "undecided")[0],
        **ended(runs),
        "guarantee": answered.get("guarantee"),
        "claims": answered.get("claims"),
    }
