"""Is S z~ the same at every optimum?

Two optima differ by a v with G v = 0, C2 v = 0 and c1'v = 0 (a convex quadratic is constant along a
segment of minimisers only so). If every row of S lies in the span of the rows of [G; C2; c1'], then
S v = 0 and the released values are unique, whatever the solver. Random v with G v = 0, C2 v = 0,
c1'v = 0 tell.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse
from privopt.model.objective import Objective
from privopt.model.program import ConvexProgram
from privopt.solving.projector import Projector

__all__ = ["released_is_unique"]

_PROBES = 6


def released_is_unique(program: ConvexProgram, S: Sparse, objective: Objective) -> bool:
    """Whether the cost and the equalities fix S z~ at the optimum (sufficient, not necessary)."""
    used = np.flatnonzero(np.diff(S.tocsc().indptr))
    C2 = program.quadratic
    diagonal = C2.diagonal()
    if objective.phi < 1 and C2.nnz == np.count_nonzero(diagonal) and (diagonal[used] > 0).all():
        return True
    parts = [program.equalities.matrix]
    if objective.phi < 1:
        parts += [C2, sp.csr_array(program.linear[None, :])]
    stacked = sp.csr_array(sp.vstack(parts))
    filled = np.flatnonzero(np.diff(stacked.indptr))
    units = sp.diags_array(program.equilibration[2])
    scaled: Sparse = sp.csr_array(S @ units)
    size = np.sqrt(scaled.multiply(scaled).sum(axis=1))
    # A random v tells: S v = 0 for it and not for all has probability zero.
    start = np.random.default_rng(0).normal(size=(program.n, _PROBES))
    free = Projector(sp.csr_array(stacked[filled] @ units)).null_part(start)
    moved = np.abs(np.asarray(scaled @ free))
    return bool((moved < 1e-6 * size[:, None]).all())
