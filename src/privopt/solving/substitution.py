"""Variables X in the place of the values V = M L X that a program is written in.

A program is easiest to write down in (z, V, auxiliary variables), V the values of the working rows
in the columns of the recourse. It is solved in (z, X, auxiliary), with K X = 0 as the `space` has
it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Vector
from privopt.solving.directions import Positions
from privopt.solving.problem import Cone, ConicProblem
from privopt.solving.space import Space

__all__ = ["substituted"]


def substituted(
    problem: ConicProblem,
    n: int,
    space: Space,
    r: int,
    P: list[Any],
    q: Vector,
    still: NDArray[np.intp] | None = None,
) -> ConicProblem:
    """The program in (z, X, auxiliary); z has n entries, X has r columns in the space.

    P are the blocks of the cost of z and of the columns of X, q is their linear cost; `still` are
    entries of X (by columns) that are zero.
    """
    part: Any = problem.A.tocoo()
    right, cones, height = [problem.b], problem.cones, len(problem.b)
    count, k = space.rows.shape
    v, x = n + count * r, n + k * r  # where V and X end
    at = (part.col >= n) & (part.col < v)
    # One column after the other: an entry of V becomes a row of M L.
    column, row = np.divmod(part.col[at] - n, count or 1)
    source, entry = _rows_of(space.rows, row)
    data: list[Any] = [part.data[at][source] * space.rows.data[entry]]
    rows: list[Any] = [part.row[at][source]]
    columns: list[Any] = [n + k * column[source] + space.rows.indices[entry]]
    if bound := int(space.K.shape[0]):
        K: Any = space.K.tocoo()
        data += [K.data] * r
        rows.append((height + K.row + bound * np.arange(r)[:, None]).ravel())
        columns.append((n + K.col + k * np.arange(r)[:, None]).ravel())
        right.append(np.zeros(r * bound))
        cones, height = (*cones, Cone.zero(r * bound)), height + r * bound
    others = (part.col < n) | (part.col >= v)
    data.append(part.data[others])
    rows.append(part.row[others])
    columns.append(part.col[others] + np.where(part.col[others] < n, 0, x - v))
    if still is not None:
        data.append(np.ones(len(still)))
        rows.append(height + np.arange(len(still)))
        columns.append(n + still)
        right.append(np.zeros(len(still)))
        cones, height = (*cones, Cone.zero(len(still))), height + len(still)
    width = problem.A.shape[1] - v + x
    place: Any = (np.concatenate(rows), np.concatenate(columns))
    return ConicProblem(
        _diagonal(P, width),
        np.concatenate([q, problem.q[v:]]),
        sp.csc_array((np.concatenate(data), place), shape=(height, width)),
        np.concatenate(right),
        cones,
    )


def _rows_of(M: Any, rows: Positions) -> tuple[Positions, Positions]:  # noqa: ANN401 -- csr
    """For each entry of some rows of M: the place in `rows`, and the place in the data of M."""
    length = np.diff(M.indptr)[rows]
    source = np.repeat(np.arange(len(rows)), length)
    start = np.repeat(M.indptr[rows] - np.cumsum(length) + length, length)
    return source, start + np.arange(len(source))


def _diagonal(blocks: list[Any], width: int) -> Any:  # noqa: ANN401 -- any scipy sparse
    """Blocks along the diagonal, and zeros up to the width."""
    parts = [block.tocoo() for block in blocks]
    starts = np.cumsum([0, *(part.shape[0] for part in parts)])
    place: Any = (
        np.concatenate([part.row + at for part, at in zip(parts, starts, strict=False)]),
        np.concatenate([part.col + at for part, at in zip(parts, starts, strict=False)]),
    )
    data = np.concatenate([part.data for part in parts])
    return sp.csc_array((data, place), shape=(width, width))
