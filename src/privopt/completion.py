"""The completion test: can a released vector be completed to a feasible solution?

    t(y) = min t   subject to   A z <= b + t * size,   G z = d,   S z = y,   t >= 0

No completion exists if t(y) exceeds the tolerance: the paper's test of feasibility. t is convex and
piecewise linear in y, so each solved y gives a tangent that settles many others without a linear
program; the rest start from the last basis.

`rows` of G can be left out: with the public equalities alone this is a test that reads nothing
private.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.conic.highs import WarmLP
from privopt.conic.scaling import Scaling
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
    ) -> None:
        size = len(program.equalities)
        kept = np.arange(size) if keep is None else keep
        # A test on public data must not look at the others, not even for units.
        visible = np.zeros(size)
        visible[kept] = target[kept]
        scaling = Scaling.of(program, visible, noise=0.0)
        A: Any = scaling.rows(program.rows.matrix)
        b = scaling.bounds(program.rows.bound)
        G: Any = scaling.equalities(program.equalities.matrix)[kept]
        d = scaling.targets(visible)[kept]
        query: Any = sp.csr_array(S @ sp.diags_array(scaling.columns))
        length = np.sqrt(query.multiply(query).sum(axis=1))
        self._factor = 1.0 / (length * scaling.rho)
        query = sp.diags_array(1.0 / length) @ query
        m, k, p = A.shape[0], G.shape[0], query.shape[0]
        limit = sp.csr_array((1 + np.abs(b))[:, None])
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
            if answer.value <= tolerance:
                continue
            verdict[i] = True
            slope = answer.dual[self._rows]
            left = np.flatnonzero(unsettled)
            bound = answer.value + (scaled[left] - scaled[i]) @ slope
            settled = left[bound > 2 * tolerance]
            verdict[settled] = True
            unsettled[settled] = False
        return verdict
