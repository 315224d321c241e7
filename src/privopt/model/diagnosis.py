"""Why there is no solution, for the curator: the rows in the way, and what would do.

Which rows: those on which the least total excess over the limits lies, each relative to its size.
All of it depends on d. It is private, and never part of a release.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Vector
from privopt.discreet import discreet
from privopt.errors import Explanation
from privopt.show.pictures.bars import bars
from privopt.show.pictures.picture import Picture
from privopt.show.result import PrivateResult
from privopt.show.view import Table, View
from privopt.solving.highs import WarmLP
from privopt.solving.program import Program
from privopt.solving.scaling import Scaling

__all__ = ["Diagnosis", "diagnose_program"]


@dataclass(frozen=True, repr=False)
class Diagnosis(PrivateResult, Explanation):
    """Private: what blocks, and what would do. Values only by attribute or `summary()`."""

    def __repr__(self) -> str:
        return "Diagnosis(private: read .rows, .epsilon, .alpha, .eta, or print .summary())"

    def view(self) -> View:
        """The rows that block, and what would do."""
        title = "Rows that block"
        if self.before_noise:
            title = "Infeasible before any noise: no epsilon, alpha or eta helps."
        if self.before_noise and not self.rows:
            title = f"{title} The equalities G z = d contradict each other."
        table = Table("row", self.rows, {"relative excess": self.excess})
        return View(title, table, notes=self._remedies, private=True, limit=10)

    @property
    def _remedies(self) -> tuple[str, ...]:
        if self.before_noise:
            return ()
        found = (
            ("smallest epsilon", self.epsilon),
            ("largest alpha", self.alpha),
            ("smallest eta", self.eta),
        )
        return tuple(
            f"Feasible, all else equal, at the {label}: "
            f"{'none in its range' if value is None else f'{value:.4g}'}"
            for label, value in found
        )

    def plot(self) -> Picture:
        """The rows that block, and by how much. Private."""
        return bars(
            list(self.rows),
            [float(one) for one in self.excess],
            "PRIVATE: rows that block",
            "; ".join(self._remedies),
            "excess over the limit, relative to the row's size",
        )


@discreet
def diagnose_program(program: Program, target: Vector) -> Diagnosis:
    """The rows that block a program without noise: least total excess, by a linear program."""
    scaling = Scaling.of(program, target)
    A, G = scaling.rows(program.rows.matrix), scaling.equalities(program.equalities.matrix)
    m, n = A.shape
    lp = WarmLP(
        c=np.concatenate([np.zeros(n), np.ones(m)]),
        M=sp.block_array([[A, -sp.eye_array(m)], [G, None]]) if m else G,
        row_lower=np.concatenate([np.full(m, -np.inf), scaling.targets(target)]),
        row_upper=np.concatenate([scaling.bounds(program.rows.bound), scaling.targets(target)]),
        lower=np.concatenate([np.full(n, -np.inf), np.zeros(m)]),
        upper=np.full(n + m, np.inf),
    )
    answer = lp.solve()
    excess = np.zeros(m) if answer is None else answer.x[n:]
    order = [int(i) for i in np.argsort(-excess) if excess[i] > 1e-7]
    names = program.rows.names
    return Diagnosis(
        rows=tuple(names[i] for i in order),
        excess=tuple(float(excess[i]) for i in order),
        epsilon=None,
        alpha=None,
        eta=None,
        before_noise=True,
    )
