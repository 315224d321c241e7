"""A public bound on the released values: |S z| <= bound under the public inequalities.

From the bounds of the variables where they suffice, otherwise by linear programs over A z <= b and
the bounds. It fixes the grid of the release, so it may not depend on d. None if the public data
give no bound; the release is then still private, and exact up to the rounding of a double.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Sparse, Vector
from privopt.errors import SolverError
from privopt.model.program import ConvexProgram
from privopt.solving.highs import WarmLP
from privopt.solving.sparse import absolute, like, places, stacked, taken

__all__ = ["public_bound"]

_APART = 1e-9  # of their size: bounds that contradict each other by less do not, up to rounding


def public_bound(program: ConvexProgram, S: Sparse) -> float | None:
    """A bound on |S z| that the public inequalities give, or None."""
    reach = np.maximum(np.abs(program.lower), np.abs(program.upper))
    used = np.isin(np.arange(program.n), S.indices)
    if np.isfinite(reach[used]).all():
        return float((absolute(S) @ np.where(used, reach, 0.0)).max())
    if not program.A.shape[0]:
        return None
    low, high = program.box
    if (low - high > _APART * np.maximum(1, np.abs(low))).any():
        return None
    rows, most, sure = _by_box(program, S)
    largest = float(most[sure].max(initial=0.0))
    if not np.isfinite(largest):
        return None
    # What the box allows is no less than what all rows do: those that it keeps below need no look.
    lp: WarmLP | None = None
    for i in np.argsort(-most, kind="stable"):
        if sure[i]:
            continue
        if most[i] <= largest:
            break
        lp = lp or WarmLP(
            c=np.zeros(program.n),
            M=program.A,
            row_lower=np.full(len(program.b), -np.inf),
            row_upper=program.b,
            lower=program.lower,
            upper=program.upper,
        )
        try:
            answer = lp.minimise(-taken(rows, np.array([i])).toarray().ravel())
        except SolverError:
            return None
        if answer is None or not np.isfinite(answer.value):
            return None
        largest = max(largest, abs(answer.value))
    return largest


def _by_box(program: ConvexProgram, S: Sparse) -> tuple[Sparse, Vector, NDArray[np.bool_]]:
    """Rows of S and -S, the most that the box of z lets each be, and whether that is all there is.

    It is where no row of A ties its variables to each other.
    """
    low, high = program.box
    rows = stacked(S, like(S, -S.data))
    ends = np.where(rows.data > 0, high[rows.indices], low[rows.indices])
    most = np.bincount(places(rows), rows.data * ends, rows.shape[0]).astype(float)
    couples = np.repeat(np.diff(program.A.indptr) > 1, np.diff(program.A.indptr))
    tied = np.zeros(program.n)
    tied[program.A.indices[couples]] = 1.0
    return rows, most, np.asarray(absolute(rows) @ tied) == 0
