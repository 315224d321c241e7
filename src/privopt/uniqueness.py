"""Is S z~ the same at every optimum?

Two optima differ by a v with G v = 0, C2 v = 0 and c1'v = 0 (a convex quadratic is constant along a
segment of minimisers only so). If every row of S lies in the span of the rows of [G; C2; c1'], then
S v = 0 and the released values are unique, whatever the solver.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse
from privopt.conic.projector import Projector
from privopt.objective import Objective
from privopt.program import ConvexProgram

__all__ = ["released_is_unique"]


def released_is_unique(program: ConvexProgram, S: Sparse, objective: Objective) -> bool:
    """Whether the cost and the equalities fix S z~ at the optimum (sufficient, not necessary)."""
    parts = [program.equalities.matrix]
    if objective.phi < 1:
        parts += [program.quadratic, sp.csr_array(program.linear[None, :])]
    stacked = sp.csr_array(sp.vstack(parts))
    used = np.flatnonzero(np.diff(stacked.indptr))
    units = sp.diags_array(program.equilibration[2])
    scaled: Sparse = sp.csr_array(S @ units)
    size = np.sqrt(scaled.multiply(scaled).sum(axis=1))
    free = Projector(sp.csr_array(stacked[used] @ units)).null_part(scaled.toarray().T / size)
    return bool(np.abs(free).max(initial=0.0) < 1e-6)
