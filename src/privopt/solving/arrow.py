"""Programs made of parts that meet only in some shared rows, for `interior_point`.

    minimise   sum_b 1/2 x_b'P_b x_b + q_b'x_b
    subject to B_b x_b + s_b = b_b,  s_b in a cone          rows of one part alone
               sum_b C_b x_b + s = b,  s >= 0               shared rows
               E x_0 = d                                    equalities of the first part

In a Newton step each part applies the inverse of its own K_b = P_b + B_b'W_b^-2 B_b, however its
structure allows; what remains is one dense matrix over the shared rows,

    sum_b C_b K_b^-1 C_b' + W^2.

A `Part` knows its B_b, C_b and P_b as operators, K_b^-1 as a solve, and C_b K_b^-1 C_b' as a
matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.cones import Weights
from privopt.solving.definite import Cholesky
from privopt.solving.interior import Newton, Start
from privopt.solving.mean_part import MeanPart

__all__ = ["Arrow", "Core", "MeanPart", "Overlap", "Part", "Places", "Reduced"]

_ROOM = 0.1  # slack of a row at the start, at least
_MUCH = 1e100  # multiplier under which a part takes as little of the shared rows as it can

Core: TypeAlias = Callable[[Vector, float], Start]
"""(multipliers of the shared rows, product of slacks and multipliers) -> start of a part."""

Places: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, repr=False, eq=False)
class Reduced:
    """A part under given weights: C_b K_b^-1 C_b', and K_b^-1."""

    gram: Dense
    solve: Callable[[Vector], Vector]


