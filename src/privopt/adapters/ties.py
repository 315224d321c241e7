"""Public equalities as pairs of rows, so that d holds the private data and nothing else.

    E z = g     becomes     E z <= g,  -E z <= -g

`ConvexProgram` takes such a pair for the equality it is. Rows `a` and `-a` make the equality `a`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse, Vector
from privopt.solving.directions import Directions
from privopt.solving.presolve import ROUNDING

__all__ = ["ties"]


def ties(E: Sparse, g: Vector, names: Sequence[str]) -> tuple[Sparse, Vector, list[str]]:
    """Rows, right-hand sides and names of E z = g, each equality once."""
    kept = _once(E, g)
    above: Any = E[kept]
    return (
        sp.csr_array(sp.vstack([above, -above])),
        np.concatenate([g[kept], -g[kept]]),
        [names[i] for i in kept] + [f"-{names[i]}" for i in kept],
    )


def _once(E: Sparse, g: Vector) -> list[int]:
    """Positions of equalities, without those that repeat an earlier one (or say 0 = 0)."""
    ways = Directions.of(E)
    value = g / ways.factor
    empty = np.diff(E.indptr) == 0
    first = ways.lead[ways.group]
    size = np.maximum(np.abs(value), np.abs(value[first]))
    same = np.abs(value - value[first]) <= ROUNDING * size
    again = same & (first != np.arange(len(g)))
    idle = (empty & (g == 0)) | (again & ~empty)
    return np.flatnonzero(~idle).tolist()
