"""The particular recourse: Z_0 of least cost tr(Z'C2 Z) with G Z_0 = 0 and S Z_0 = I.

One sparse factorisation of [[C2, C'], [C, 0]], C = [G; S], answers every column. Small ones are
kept as a matrix; beyond `DENSE` numbers Z_0 stays an operator, and what is needed of all its
columns (norms of rows, sizes, cost) is gathered in one pass over blocks of them.

Z_0 depends on C2, G, S and the inequalities, not on d: every solve of the same program and query
shares it (`particular_of`). A variable without a cost in C2 gets a tiny one, if it has bounds or a
linear cost, and more at a high price; without C2, that is the whole cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.allowed import Allowed
from privopt.solving.equilibration import column_sizes, largest_of_rows, scaled
from privopt.solving.program import Program
from privopt.solving.projector import Projector
from privopt.solving.sparse import absolute, heavier, like, places, stacked, taken

__all__ = ["BLOCK", "DENSE", "Particular", "particular_of"]

DENSE = 60_000_000  # numbers up to which Z_0 is kept as a matrix
BLOCK = 20_000_000  # numbers of an operator in memory at once
_TINY = 1e-8  # cost of a variable that has none, relative to the largest
_HIGHEST = 1e3  # times the usual price: a price beyond it counts no more
_MODERATE = 1e10
_LARGEST = 1e7  # entries of Z_0, in units of what is released, beyond which it is of no use
_RESIDUAL = 1e-9
_PROBES = 6  # random directions that tell which rows a recourse can move
_STILL = 1e-7  # a row that moves by less of its size does not


class Particular:
    """Z_0 of one program and query.

    `exists` tells whether there is any; `definite`, whether C2 alone singles it out.
    """

    def __init__(self, program: Program, S: Sparse, still: NDArray[np.bool_] | None = None) -> None:
        columns = program.equilibration[2]
        if (np.diff(S.indptr) > 1).any():  # the query ties variables to each other, too
            columns = column_sizes(program.rows.matrix, program.equalities.matrix, S)
        self._units = columns
        self._equalities = len(program.independent)
        self.shape = program.n, S.shape[0]
        independent = taken(program.equalities.matrix, program.independent)
        G = scaled(independent, columns, 1 / largest_of_rows(independent, columns))
        self._query = 1 / largest_of_rows(S, columns)  # released values come in any units, too
        self._C = stacked(G, scaled(S, columns, self._query))
        self._A = scaled(program.rows.matrix, columns)
        self._C2 = scaled(program.quadratic, columns, columns)
        self._allowed = Allowed(self._C, still)
        self._held, self.definite = still is not None, False
        self._matrix: Dense | None = None
        if self._held:
            self._matrix = self._allowed.least(self._right(slice(None)))
        else:
            self._projector = self._least_cost(program)
            if program.n * S.shape[0] <= DENSE:
                self._matrix = self._projector.correction(self._right(slice(None)))
        self._gather()

    def _least_cost(self, program: Program) -> Projector:
        """A projector whose cost singles out one Z_0; C2 itself if it does."""
        largest = float(np.abs(self._C2.data).max(initial=0.0))
        bounded = np.isfinite(program.box).any(axis=0)
        bare = (np.abs(self._C2.diagonal()) <= _TINY * largest) & (bounded | (program.linear != 0))
        C2 = like(self._C2, self._C2.data / (largest or 1.0))
        random = np.random.default_rng(0)
        relevant = bounded | (program.linear != 0) | (self._C2.diagonal() > 0)
        sizes = largest_of_rows(program.rows.matrix, self._units)
        rows = np.asarray(self._A.T @ (random.normal(size=(len(sizes), 2)) / sizes[:, None]))
        probes = np.hstack([relevant[:, None] * random.normal(size=(program.n, 2)), rows])
        projector = Projector(self._C, C2)
        if largest and _regular(projector, probes):
            self.definite = True
            return projector
        own = self._price_weights(program.linear)
        own = _TINY * np.square(own) if largest else own / own.max()
        few = np.where(bare, own, 0.0)
        for weights in (few, few + _TINY**1.25):
            projector = Projector(self._C, heavier(C2, weights))
            if _regular(projector, probes):
                break
        return projector

    def _price_weights(self, linear: Vector) -> Vector:
        """Weights of variables without a quadratic cost: a high price means little noise."""
        price = np.abs(linear * self._units)
        others = np.sort(price[price > 0])[:-1]  # the largest is compared with these
        alone = float(price.max(initial=0.0)) / _HIGHEST  # the only price counts as a high one
        usual = float(others[(len(others) - 1) // 2]) if len(others) else alone
        return np.square(np.clip(price / (usual or 1.0), 1.0, _HIGHEST))

    def _right(self, which: slice) -> Dense:
        """The right-hand sides of some columns."""
        p = self.shape[1]
        eye = np.eye(p)[:, which] if p < 4000 else _columns_of_eye(p, which)
        return self._released(eye)

    def _released(self, X: Dense) -> Dense:
        """Right-hand sides of C z with S z = X."""
        return np.vstack([np.zeros((self._equalities, X.shape[1])), self._query[:, None] * X])

    def _blocks(self) -> Iterator[Dense]:
        """Z_0 in equilibrated units, block of columns by block of columns."""
        if self._matrix is not None:
            yield self._matrix
            return
        n, p = self.shape
        step = max(1, BLOCK // (2 * n + p))
        for start in range(0, p, step):
            yield self._projector.correction(self._right(slice(start, min(start + step, p))))

    def _gather(self) -> None:
        """One pass: norms of the rows of A Z_0, largest entries, cost, residual of C Z_0."""
        squares, largest = np.zeros(self._A.shape[0]), np.zeros(self.shape[0])
        sizes = np.zeros(self.shape[0])
        self.energy, residual, start, far = 0.0, 0.0, 0, 0.0
        for block in self._blocks():
            squares += np.square(np.asarray(self._A @ block)).sum(axis=1)
            sizes += np.square(block).sum(axis=1)
            np.maximum(largest, np.abs(block).max(axis=1), out=largest)
            self.energy += float((block * np.asarray(self._C2 @ block)).sum())
            errors = np.asarray(self._C @ block)
            width = block.shape[1]
            unit = self._query[start : start + width]  # what a column of Z_0 is asked to reach
            for j in range(width):
                errors[self._equalities + start + j, j] -= unit[j]
            size = np.asarray(absolute(self._C) @ np.abs(block)) + unit
            residual = max(residual, float((np.abs(errors) / size).max(initial=0.0)))
            far = max(far, float((np.abs(block).max(axis=0, initial=0.0) / unit).max(initial=0.0)))
            start += width
        self.row_norms = np.sqrt(squares)
        self.sizes = self._units * np.sqrt(sizes)
        self.largest = self._units * largest
        self.exists = bool(residual <= _RESIDUAL and far <= _LARGEST)

    def times(self, X: Dense) -> Dense:
        """Z_0 X."""
        if self._matrix is not None:
            return self._units[:, None] * (self._matrix @ X)
        return self._units[:, None] * self._projector.correction(self._released(X))

    def under(self, M: Sparse | Dense) -> Dense:
        """M Z_0."""
        own = scaled(sp.csr_array(M), self._units) if sp.issparse(M) else M * self._units
        if self._matrix is not None:
            return np.asarray(own @ self._matrix)
        rows: Dense = own if isinstance(own, np.ndarray) else own.toarray()
        return self._projector.adjoint(rows.T)[self._equalities :].T * self._query

    def norms(self, M: Sparse) -> Vector:
        """||M_i Z_0|| for each row of M."""
        own = scaled(M, self._units)
        squares = np.zeros(M.shape[0])
        for block in self._blocks():
            squares += np.square(np.asarray(own @ block)).sum(axis=1)
        return np.sqrt(squares)

    def dense(self) -> Dense:
        """Z_0 as a matrix."""
        blocks = list(self._blocks())
        return self._units[:, None] * (blocks[0] if len(blocks) == 1 else np.hstack(blocks))

    @cached_property
    def _changes(self) -> Dense:
        """Random changes of a recourse, one a column (in equilibrated units).

        All of one size: if they were sized by their cost, expensive ones would be rounding.
        """
        start = np.random.default_rng(1).normal(size=(self.shape[0], _PROBES))
        return Projector(self._C).null_part(start)

    def moves(self, M: Sparse) -> NDArray[np.bool_]:
        """For each row of M: whether some recourse has another M_i Z than Z_0.

        Random changes tell: a row that none of them moves is moved by no change at all, but for a
        set of changes of probability zero (and up to rounding).
        """
        if self._held:
            return np.ones(M.shape[0], dtype=bool)
        own = scaled(M, self._units)
        size = np.sqrt(np.bincount(places(own), np.square(own.data), M.shape[0]))
        return np.asarray(np.abs(np.asarray(own @ self._changes)).max(axis=1) > _STILL * size)


def _regular(projector: Projector, probes: Dense) -> bool:
    """Whether the cost is positive on the null space: answers to the probes are moderate."""
    return bool(np.abs(projector.answers(probes)[0]).max(initial=0.0) <= _MODERATE)


def _columns_of_eye(p: int, which: slice) -> Dense:
    start, stop, _ = which.indices(p)
    columns = np.zeros((p, stop - start))
    columns[np.arange(start, stop), np.arange(stop - start)] = 1.0
    return columns


_REMEMBERED = 4  # queries of one program


def particular_of(
    program: Program, S: Sparse, still: NDArray[np.bool_] | None = None
) -> Particular:
    """Z_0 of a program and query, made once; the program keeps it."""
    parts = (S.indptr, S.indices, S.data, np.zeros(0) if still is None else still)
    key = b"|".join(np.ascontiguousarray(part).tobytes() for part in parts)
    remembered = program.particulars
    if key not in remembered:
        while len(remembered) >= _REMEMBERED:
            remembered.pop(next(iter(remembered)))
        remembered[key] = Particular(program, S, still)
    return remembered[key]