class Part(Protocol):
    """Variables that meet others only in the shared rows. Its own rows: numbers, then cones."""

    @property
    def cost(self) -> Vector:
        """q_b."""
        ...

    @property
    def limits(self) -> Vector:
        """b_b."""
        ...

    @property
    def cones(self) -> int:
        """Number of second-order cones among its own rows."""
        ...

    def quadratic(self, x: Vector) -> Vector:
        """P_b x."""
        ...

    def own(self, x: Vector) -> Vector:
        """B_b x."""
        ...

    def own_transposed(self, dual: Vector) -> Vector:
        """B_b' times multipliers."""
        ...

    def shared(self, x: Vector) -> Vector:
        """C_b x."""
        ...

    def shared_transposed(self, dual: Vector) -> Vector:
        """C_b' times multipliers of the shared rows."""
        ...

    def places(self, directions: Places) -> tuple[Places, Places]:
        """Where the variables and the own rows of some directions are."""
        ...

    def reduced(self, weights: Weights) -> Reduced:
        """What a Newton step needs under the weights of its own rows."""
        ...


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
    """Parts and the rows they share, in the form that `interior_point` takes.

    The order of the rows: numbers of the parts, one after the other, the shared rows, cones.
    """

    def __init__(self, mean: MeanPart, parts: tuple[Part, ...], limits: Vector, size: int) -> None:
        self.mean, self.parts = mean, parts
        every: tuple[Part | MeanPart, ...] = (mean, *parts)
        self._every, self._size = every, size
        self._ends = np.cumsum([0, *(len(part.cost) for part in every)])
        self._numbers = [len(part.limits) - size * part.cones for part in every]
        self._starts = np.cumsum([0, *self._numbers])
        self._shared = slice(int(self._starts[-1]), int(self._starts[-1]) + len(limits))
        self.cones = (sum(part.cones for part in every), size)
        self._rounds = np.cumsum([self._shared.stop, *(size * part.cones for part in every)])
        self.q = np.concatenate([part.cost for part in every])
        self.b = self.joined([part.limits for part in every], limits)
        self.d = mean.d

    def split(self, x: Vector) -> list[Vector]:
        """The variables of each part."""
        return [x[a:b] for a, b in zip(self._ends[:-1], self._ends[1:], strict=True)]

    def joined(self, own: list[Vector], shared: Vector) -> Vector:
        """A vector over the rows from those of the parts."""
        numbers = [v[:m] for v, m in zip(own, self._numbers, strict=True)]
        rounds = [v[m:] for v, m in zip(own, self._numbers, strict=True)]
        return np.concatenate([*numbers, shared, *rounds])

    def apart(self, rows: Vector) -> tuple[list[Vector], Vector]:
        """A vector over the rows by parts, and its shared rows."""
        own: list[Vector] = []
        for i, part in enumerate(self._every):
            numbers = rows[self._starts[i] : self._starts[i + 1]]
            if part.cones:
                rounds = rows[self._rounds[i] : self._rounds[i + 1]]
                numbers = np.concatenate([numbers, rounds])
            own.append(numbers)
        return own, rows[self._shared]

    def start(
        self,
        z: Vector,
        cores: list[Core],
        prices: tuple[Vector, Vector],
        gap: float,
        many: int,
        y: Vector | None = None,
        overlap: Overlap | None = None,
    ) -> Start:
        """Near a solution of a similar program, away from limits.

        Each core tells how its part begins, given multipliers of the shared rows and the product t
        of slacks and multipliers; `prices` are multipliers of the rows of z and of the shared ones.
        The slack of a shared row is divided among `many` columns. An earlier point stays as
        it is where they `overlap`, and its gap is the one to start from.
        """
        if overlap is not None:
            gap = float(overlap.point.slack @ overlap.point.dual)
        t, mean = gap / len(self.b), self.mean
        limits, (own, shared_prices) = self.b[self._shared], prices

        def activity(starts: list[Start]) -> Vector:
            rows = mean.shared(z)
            for part, one in zip(self.parts, starts, strict=True):
                rows = rows + part.shared(one.x)
            return rows

        # First with the values as they are, then with the room that products of t need.
        tight = [core(np.full(len(limits), _MUCH), 0.0) for core in cores]
        least = activity(tight)
        slack = np.maximum(limits - least, _ROOM)
        dual = np.maximum(shared_prices, t / slack * (1 + 2 * many))
        starts = [core(dual, t) for core in cores]
        slack = np.maximum(slack + least - activity(starts), t / dual)
        room = np.maximum(mean.limits - mean.own(z), _ROOM)
        own = np.maximum(own, t / room)
        room = np.maximum(room, t / own)
        start = Start(
            np.concatenate([z, *(one.x for one in starts)]),
            self.joined([room, *(one.slack for one in starts)], slack),
            self.joined([own, *(one.dual for one in starts)], dual),
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
        variables: Any = self.split(every[0])
        own, together = self.apart(every[1])
        rows: list[Any] = [own[0][alone], together[shared]]
        positions: list[Any] = [variables[0]]
        for part, x, place in zip(self.parts, variables[1:], own[1:], strict=True):
            which = part.places(directions)
            positions.append(x[which[0]])
            rows.append(place[which[1]])
        return np.concatenate(positions), np.concatenate(rows)

    # What `interior_point` asks for.

    def quadratic(self, x: Vector) -> Vector:
        """P x."""
        pairs = zip(self._every, self.split(x), strict=True)
        return np.concatenate([part.quadratic(own) for part, own in pairs])

    def rows(self, x: Vector) -> Vector:
        """B x."""
        pairs = list(zip(self._every, self.split(x), strict=True))
        shared = np.zeros(self._shared.stop - self._shared.start)
        for part, own in pairs:
            shared += part.shared(own)
        return self.joined([part.own(own) for part, own in pairs], shared)

    def rows_transposed(self, dual: Vector) -> Vector:
        """B' times multipliers of the rows."""
        own, shared = self.apart(dual)
        pairs = zip(self._every, own, strict=True)
        return np.concatenate(
            [part.own_transposed(y) + part.shared_transposed(shared) for part, y in pairs]
        )

    def equalities(self, x: Vector) -> Vector:
        """E x."""
        return self.mean.equalities(x[: self._ends[1]])

    def equalities_transposed(self, y: Vector) -> Vector:
        """E' times multipliers of the equalities."""
        gradient = np.zeros(len(self.q))
        gradient[: self._ends[1]] = self.mean.equalities_transposed(y)
        return gradient

    def newton(self, weights: Weights) -> Newton:
        """Solves of the Newton system."""
        own = self._weights(weights)
        S, first, follow = self.mean.factored(own[0])
        reduced = [part.reduced(w) for part, w in zip(self.parts, own[1:], strict=True)]
        for one in reduced:
            S += one.gram
        count = len(S)
        S[np.arange(count), np.arange(count)] += 1.0 / weights.linear[self._shared]
        factor = Cholesky(S)
        n = int(self._ends[1])

        def solve(f: Vector, e: Vector, h: Vector) -> tuple[Vector, Vector, Vector]:
            # Multipliers of a part's own rows follow from its variables: they go first.
            apart, missing = self.apart(h)
            right = [
                r + part.own_transposed(w.inverse(v))
                for part, r, w, v in zip(self._every, self.split(f), own, apart, strict=True)
            ]

            both = first(right[0], e)
            part = self.mean.shared(both[:n]) - missing
            for one, answer, r in zip(self.parts, reduced, right[1:], strict=True):
                part += one.shared(answer.solve(r))
            dual = factor.solve(part)
            both = both - follow(dual)
            variables = [
                answer.solve(r - one.shared_transposed(dual))
                for one, answer, r in zip(self.parts, reduced, right[1:], strict=True)
            ]
            variables, y = [both[:n], *variables], both[n:]
            rows = [
                w.inverse(part.own(x) - v)
                for part, x, w, v in zip(self._every, variables, own, apart, strict=True)
            ]
            return np.concatenate(variables), y, self.joined(rows, dual)

        return solve

    def _weights(self, weights: Weights) -> list[Weights]:
        """The weights of the parts' own rows."""
        own: list[Weights] = []
        cone = 0
        for i, part in enumerate(self._every):
            numbers = weights.linear[self._starts[i] : self._starts[i + 1]]
            which = slice(cone, cone + part.cones)
            cone += part.cones
            own.append(Weights.of(numbers, weights.eta[which], weights.w[which]))
        return own
