"""The completion test: can a released vector be completed to a feasible solution?

    t(y) = min t   subject to   A z <= b + t * size,   G z = d,   S z = y,   t >= 0

No completion exists if t(y) exceeds the tolerance: the paper's test of feasibility. t is convex and
piecewise linear in y, so each solved y settles many others without a linear program: its tangent
shows that they have no completion either, or its solution, moved along as its basis says, is one of
theirs. The rest start from the last basis.

With `keep`, only those equalities count: with the public ones alone, this is a test that reads
nothing private.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.conic.highs import WarmLP
from privopt.conic.scaling import Scaling, scaled
from privopt.errors import InputError
from privopt.program import ConvexProgram

__all__ = ["Completion"]


class Completion:
    """The completion test of one program and query, for many released vectors."""

    def __init__(
        self,
        program: ConvexProgram,
        S: Sparse,
        target: Vector,
        *,
        keep: NDArray[np.intp] | None = None,
        scaling: Scaling | None = None,
    ) -> None:
        size = len(program.equalities)
        kept = np.arange(size) if keep is None else keep
        # A test on public data must not look at the others, not even for units.
        visible = np.zeros(size)
        visible[kept] = target[kept]
        scaling = scaling or Scaling.of(program, visible)
        A: Any = scaling.rows(program.rows.matrix)
        b = scaling.bounds(program.rows.bound)
        G: Any = scaling.equalities(program.equalities.matrix)[kept]
        d = scaling.targets(visible)[kept]
        query: Any = scaled(S, scaling.columns)
        length = np.sqrt(query.multiply(query).sum(axis=1))
        self._factor = 1.0 / length
        query = sp.diags_array(1.0 / length) @ query
        m, k, p = A.shape[0], G.shape[0], query.shape[0]
        self._A, self._b, self._limit = A, b, 1 + np.abs(b)
        self._G, self._query = G, query
        limit = sp.csr_array(self._limit[:, None])
        matrix = sp.block_array(
            [[A, -limit], [G, None], [query, None]]
            if m
            else [[G, None], [query, sp.csr_array((p, 1))]]
        )
        n = program.n
        self._lp = WarmLP(
            c=np.concatenate([np.zeros(n), [1.0]]),
            M=matrix,
            row_lower=np.concatenate([np.full(m, -np.inf), d, np.zeros(p)]),
            row_upper=np.concatenate([b, d, np.zeros(p)]),
            lower=np.concatenate([np.full(n, -np.inf), [0.0]]),
            upper=np.full(n + 1, np.inf),
        )
        self._rows: NDArray[np.intp] = np.arange(m + k, m + k + p)
        self.solves = 0

    def impossible(self, y: Dense, tolerance: float) -> NDArray[np.bool_]:
        """For each row of y: whether no completion exists within the tolerance."""
        if not np.isfinite(y).all():
            raise InputError("a released vector is not finite.", "finite numbers.", "check it.")
        scaled = y * self._factor
        verdict = np.zeros(len(y), dtype=bool)
        unsettled = np.ones(len(y), dtype=bool)
        for i in range(len(y)):
            if not unsettled[i]:
                continue
            unsettled[i] = False
            self.solves += 1
            answer = self._lp.solve(self._rows, scaled[i])
            if answer is None:  # the equalities alone refuse y
                verdict[i] = True
                continue
            verdict[i] = answer.value > tolerance
            left = np.flatnonzero(unsettled)
            step = scaled[left] - scaled[i]
            if verdict[i]:
                bound = answer.value + step @ answer.dual[self._rows]
                settled = left[bound > 2 * tolerance]
                verdict[settled] = True
            else:
                settled = left[self._follow(answer.x, step) <= tolerance]
            unsettled[settled] = False
        return verdict

    def _follow(self, x: Vector, step: Dense) -> Vector:
        """Largest excess of a row, relative to its size, if the solution follows y by its basis."""
        n = self._A.shape[1]
        moved = self._lp.slope(self._rows)[:n]
        start = np.asarray(self._A @ x[:n]) - self._b
        excess = (start[:, None] + np.asarray(self._A @ moved) @ step.T) / self._limit[:, None]
        # Where the equalities depend on each other the basis may leave one of them behind.
        stay = np.abs(np.asarray(self._G @ moved) @ step.T).max(axis=0, initial=0.0)
        reach = np.abs((np.asarray(self._query @ moved) - np.eye(len(self._rows))) @ step.T)
        worst = np.maximum(excess.max(axis=0, initial=-np.inf), stay)
        return np.maximum(worst, reach.max(axis=0, initial=0.0))
