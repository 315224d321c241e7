"""What solving needs of a program: its numbers, its rows, and what follows from them.

    minimise c1'z + z'C2 z   subject to   A z <= b (`rows`),   G z = target (`equalities`),
                                          C z + e in K (`cones`)

Every inequality is a row here, and every equality too: those of G, whose right-hand side is d,
those of E, and others that are public. Nothing here knows which entries of d are private.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.digest import Kinded
from privopt.errors import InputError
from privopt.solving.cone_rows import ConeRows
from privopt.solving.directions import Positions
from privopt.solving.equilibration import equilibrate, largest_of_rows, scaled, together
from privopt.solving.presolve import box, settled_rows, tied_rows
from privopt.solving.projector import Projector
from privopt.solving.rank import independent_rows
from privopt.solving.sparse import stacked, taken

__all__ = ["Objective", "Program", "Rows", "check_held"]

_ROUNDED = 2.0**-49  # more than a product and a quotient are wrong by, relatively


@dataclass(frozen=True, eq=False)
class Rows:
    """Linear rows `matrix z` with right-hand side `bound` and a name each.

    `written` gives the positions of these rows in a list of all rows as the user wrote them (some
    of which are equalities, or hold anyway), by the length of that list. `owner` tells which rows
    are facets of one curved limit (`limits`): its number, -1 for rows that are limits themselves.
    """

    matrix: Sparse
    bound: Vector = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    written: Mapping[int, Positions] = field(default_factory=dict[int, Positions], repr=False)
    owner: Positions | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def limits(self) -> int:
        """How many limits the rows are: facets of a curved one count once, together."""
        if self.owner is None:
            return len(self)
        return int((self.owner < 0).sum() + (np.unique(self.owner) >= 0).sum())

    @property
    def shares(self) -> Vector:
        """The part of its limit's probability that each row has: a facet one of so many."""
        if self.owner is None:
            return np.ones(len(self))
        count = np.bincount(self.owner[self.owner >= 0], minlength=1)
        return np.where(self.owner < 0, 1.0, 1.0 / np.maximum(count[self.owner], 1))

    def own(self, values: Vector) -> Vector:
        """The values of these rows, from a list with one for each row as the user wrote them.

        The list itself, if it has one for each of these rows, or fits no list of written rows.
        """
        fits = len(values) != len(self) and len(values) in self.written
        return values[self.written[len(values)]] if fits else values

    def taken(self, which: Positions) -> Rows:
        """Some of the rows."""
        return Rows(
            taken(self.matrix, which),
            self.bound[which],
            tuple(self.names[int(i)] for i in which),
        )


