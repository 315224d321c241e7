"""Is S z~ the same at every optimum?

Two optima differ by a v with G v = 0, C2 v = 0 and c1'v = 0 (a convex quadratic is constant along a
segment of minimisers only so). If every row of S lies in the span of the rows of [G; C2; c1'], then
S v = 0 and the released values are unique, whatever the solver. Random v with G v = 0, C2 v = 0,
c1'v = 0 tell.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse
from privopt.model.objective import Objective
from privopt.model.program import ConvexProgram
from privopt.solving.equilibration import scaled
from privopt.solving.projector import Projector
from privopt.solving.sparse import places, stacked, taken

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
        priced = np.flatnonzero(program.linear)
        row: Any = (program.linear[priced], priced, [0, len(priced)])
        parts += [C2, sp.csr_array(row, shape=(1, program.n))]
    every = stacked(*parts)
    units = program.equilibration[2]
    own = scaled(S, units)
    size = np.sqrt(np.bincount(places(own), np.square(own.data), own.shape[0]))
    # A random v tells: S v = 0 for it and not for all has probability zero.
    start = np.random.default_rng(0).normal(size=(program.n, _PROBES))
    filled = np.flatnonzero(np.diff(every.indptr))
    free = Projector(scaled(taken(every, filled), units)).null_part(start)
    moved = np.abs(np.asarray(own @ free))
    return bool((moved < 1e-6 * size[:, None]).all())
