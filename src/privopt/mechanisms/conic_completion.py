"""The completion test of a program with curved rows: one cone program for each released vector.

    t(y) = min t   subject to   A z <= b + t * size,   C z + e + t * size * inside in K,
                                G z = d,   S z = y,   t >= 0

No completion exists if t(y) exceeds the tolerance, as in `completion`, whose short cuts need
piecewise linear functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.model.program import ConvexProgram
from privopt.solving.equilibration import largest_of_rows, scaled
from privopt.solving.problem import Cone, ConicProblem, Outcome
from privopt.solving.scaling import Scaling
from privopt.solving.solver import Settings, solve_conic

__all__ = ["ConicCompletion"]


class ConicCompletion:
    """The completion test of one program and query, for some released vectors."""

    def __init__(
        self,
        program: ConvexProgram,
        S: Sparse,
        target: Vector,
        kept: NDArray[np.intp],
        scaling: Scaling,
    ) -> None:
        A, b = scaling.rows(program.rows.matrix), scaling.bounds(program.rows.bound)
        C, e = scaling.cones(program.cones)
        G: Any = scaling.equalities(program.equalities.matrix)[kept]
        self._d = scaling.targets(target)[kept]
        self._factor = 1 / largest_of_rows(S, scaling.columns)
        query = scaled(S, scaling.columns, self._factor)
        # One size for each cone: other multiples of an inner point may be outside.
        sizes = 1 + np.abs(e).reshape(-1, 3).max(axis=1, initial=0.0)
        pairs = zip(sizes, program.cones.cones, strict=True)
        inside = np.concatenate([np.zeros(0), *(size * cone.inside for size, cone in pairs)])
        column = sp.csr_array
        self._A = sp.block_array(
            [
                [G, column((G.shape[0], 1))],
                [query, column((query.shape[0], 1))],
                [A, column(-(1 + np.abs(b))[:, None])],
                [column((1, program.n)), column(np.array([[-1.0]]))],
                [-C, column(-inside[:, None])],
            ],
            format="csc",
        )
        self._right = np.concatenate([b, [0.0], e])
        self._cones = (
            Cone.zero(G.shape[0] + query.shape[0]),
            Cone.nonnegative(len(b) + 1),
            *program.cones.cones,
        )
        self._n = program.n

    def impossible(self, y: Dense, tolerance: float) -> NDArray[np.bool_]:
        """For each row of y: whether no completion exists within the tolerance."""
        verdict = np.zeros(len(y), dtype=bool)
        n = self._n
        for i, values in enumerate(y * self._factor):
            problem = ConicProblem(
                P=sp.csc_array((n + 1, n + 1)),
                q=np.eye(1, n + 1, n)[0],
                A=self._A,
                b=np.concatenate([self._d, values, self._right]),
                cones=self._cones,
            )
            answer = solve_conic(problem, Settings())
            verdict[i] = answer.outcome is not Outcome.OPTIMAL or answer.x[-1] > tolerance
        return verdict
