"""A program in two parts that meet only in some shared rows, for `interior_point`.

    minimise   sum_b 1/2 x_b'P_b x_b + q_b'x_b
    subject to B_b x_b + s_b = b_b,  s_b >= 0               rows of one part alone
               sum_b C_b x_b + s = b,  s >= 0               shared rows
               E x_0 = d                                    equalities of the first part

The parts are z (`mean_part`) and the columns of the recourse under a box (`box_columns`). In a
Newton step each applies the inverse of its own K_b = P_b + B_b'W_b^-2 B_b, as its structure allows;
what remains is one dense matrix over the shared rows,

    sum_b C_b K_b^-1 C_b' + W^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.solving.box_columns import BoxColumns, Places
from privopt.solving.definite import Cholesky
from privopt.solving.interior import Newton, Start
from privopt.solving.mean_part import MeanPart

__all__ = ["Arrow", "MeanPart", "Overlap"]

_ROOM = 0.1  # slack of a row at the start, at least
_MUCH = 1e100  # multiplier under which the columns take as little of the shared rows as they can


@dataclass(frozen=True, repr=False, eq=False)
class Overlap:
    """A point of an arrow, and the directions and shared rows that it has in common with another.

    Both are pairs: where they are in the arrow of the point, and where in the other.
    """

    arrow: Arrow
    point: Start
    directions: tuple[Places, Places]
    rows: tuple[Places, Places]


class Arrow:
    """z, the columns, and the rows they share, in the form that `interior_point` takes.

    The order of the rows: those of z, those of the columns, the shared ones.
    """

    def __init__(self, mean: MeanPart, columns: BoxColumns, limits: Vector) -> None:
        self.mean, self.columns = mean, columns
        self._n = len(mean.cost)
        self._ends = len(mean.limits), len(mean.limits) + len(columns.limits)
        self.q = np.concatenate([mean.cost, columns.cost])
        self.b = np.concatenate([mean.limits, columns.limits, limits])
        self.d = mean.d

    def split(self, x: Vector) -> tuple[Vector, Vector]:
        """The variables of each part."""
        return x[: self._n], x[self._n :]

    def apart(self, rows: Vector) -> tuple[Vector, Vector, Vector]:
        """A vector over the rows: those of z, of the columns, and the shared ones."""
        first, last = self._ends
        return rows[:first], rows[first:last], rows[last:]

    def start(
        self,
        z: Vector,
        N: Dense,
        prices: tuple[Vector, Vector],
        gap: float,
        y: Vector | None = None,
        overlap: Overlap | None = None,
    ) -> Start:
        """Near a solution of a similar program, away from limits.

        `prices` are multipliers of the rows of z and of the shared ones. The slack of a shared row
        is divided among the columns. An earlier point stays as it is where they `overlap`, and its
        gap is the one to start from.
        """
        if overlap is not None:
            gap = float(overlap.point.slack @ overlap.point.dual)
        t, mean, columns = gap / len(self.b), self.mean, self.columns
        limits, (own, shared_prices) = self.b[self._ends[1] :], prices
        # First with the values as they are, then with the room that products of t need.
        tight = columns.start(N, np.full(len(limits), _MUCH), 0.0)
        least = mean.shared(z) + columns.shared(tight.x)
        slack = np.maximum(limits - least, _ROOM)
        dual = np.maximum(shared_prices, t / slack * (1 + 2 * len(columns.fixed)))
        begun = columns.start(N, dual, t)
        slack = np.maximum(slack + least - (mean.shared(z) + columns.shared(begun.x)), t / dual)
        room = np.maximum(mean.limits - mean.own(z), _ROOM)
        own = np.maximum(own, t / room)
        room = np.maximum(room, t / own)
        start = Start(
            np.concatenate([z, begun.x]),
            np.concatenate([room, begun.slack, slack]),
            np.concatenate([own, begun.dual, dual]),
            y,
        )
        if overlap is not None:
            _, *alone = np.intersect1d(overlap.arrow.mean.alone, mean.alone, return_indices=True)
            before, point = overlap.arrow, overlap.point
            from_x, from_rows = before.places(alone[0], overlap.directions[0], overlap.rows[0])
            x, rows = self.places(alone[1], overlap.directions[1], overlap.rows[1])
            start.x[x] = point.x[from_x]
            start.slack[rows], start.dual[rows] = point.slack[from_rows], point.dual[from_rows]
        return start

    def places(self, alone: Places, directions: Places, shared: Places) -> tuple[Places, Places]:
        """Where the variables and rows of some directions, rows of z and shared rows are."""
        every: tuple[Any, Any] = np.arange(len(self.q)), np.arange(len(self.b))
        z, columns = every[0][: self._n], every[0][self._n :]
        own, numbers, together = self.apart(every[1])
        x, rows = self.columns.places(directions)
        positions: list[Any] = [own[alone], together[shared], numbers[rows]]
        return np.concatenate([z, columns[x]]), np.concatenate(positions)

    # What `interior_point` asks for.

    def quadratic(self, x: Vector) -> Vector:
        """P x."""
        z, own = self.split(x)
        return np.concatenate([self.mean.quadratic(z), self.columns.quadratic(own)])

    def rows(self, x: Vector) -> Vector:
        """B x."""
        z, own = self.split(x)
        shared = self.mean.shared(z) + self.columns.shared(own)
        return np.concatenate([self.mean.own(z), self.columns.own(own), shared])

    def rows_transposed(self, dual: Vector) -> Vector:
        """B' times multipliers of the rows."""
        mean, columns = self.mean, self.columns
        first, own, shared = self.apart(dual)
        on_z = mean.own_transposed(first) + mean.shared_transposed(shared)
        return np.concatenate(
            [on_z, columns.own_transposed(own) + columns.shared_transposed(shared)]
        )

    def equalities(self, x: Vector) -> Vector:
        """E x."""
        return self.mean.equalities(x[: self._n])

    def equalities_transposed(self, y: Vector) -> Vector:
        """E' times multipliers of the equalities."""
        gradient = np.zeros(len(self.q))
        gradient[: self._n] = self.mean.equalities_transposed(y)
        return gradient

    def newton(self, weights: Vector) -> Newton:
        """Solves of the Newton system."""
        mean, columns = self.mean, self.columns
        on_z, on_columns, on_shared = self.apart(weights)
        S, first, follow = mean.factored(on_z)
        gram, answer = columns.reduced(on_columns)
        S += gram
        count = len(S)
        S[np.arange(count), np.arange(count)] += 1.0 / on_shared
        factor = Cholesky(S)

        def solve(f: Vector, e: Vector, h: Vector) -> tuple[Vector, Vector, Vector]:
            # Multipliers of a part's own rows follow from its variables: they go first.
            h_z, h_columns, h_shared = self.apart(h)
            f_z, f_columns = self.split(f)
            f_z = f_z + mean.own_transposed(on_z * h_z)
            f_columns = f_columns + columns.own_transposed(on_columns * h_columns)
            both = first(f_z, e)
            part = mean.shared(both[: self._n]) - h_shared
            part += columns.shared(answer(f_columns))
            dual = factor.solve(part)
            both = both - follow(dual)
            own = answer(f_columns - columns.shared_transposed(dual))
            z, y = both[: self._n], both[self._n :]
            rows = [
                on_z * (mean.own(z) - h_z),
                on_columns * (columns.own(own) - h_columns),
                dual,
            ]
            return np.concatenate([z, own]), y, np.concatenate(rows)

        return solve
