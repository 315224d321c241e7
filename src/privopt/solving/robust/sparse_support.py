"""The worst case of sparse rows over a region, a few rows and entries at a time.

    max over U of a_i'(u - middle)  <=  sum_j half_j |a_ij - m_i'W e_j| + m_i^+'high - m_i^-'low

Rows that touch the same periods are looked at together, with the slabs that their entries have a
part in; the multipliers of other slabs are zero. Every m gives a bound, so that is safe; where no
slab ties periods to others it is also the same as over all of the region.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.robust.region import Region

__all__ = ["part_of", "sparse_support"]

_NUMBERS = 4_000_000  # of a dense part


def sparse_support(region: Region, a: Sparse, periods: NDArray[np.intp]) -> tuple[Vector, Dense]:
    """A bound for each row of a, and the multipliers of the slabs that prove it.

    Parameters
    ----------
    periods
        The period of each entry.
    """
    value, m = np.zeros(a.shape[0]), np.zeros((a.shape[0], len(region.W)))
    for rows, used in _alike(a, periods):
        entries = np.flatnonzero(np.isin(periods, used))
        part, entries, slabs = part_of(region, entries)
        size = max(1, _NUMBERS // max(len(entries), 1))
        for first in range(0, len(rows), size):
            some = rows[first : first + size]
            inner: Any = a[some][:, entries]
            value[some], found = part.support(inner.toarray())
            m[np.ix_(some, slabs)] = found
    return value, m


def part_of(
    region: Region, entries: NDArray[np.intp]
) -> tuple[Region, NDArray[np.intp], NDArray[np.intp]]:
    """The region of some entries: with all that share a slab with them, and these slabs."""
    slabs = np.flatnonzero(region.W[:, entries].any(axis=1))
    used = np.zeros(len(region.half), dtype=bool)
    used[entries] = True
    used |= region.W[slabs].any(axis=0)
    whole = np.flatnonzero(used)
    part = Region(
        region.middle[whole],
        region.half[whole],
        region.W[np.ix_(slabs, whole)],
        region.low[slabs],
        region.high[slabs],
    )
    return part, whole, slabs


def _alike(a: Sparse, periods: NDArray[np.intp]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows that touch the same periods, and these; rows of zeros are left out."""
    count = int(periods.max(initial=-1)) + 1
    ones: Any = (np.ones(len(a.indices)), periods[a.indices], a.indptr.copy())
    touched: Any = sp.csr_array(ones, shape=(a.shape[0], count))
    touched.sum_duplicates()
    groups: dict[bytes, list[int]] = {}
    for i in np.flatnonzero(np.diff(touched.indptr)):
        key = touched.indices[touched.indptr[i] : touched.indptr[i + 1]].astype(np.intp).tobytes()
        groups.setdefault(key, []).append(int(i))
    return [
        (np.array(rows, dtype=np.intp), np.frombuffer(key, dtype=np.intp))
        for key, rows in groups.items()
    ]