class Program:
    """A program in the form that is solved; `privopt.ConvexProgram` reads and names one.

    Attributes
    ----------
    linear, quadratic
        c1 and C2 of the cost.
    A, b, lower, upper
        Inequalities A z <= b and bounds.
    G
        Equalities G z = d.
    E, g
        Further equalities E z = g, all public.
    cones
        Cone rows C z + e in K; none of a polyhedral program.
    auxiliary
        Positions of the variables that only serve to write down costs and limits.
    names, row_names, data_names, equality_names
        Names of the variables, of the rows of A, of the entries of d, and of the rows of E.
    """

    linear: Vector
    quadratic: Sparse
    A: Sparse
    b: Vector
    G: Sparse
    E: Sparse
    g: Vector
    lower: Vector
    upper: Vector
    cones: ConeRows
    auxiliary: Positions
    names: tuple[str, ...]
    row_names: tuple[str, ...]
    data_names: tuple[str, ...]
    equality_names: tuple[str, ...]
    _d: Vector | None

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.G.shape[1]

    @property
    def d(self) -> Vector:
        """The right-hand side. Private: reading it is the curator's business."""
        if self._d is None:
            raise InputError(
                "this program has no right-hand side (d=None).",
                "the values of d.",
                "build the program with d=...",
            )
        return self._d

    @cached_property
    def particulars(self) -> dict[bytes, Any]:
        """The particular recourses of the last queries (see `particular`): nothing of d."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "particulars"}

    @cached_property
    def fixed(self) -> Positions:
        """Positions of the variables whose two bounds are equal."""
        return np.flatnonzero(self.lower == self.upper)

    @cached_property
    def box(self) -> tuple[Vector, Vector]:
        """The tightest bounds of z that `lower`, `upper` and rows of A with one entry give."""
        return box(self.A, self.b, self.lower, self.upper)

    @cached_property
    def _tied(self) -> tuple[Positions, Positions, Positions]:
        return tied_rows(self.A, self.b)

    @cached_property
    def rows(self) -> Rows:
        """Every inequality as one list: the rows of A, then finite lower, then finite upper bounds.

        Bounds of fixed variables, and pairs a z <= b, -a z <= -b, are equalities, not rows; nor
        are rows of A that hold because those do.
        """
        settled = settled_rows(self.A, self.b, self.fixed, self.lower)
        tied = np.concatenate([*self._tied, settled])
        rest = np.setdiff1d(np.arange(len(self.b)), tied) if len(tied) else np.arange(len(self.b))
        free = self.lower < self.upper
        low = np.flatnonzero(np.isfinite(self.lower) & free)
        high = np.flatnonzero(np.isfinite(self.upper) & free)
        A = taken(self.A, rest) if len(tied) else self.A
        every = np.ones(len(self.b), dtype=bool)
        bounds = np.concatenate([np.isfinite(self.lower), np.isfinite(self.upper)])
        is_row = np.concatenate([np.isin(np.arange(len(self.b)), rest), np.tile(free, 2)])
        lists = np.concatenate([every, bounds & np.tile(free, 2)]), np.concatenate([every, bounds])
        return Rows(
            _with_units(_with_units(A, low, -1.0), high, 1.0),
            np.concatenate([self.b[rest], -self.lower[low], self.upper[high]]),
            tuple(self.row_names[i] for i in rest)
            + tuple(f"lower[{self.names[j]}]" for j in low)
            + tuple(f"upper[{self.names[j]}]" for j in high),
            {int(listed.sum()): np.flatnonzero(is_row[listed]) for listed in lists},
        )

    @cached_property
    def equalities(self) -> Rows:
        """Every equality: G, E, fixed variables, tied rows of A; `bound` is zero where d is due."""
        first, second, _ = self._tied
        every = stacked(self.G, self.E) if len(self.g) else self.G
        every = _with_units(every, self.fixed, 1.0)
        if len(first):
            every = stacked(every, taken(self.A, first))
        public = [self.g, self.lower[self.fixed], self.b[first]]
        return Rows(
            every,
            np.concatenate([np.zeros(self.G.shape[0]), *public]),
            self.data_names
            + self.equality_names
            + tuple(f"fixed[{self.names[j]}]" for j in self.fixed)
            + tuple(
                _tie_name(self.row_names[int(i)], self.row_names[int(k)])
                for i, k in zip(first, second, strict=True)
            ),
        )

    @cached_property
    def contradictions(self) -> tuple[str, ...]:
        """Rows that others imply up to rounding, not exactly; and equalities that repeat others."""
        first, second, others = self._tied
        ones = np.ones(self.n)
        size = largest_of_rows(self.A, ones)
        factor = size[second] / size[first]
        room = self.b[second] + factor * self.b[first]
        left: Any = taken(self.A, second) + scaled(taken(self.A, first), ones, factor)
        apart = (np.diff(self.A.indptr)[second] > 1) & (np.asarray(abs(left) @ ones) > 0)
        settled = settled_rows(self.A, self.b, self.fixed, self.lower)
        value = np.zeros(self.n)
        value[self.fixed] = self.lower[self.fixed]
        at = [
            *second[apart | (room < -_ROUNDED * np.abs(self.b[second]))],
            *others,
            *settled[np.asarray(self.A @ value)[settled] > self.b[settled]],
        ]
        repeated = np.setdiff1d(np.arange(len(self.equalities)), self.independent)
        return (
            *(self.row_names[int(i)] for i in at),
            *(self.equalities.names[int(k)] for k in repeated),
        )

    @cached_property
    def equilibration(self) -> tuple[Vector, Vector, Vector]:
        """Factors that bring rows, equalities and variables to one size (see `equilibration`)."""
        return equilibrate(self.rows.matrix, self.equalities.matrix, self.cones.matrix)

    @cached_property
    def groups(self) -> Positions:
        """For each variable, a number it shares with those that some row ties it to."""
        rows = stacked(self.rows.matrix, self.cones.blocks)
        return together(rows, self.equalities.matrix)

    @cached_property
    def _projectors(self) -> tuple[Positions, Projector]:
        """Equalities from which the others follow, and points on them in equilibrated units."""
        _, factors, columns = self.equilibration
        G = scaled(self.equalities.matrix, columns, factors)
        every = Projector(G)
        rows = independent_rows(every)
        return rows, every if len(rows) == len(factors) else Projector(taken(G, rows))

    @property
    def independent(self) -> Positions:
        """Positions of the equalities from which the others follow (see `rank`)."""
        return self._projectors[0]

    @property
    def projector(self) -> Projector:
        """Points on the independent equalities, in equilibrated units."""
        return self._projectors[1]

    def right_hand_side(self, d: Vector | None = None) -> Vector:
        """Right-hand side of `equalities` at the given d (the program's own unless given)."""
        data = self.d if d is None else d
        check_held(data)
        value = self.equalities.bound.copy()
        value[: self.G.shape[0]] = data
        return value


def _with_units(M: Sparse, columns: Positions, sign: float) -> Sparse:
    """The rows of a matrix, then one row for each of some columns: its entry there is the sign."""
    parts: Any = (
        np.concatenate([M.data, np.full(len(columns), sign)]),
        np.concatenate([M.indices, columns]),
        np.concatenate([M.indptr, M.indptr[-1] + 1 + np.arange(len(columns))]),
    )
    return sp.csr_array(parts, shape=(M.shape[0] + len(columns), M.shape[1]))


def _tie_name(first: str, second: str) -> str:
    """The equality that two rows make: that of rows `a` and `-a` is `a`."""
    if f"-{first}" == second or f"-{second}" == first:
        return min(first, second, key=len)
    return f"{first} and {second}"


def check_held(d: Vector) -> None:
    """Refuse what `arrays.curated` has made the largest float, where it is used as it is."""
    if np.abs(d).max(initial=0.0) >= sys.float_info.max:
        raise InputError(
            "d holds numbers that no float holds, where no domain clamps them.",
            "numbers below 1.8e308.",
            "choose another unit for d.",
        )


class Objective(Kinded, ABC):
    """A weight phi and the deviation it weighs. `model.objective` lists them.

    Attributes
    ----------
    name, kind
        In jobs ("cost-deviation"), and in the digests of ledgers ("CostDeviation").
    phi
        Weight of the deviation, in [0, 1].
    """

    name: ClassVar[str]

    phi: float

    @abstractmethod
    def deviation(self, program: Program, p: int) -> tuple[Sparse, Dense] | None:
        """L and T of ||L Z Sigma^(1/2) T||_F; None if there is no such term."""
