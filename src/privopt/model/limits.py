"""Private limits: rows A z <= b whose right-hand side is private.

    a'z <= d_i        becomes        a'z - w <= 0,   w = d_i

with a further variable w, a copy of the datum. So every private number is the right-hand side of an
equality, and everything that is proven of those holds for limits. The copy has the row's name, and
so has the entry of d; it costs no time that can be measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse, Vector
from privopt.errors import InputError
from privopt.labels import positions

__all__ = ["chosen_limits", "copied", "padded", "wider", "with_copies"]


def chosen_limits(which: Any, row_names: Sequence[str], taken: Sequence[str]) -> list[int]:  # noqa: ANN401
    """Positions of the rows whose limit is private; their names must be free for the copies."""
    if which is None:
        return []
    chosen = positions(which, tuple(row_names), "rows")
    if not chosen or len(set(chosen)) != len(chosen):
        raise InputError(
            "`private_limits` is empty or names a row twice.",
            "each row of A with a private limit once.",
            "leave `private_limits` out where all limits are public.",
        )
    twice = [row_names[i] for i in chosen if row_names[i] in set(taken)]
    if twice:
        raise InputError(
            f"the row {twice[0]!r} has the name of a variable, or of an entry of d.",
            "names of their own for rows with a private limit: they name entries of d.",
            "pass row_names=.",
        )
    return chosen


def with_copies(A: Sparse, b: Vector, limits: Sequence[int], first: int) -> tuple[Sparse, Vector]:
    """The rows with a'z - w <= 0 where the limit is private, w the variables from `first` on."""
    place: Any = (np.full(len(limits), -1.0), (list(limits), first + np.arange(len(limits))))
    bound = b.copy()
    bound[list(limits)] = 0.0
    return sp.csr_array(A + sp.csr_array(place, shape=A.shape)), bound


def copied(G: Sparse, first: int) -> Sparse:
    """The equalities G z = d, then w = d for each of the variables from `first` on."""
    n = G.shape[1]
    own = sp.eye_array(n, format="csr")[first:]
    return sp.csr_array(sp.vstack([G, own]))


def wider(M: Sparse, n: int) -> Sparse:
    """The same rows with further variables at the end of z."""
    parts: Any = (M.data, M.indices, M.indptr)
    return sp.csr_array(parts, shape=(M.shape[0], n))


def padded(values: Vector, count: int, value: float) -> Vector:
    """A vector with one value for each of the copies at its end."""
    return np.concatenate([values, np.full(count, value)])
