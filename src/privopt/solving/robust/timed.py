"""Which variables of a program belong to which period: what equalities tie to its private data.

    G z = t + F u,      u = (u of period 1, ..., u of period T)

From the equalities that hold the data of a period one walks to their variables, from those to
further equalities, and so on: a variable belongs to the period that it is reached from first. One
that is reached from two periods at once, or that equalities of two periods hold, couples them (the
energy in a store, the stock of an inventory). Fixed variables belong nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Sparse

__all__ = ["COUPLES", "Timed"]

COUPLES, NOWHERE = -1, -2

Places = NDArray[np.intp]


@dataclass(frozen=True, repr=False, eq=False)
class Timed:
    """Periods of variables and private entries.

    Attributes
    ----------
    count
        How many periods there are.
    entries
        The period of each private entry.
    variables
        That of each variable; `COUPLES` where it ties several, `NOWHERE` where none reaches it.
    follows
        Variables that some equalities hold, all of them with a variable that couples: what is left
        in a store at the end.
    """

    count: int
    entries: Places
    variables: Places
    follows: NDArray[np.bool_]

    @classmethod
    def of(cls, G: Sparse, F: Sparse, entries: Places, count: int, fixed: Places) -> Timed:
        """The periods of a program's variables, from those of its private entries."""
        free = np.ones(G.shape[1], dtype=bool)
        free[fixed] = False
        ties: Any = sp.csr_array(abs(G) @ sp.diags_array(free.astype(float)))
        ties.eliminate_zeros()
        across: Any = sp.csr_array(ties.T)
        rows = _agreed(F, entries)
        variables = np.full(G.shape[1], NOWHERE)
        while True:
            seen = np.where(rows >= 0, rows, NOWHERE)
            reached = _agreed(across, seen)
            new = (variables == NOWHERE) & (reached != NOWHERE) & free
            variables[new] = reached[new]
            onward = _agreed(ties, np.where(variables >= 0, variables, NOWHERE))
            more = (rows == NOWHERE) & (onward != NOWHERE)
            rows[more] = onward[more]
            if not new.any() and not more.any():
                break
        own = _agreed(across, np.where(rows >= 0, rows, NOWHERE))
        variables[(variables >= 0) & (own == COUPLES)] = COUPLES
        with_couplers = np.asarray(ties @ (variables == COUPLES).astype(float)) > 0
        others = np.asarray(across @ (~with_couplers).astype(float)) > 0
        return cls(count, entries, variables, (variables >= 0) & ~others)

    def free(self, period: int, *, coupled: bool) -> Places:
        """The variables that answer data of a period: its own and, if asked, those that couple.

        With these go the variables that can follow them, of all periods.
        """
        own = self.variables == period
        if coupled:
            own = own | (self.variables == COUPLES) | self.follows
        return np.flatnonzero(own)


def _agreed(M: Sparse, labels: Places) -> Places:
    """For each row, the label that its columns have; `COUPLES` if several, `NOWHERE` if none.

    Columns without a period do not count.
    """
    known = labels[M.indices] >= 0
    row = np.repeat(np.arange(M.shape[0]), np.diff(M.indptr))[known]
    label = labels[M.indices][known]
    low, high = np.full(M.shape[0], np.iinfo(np.intp).max), np.full(M.shape[0], -1)
    np.minimum.at(low, row, label)
    np.maximum.at(high, row, label)
    return np.where(high < 0, NOWHERE, np.where(low == high, high, COUPLES)).astype(np.intp)
