"""Table 2: one, three, six and nine sums over the released nodes of 118_ieee."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privopt.experiments.instance import check_sums, instance
from privopt.experiments.measure import PaperTable
from privopt.experiments.study import Row, Unit, grouped, streams
from privopt.experiments.table1 import table_row

__all__ = ["ALGORITHMS", "SUMS", "Table2"]

ALGORITHMS = ("OP", "PSQ-a", "PSQ-s", "exact margins", "exact box", "joint factor")
SUMS = (1, 3, 6, 9)


@dataclass(frozen=True, kw_only=True)
class Table2(PaperTable):
    """The paper's Table 2 and the columns privopt adds.

    Parameters
    ----------
    networks, algorithms, sums
        Which; the paper's and ours unless given.
    runs, samples, seed
        As in Table 1.
    separate
        True: the authors' rule, by which the nodes of a cluster answer the noise of their own sum
        only; False: S Z = I, what the paper writes.
    epsilon, alpha, eta, beta
        The paper's: 1, 0.5, 2.5% and 1%.
    """

    name: ClassVar[str] = "table2"
    known: ClassVar[tuple[str, ...]] = ALGORITHMS
    extent: ClassVar[tuple[str, ...]] = ("networks", "algorithms", "sums", "runs")

    networks: tuple[str, ...] = ("118_ieee",)
    algorithms: tuple[str, ...] = ALGORITHMS
    sums: tuple[int, ...] = SUMS
    runs: int = 100
    samples: int = 1000
    seed: int = 0
    separate: bool = False
    epsilon: float = 1.0
    alpha: float = 0.5
    eta: float = 0.025
    beta: float = 0.01

    def units(self) -> list[Unit]:
        """Run by run."""
        for network in self.networks:
            check_sums(network, max(self.sums))
        return [
            Unit(network, run, algorithm, (("sums", count),))
            for run in range(self.runs)
            for network in self.networks
            for count in self.sums
            for algorithm in self.algorithms
        ]

    def work(self, unit: Unit) -> Row:
        """Solve and verify one algorithm on one instance."""
        drawn = instance(unit.network, streams(self.seed, unit.network, unit.run)[0])
        query = drawn.sums(int(dict(unit.parameters)["sums"]), separate=self.separate)
        return self.measured(unit, drawn.program, query, boxes=True, domain=drawn.domain)

    def summarise(self, rows: list[Row]) -> list[Row]:
        """Mean and deviation over the runs of each number of sums and algorithm."""
        order = {"network": self.networks, "sums": self.sums, "algorithm": self.algorithms}
        return grouped(rows, order, table_row)
