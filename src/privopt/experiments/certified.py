"""What a proof costs: Table 1's instances, the paper's plan beside certified policies.

Of each instance: the loss of PIQ-a, whose epsilon is assumed; a search for how large that epsilon
is at least; PIQ-a recalibrated with a certified sensitivity, where there is one; certified policies
(`privopt.design`), whose epsilon is proven for every pair of neighbours; and measure, then decide,
whose noise is on sums of d.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privopt.experiments.policies import Case, ProofTable
from privopt.experiments.study import Row, Unit
from privopt.experiments.table1 import NETWORKS, drawn_instance
from privopt.networks import fingerprint
from privopt.scalars import whole

__all__ = ["ALGORITHMS", "CertifiedTable"]

ALGORITHMS = (
    "PIQ-a",
    "lower bound",
    "PIQ-a recalibrated",
    "certified s=1",
    "certified",
    "certified exact margins",
    "certified always",
    "affine rule",
    "measured",
)


@dataclass(frozen=True, kw_only=True)
class CertifiedTable(ProofTable):
    """Assumed and proven privacy on the instances of Table 1.

    Parameters
    ----------
    networks, algorithms
        Which; the paper's networks and all rows unless given.
    runs, samples, seed
        As in Table 1, and the same instances; more draws, because the worst row counts.
    tries
        Solves of each search for the true epsilon of PIQ-a.
    pieces, enumerated
        Most affine pieces that a certificate of PIQ-a may have, and the largest network (nodes) on
        which one is tried: their number grows fast.
    epsilon, alpha, eta, delta
        The paper's 1, 0.1 and 2.5%; delta is that of the truncated noise of "certified always".
    """

    name: ClassVar[str] = "certified"
    known: ClassVar[tuple[str, ...]] = ALGORITHMS

    networks: tuple[str, ...] = NETWORKS
    algorithms: tuple[str, ...] = ALGORITHMS
    runs: int = 100
    samples: int = 10_000
    seed: int = 0
    tries: int = 100
    pieces: int = 2000
    enumerated: int = 60
    epsilon: float = 1.0
    alpha: float = 0.1
    eta: float = 0.025
    delta: float = 1e-5

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.tries, "tries", "use 100, or more for a better bound.", low=10)
        whole(self.pieces, "pieces", "use 2000.")
        whole(self.enumerated, "enumerated", "use 60.", low=0)

    def work(self, unit: Unit) -> Row:
        """One algorithm on one instance."""
        drawn = drawn_instance(self.seed, unit.network, fingerprint(unit.network), unit.run)
        small = len(drawn.grid.number) <= self.enumerated
        case = Case(
            program=drawn.program,
            query=drawn.query,
            domain=drawn.domain,
            epsilon=self.epsilon,
            alpha=self.alpha,
            eta=self.eta,
            delta=self.delta,
            tries=self.tries,
            pieces=self.pieces if small else 0,
        )
        return self.measured(unit, case)
