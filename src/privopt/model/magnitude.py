"""A public bound on the released values: |S z| <= bound under the public inequalities.

From the bounds of the variables where they suffice, otherwise by linear programs over A z <= b and
the bounds. It fixes the grid of the release, so it may not depend on d. None if the public data
give no bound; the release is then still private, and exact up to the rounding of a double.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Sparse
from privopt.errors import SolverError
from privopt.model.program import ConvexProgram
from privopt.solving.highs import WarmLP

__all__ = ["public_bound"]


def public_bound(program: ConvexProgram, S: Sparse) -> float | None:
    """A bound on |S z| that the public inequalities give, or None."""
    reach = np.maximum(np.abs(program.lower), np.abs(program.upper))
    used = np.diff(S.tocsc().indptr) > 0
    if np.isfinite(reach[used]).all():
        return float((abs(S) @ np.where(used, reach, 0.0)).max())
    if not program.A.shape[0]:
        return None
    largest = 0.0
    for row in range(S.shape[0]):
        s = S[[row]].toarray().ravel()
        for sign in (1.0, -1.0):
            lp = WarmLP(
                c=-sign * s,
                M=program.A,
                row_lower=np.full(len(program.b), -np.inf),
                row_upper=program.b,
                lower=program.lower,
                upper=program.upper,
            )
            try:
                answer = lp.solve()
            except SolverError:
                return None
            if answer is None or not np.isfinite(answer.value):
                return None
            largest = max(largest, abs(answer.value))
    return largest
