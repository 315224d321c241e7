"""Conic rows collected block by block, with variables added as they are needed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Vector
from privopt.solving.problem import Cone, ConicProblem
from privopt.solving.sparse import places


class Entries(NamedTuple):
    """A matrix by its entries."""

    data: Vector
    row: Any
    col: Any

    @classmethod
    def of(cls, matrix: Any) -> Entries:  # noqa: ANN401 -- any scipy sparse, or entries already
        """The entries of a matrix."""
        if isinstance(matrix, Entries):
            return matrix
        if getattr(matrix, "format", "") == "csr":
            return cls(matrix.data, places(matrix), matrix.indices)
        part: Any = sp.coo_array(matrix)
        return cls(part.data, part.row, part.col)


Terms = list[tuple[int, Any]]
"""(position of the first variable, matrix or entries that multiply from there)."""


class Blocks:
    """Rows `right - sum of matrix times variables`, each block in its cone."""

    def __init__(self, variables: int) -> None:
        self._count = variables
        self._parts: list[tuple[Terms, Vector]] = []
        self._cones: list[Cone] = []
        self._costs: list[tuple[int, float]] = []
        self._rows = 0

    def variables(self, count: int) -> int:
        """Position of `count` new variables."""
        start = self._count
        self._count += count
        return start

    def cost(self, position: int, weight: float) -> None:
        """Add a linear cost on one variable."""
        self._costs.append((position, weight))

    def add(self, cones: Cone | list[Cone], terms: Terms, right: Vector) -> int:
        """Add rows, in one cone or several that follow each other; where they start."""
        self._cones.extend(cones if isinstance(cones, list) else [cones])
        self._parts.append((terms, right))
        start = self._rows
        self._rows += len(right)
        return start

    def problem(self, P: Any, q: Vector) -> ConicProblem:  # noqa: ANN401 -- any scipy sparse
        """Everything as one conic program; P and q cover the first variables."""
        data: list[Vector] = []
        rows: list[Any] = []
        columns: list[Any] = []
        start = 0
        for terms, right in self._parts:
            for position, matrix in terms:
                part = Entries.of(matrix)
                data.append(part.data)
                rows.append(part.row + start)
                columns.append(part.col + position)
            start += len(right)
        place: Any = (np.concatenate(rows), np.concatenate(columns))
        full = np.concatenate([q, np.zeros(self._count - len(q))])
        for position, weight in self._costs:
            full[position] += weight
        curved: Any = sp.csc_array(P)
        ends = np.concatenate([curved.indptr, np.full(self._count - P.shape[0], curved.nnz)])
        return ConicProblem(
            P=sp.csc_array((curved.data, curved.indices, ends), shape=(self._count, self._count)),
            q=full,
            A=sp.csc_array((np.concatenate(data), place), shape=(start, self._count)),
            b=np.concatenate([right for _, right in self._parts]),
            cones=tuple(self._cones),
        )
