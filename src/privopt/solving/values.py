"""Columns of a recourse inside a conic program, by their values at some rows.

The values are start + V, one row a watched row; the program is written in V, which is stored column
by column, and X takes its place later (`substitution`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.blocks import Blocks, Entries, Terms
from privopt.solving.directions import Positions
from privopt.solving.margins import Cuboid
from privopt.solving.problem import Cone

__all__ = ["Values"]


@dataclass(frozen=True, repr=False, eq=False)
class Values:
    """Values of columns (watched rows x columns), V from the variable `first` on."""

    first: int
    start: Dense

    def at(self, rows: Any, columns: Any) -> NDArray[np.intp]:  # noqa: ANN401 -- index arrays
        """The variables of some rows and columns of V."""
        return self.first + np.asarray(rows) + len(self.start) * np.asarray(columns)

    def linear(
        self, terms: Terms, right: Vector, at: Positions, rows: Positions, gradients: Dense
    ) -> None:
        """Add gradient'(values of a watched row) to rows `at` of a program."""
        count = gradients.shape[1]
        columns = self.at(rows[:, None], np.arange(count)).ravel()
        terms.append((0, Entries(gradients.ravel(), np.repeat(at, count), columns)))
        right[at] -= (gradients * self.start[rows]).sum(axis=1)

    def absolute(self, blocks: Blocks, rows: Positions) -> int:
        """Variables u >= |values| of some rows, column by column; where they start."""
        start = self.start[rows]
        u, own = blocks.variables(start.size), np.arange(start.size)
        at = self.at(rows, np.arange(start.shape[1])[:, None]).ravel()
        for sign in (1.0, -1.0):
            terms: Terms = [
                (0, Entries(np.full(len(own), sign), own, at)),
                (u, Entries(np.full(len(own), -1.0), own, own)),
            ]
            blocks.add(Cone.nonnegative(len(own)), terms, -sign * start.T.ravel())
        return u

    def support(
        self,
        terms: Terms,
        right: Vector,
        at: Positions,
        rows: Positions,
        factor: Vector,
        box: Cuboid,
        u: tuple[int, int],
    ) -> None:
        """Add the support function of a box, at `factor` times the values of a watched row.

        u is where the absolute values of the watched rows are, and of how many.
        """
        middle, size, (position, groups) = box.middle, len(box.low), u
        column = rows[:, None] + groups * np.arange(size)
        weight = np.abs(factor)[:, None] * box.half
        terms.append((position, Entries(weight.ravel(), np.repeat(at, size), column.ravel())))
        if middle.any():
            self.linear(terms, right, at, rows, factor[:, None] * middle)

    def norms(self, blocks: Blocks, rest: Vector) -> int:
        """Variables t >= the 2-norm of each of the first rows, and of `rest`; where they start."""
        groups, r = len(rest), self.start.shape[1]
        t, extra = blocks.variables(groups), int(bool(rest.any()))
        size = 1 + r + extra
        every: Positions = np.arange(groups, dtype=np.intp)
        heads: Positions = every * size
        tails: Positions = np.add.outer(heads, 1 + np.arange(r, dtype=np.intp))
        moving = self.at(every[:, None], np.arange(r)).ravel()
        terms: Terms = [
            (t, Entries(np.full(groups, -1.0), heads, every)),
            (0, Entries(np.full(groups * r, -1.0), tails.ravel(), moving)),
        ]
        right = np.zeros(groups * size)
        right[tails.ravel()] = self.start[:groups].ravel()
        if extra:
            right[heads + size - 1] = rest
        blocks.add([Cone.second_order(size)] * groups, terms, right)
        return t
