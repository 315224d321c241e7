"""A gain K that answers data of a period with variables of that period: sparse, a block for each.

    minimise   sum_i weight_i |A_i K|^2      subject to   G K = F,  S K = 0

over gains whose columns of period t are zero but for its own variables and, where these cannot do
it alone, those that couple periods. Each block is one factorisation. The minimum is the same
whichever distribution the data have, so weights of the rows are all there is to choose: a row that
stands in the way of a decision gets more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse, Vector
from privopt.solving.projector import Projector
from privopt.solving.robust.timed import Timed
from privopt.solving.sparse import stacked

__all__ = ["TimedGain"]

_LITTLE = 1e-9  # on |K|^2: makes it unique
_NOTHING = 1e-13  # of the largest entry of a block: an entry that is none
_OFF = 1e-9  # of a unit change: equalities that are off by more cannot be kept


@dataclass(frozen=True, repr=False, eq=False)
class TimedGain:
    """Gains of one program and query, in scaled units.

    Attributes
    ----------
    A, G, S, F
        Rows, equalities, query, and how the right-hand side of the equalities follows the data.
    """

    timed: Timed
    A: Sparse
    G: Sparse
    S: Sparse
    F: Sparse

    def gain(self, weights: Vector, *, coupled: bool) -> Sparse | None:
        """K for some weights of the rows; None where the variables that may move cannot do it."""
        ties: Any = stacked(self.G, self.S).tocsc()
        follows: Any = sp.vstack([self.F, sp.csr_array((self.S.shape[0], self.F.shape[1]))])
        follows, rows = follows.tocsc(), self.A.tocsc()
        parts: list[tuple[Any, Any, Any]] = []
        for period in range(self.timed.count):
            columns = np.flatnonzero(self.timed.entries == period)
            free = self.timed.free(period, coupled=coupled)
            if not len(columns):
                continue
            C: Any = sp.csr_array(ties[:, free])
            right: Any = sp.csr_array(follows[:, columns])
            used = np.flatnonzero(np.diff(C.indptr) + np.diff(right.indptr))
            C, right = C[used], right[used].toarray()
            M: Any = sp.csr_array(rows[:, free])
            H = M.T @ sp.diags_array(weights) @ M + _LITTLE * sp.eye_array(len(free))
            block, _ = Projector(C, sp.csr_array(H)).solution(right)
            size = np.abs(block).max(initial=0.0)
            off = np.abs(np.asarray(C @ block) - right).max(initial=0.0)
            if not off <= _OFF * (1.0 + np.abs(right).max(initial=0.0)):
                return None
            row, column = np.nonzero(np.abs(block) > _NOTHING * size)
            parts.append((block[row, column], free[row], columns[column]))
        shape = self.A.shape[1], self.F.shape[1]
        if not parts:
            return sp.csr_array(shape)
        data, row, column = (np.concatenate(part) for part in zip(*parts, strict=True))
        return sp.csr_array((data, (row, column)), shape=shape)
