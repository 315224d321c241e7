"""Variables that only price: what they must exceed is no limit, for they can always be raised.

A variable t that no equality holds and that one direction helps in *every* row and cone it is in,

    t >= a_i'z + b_i,      ||C z|| <= t,      exp(a'z) <= t,      supply + t >= need

does not stand in the way of z: whatever z is, a t far enough in that direction keeps all of them.
So these rows and cones are part of the cost, a minimum over t. What they held may now be free, too
(the maximum within an exponential), so the search goes on until nothing more is found. A variable
that is left in nothing but one public equality is what this says: both are part of the cost.

Where raising t runs along the edge of a cone, something is left of it: - log(x) <= t can be had for
every x > 0, and for no other. These are the rows of its `domain`,

    K + { - tau r : tau >= 0 }  =  { s : n's > 0 for one or two n }          r on the edge of K

up to points of its boundary. They are kept with a little room, so that whatever keeps them has a
finite cost. Together: z can be completed by some t where it keeps the rows and cones that are left,
and the domain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.cone_rows import ConeRows
from privopt.solving.directions import Positions
from privopt.solving.problem import Cone, Kind
from privopt.solving.program import Program, Rows
from privopt.solving.sparse import absolute, places, stacked, taken

__all__ = ["Pricing"]

_ROOM = 1e-9  # of the size of a row: what a domain is kept by
_INNER = 1 + 1e-12  # a ray that is longer than its norm by that is inside a second-order cone

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Pricing:
    """What of a program is a limit, and what is only price.

    Attributes
    ----------
    variables
        Whether each variable only prices.
    rows, cones
        Whether each row and each cone row is only there for one that does.
    equalities
        Whether each equality only says what such a variable is.
    domain
        What these cones leave for limits: rows over all variables, zero where they only price.
    rounds
        For each variable that only prices, the round of the search that found it; zero for others.
    """

    variables: Mask
    rows: Mask
    cones: Mask
    equalities: Mask
    domain: Rows
    rounds: Positions

    @classmethod
    def of(cls, program: Program, kept: Positions | None = None) -> Pricing:
        """The variables that only price; those in `kept`, which are released, count as limits."""
        held = np.zeros(program.n, dtype=bool)
        held[[] if kept is None else kept] = True
        search = _Search(program, held)
        while search.step():
            pass
        return search.found

    @property
    def limits(self) -> Positions:
        """Positions of the variables that limits are about."""
        return np.flatnonzero(~self.variables)

    @property
    def nothing(self) -> bool:
        """Whether no variable only prices."""
        return not self.variables.any()


class _Search:
    """Rows and cones as far as they are limits; rows of domains are added at the end."""

    def __init__(self, program: Program, held: Mask) -> None:
        self._program, self._held = program, held
        self._rows, self._cones = program.rows.matrix, program.cones
        self._bound, self._names = program.rows.bound, list(program.rows.names)
        self._idle = np.zeros(self._rows.shape[0], dtype=bool)
        self._gone = np.zeros(len(self._cones), dtype=bool)
        self._rounds = np.zeros(program.n, dtype=np.intp)
        size, every = program.G.shape[0], program.equalities.matrix
        self._held[every.indices[: every.indptr[size]]] = True
        self._held[every.indices[every.indptr[size + len(program.g)] :]] = True
        self._equalities, self._said = every, np.zeros(every.shape[0], dtype=bool)
        self._block, self._own, self._ways = _ways(self._cones)
        self._up, self._down = (
            _recedes(self._cones.cones, self._block, way) for way in (self._ways, -self._ways)
        )

    def step(self) -> bool:
        """One round; False if it finds no variable more."""
        row, column, sign = places(self._rows), self._rows.indices, np.sign(self._rows.data)
        live, curved = ~self._idle[row], ~self._gone[self._block]
        n, known = self._program.n, self._rounds > 0
        equality = places(self._equalities)
        due = ~self._said[equality]
        count = np.bincount(self._equalities.indices[due], minlength=n)
        used, free = np.zeros(n, dtype=bool), np.zeros((2, n), dtype=bool)
        used[column[live]] = True
        used[self._own[curved]] = True
        for k, (helps, towards) in enumerate(((sign <= 0, self._up), (sign >= 0, self._down))):
            against = np.zeros(n, dtype=bool)
            against[column[live & ~helps]] = True
            against[self._own[curved & ~towards]] = True
            free[k] = ~against
        able = ~self._held & ~known
        new = free.any(axis=0) & able & used & (count == 0)
        new |= self._defined(able & ~used & (count == 1), equality, due)
        # What rows and cones that are gone held, and nothing else.
        new |= able & ~used & (count == 0) & self._touched
        if not new.any():
            return False
        self._rounds[new] = self._rounds.max() + 1
        self._idle[row[live & new[column]]] = True
        raised = curved & new[self._own]
        turn = np.where(free[0, self._own], 1.0, -1.0)[:, None] * self._ways
        leaving = np.unique(self._block[raised])
        self._gone[leaving] = True
        for k in leaving:
            mine = raised & (self._block == k)
            self._leave(int(k), turn[mine].sum(axis=0), new)
        return True

    @property
    def _touched(self) -> Mask:
        """The variables of rows, cones and equalities that are gone."""
        found = np.zeros(self._program.n, dtype=bool)
        found[self._rows.indices[self._idle[places(self._rows)]]] = True
        found[self._own[self._gone[self._block]]] = True
        found[self._equalities.indices[self._said[places(self._equalities)]]] = True
        return found

    def _defined(self, alone: Mask, equality: Positions, due: Mask) -> Mask:
        """One of the variables that are alone in each equality: it says what that one is."""
        found = np.zeros(len(alone), dtype=bool)
        at = due & alone[self._equalities.indices]
        rows, first = np.unique(equality[at], return_index=True)
        found[self._equalities.indices[at][first]] = True
        self._said[rows] = True
        return found

    def _leave(self, k: int, way: Vector, new: Mask) -> None:
        """Add what is left of a cone along whose `way` some variables are raised."""
        normals = _edge(self._cones.cones[k], way)
        if not len(normals):
            return
        rows = np.arange(3 * k, 3 * k + 3)
        product: Any = sp.csr_array(-normals) @ taken(self._cones.matrix, rows)
        product.eliminate_zeros()
        size = np.abs(product.toarray()).max(axis=1, initial=0.0)
        bound = normals @ self._cones.offset[rows] - _ROOM * np.where(size > 0, size, 1.0)
        idle = np.asarray(absolute(product) @ new.astype(float)) > 0
        idle |= (size == 0) & (bound >= 0)  # a number that is positive
        self._rows = stacked(self._rows, product)
        self._bound = np.concatenate([self._bound, bound])
        self._idle = np.concatenate([self._idle, idle])
        own = self._cones.names[k]
        self._names += [f"domain[{own}]", f"domain'[{own}]"][: len(normals)]

    @property
    def found(self) -> Pricing:
        count = len(self._program.rows)
        left = count + np.flatnonzero(~self._idle[count:])
        domain = Rows(
            taken(self._rows, left), self._bound[left], tuple(self._names[i] for i in left)
        )
        return Pricing(
            self._rounds > 0, self._idle[:count], self._gone, self._said, domain, self._rounds
        )


def _ways(cones: ConeRows) -> tuple[Positions, Positions, Dense]:
    """For each cone and variable of it: both, and how the variable moves the cone's point."""
    M: Any = cones.matrix.copy()  # one from a file may hold entries twice, or zeros
    M.sum_duplicates()
    M.eliminate_zeros()
    M = M.tocoo()
    pairs, entry = np.unique(np.column_stack([M.row // 3, M.col]), axis=0, return_inverse=True)
    ways = np.zeros((len(pairs), 3))
    ways[entry.ravel(), M.row % 3] = M.data
    return pairs[:, 0], pairs[:, 1], ways


def _recedes(cones: tuple[Cone, ...], block: Positions, ways: Dense) -> Mask:
    """Whether multiples of each way keep any point of its cone inside: it is in the cone itself.

    Of the edge of a second-order cone only rays that floats hold exactly: along one that is beside
    the cone by a rounding, points would leave it in the end.
    """
    x, y, z = ways.T
    kind = np.array([cone.kind.value for cone in cones], dtype=str)[block]
    edge = (x > 0) & (np.abs(y) + np.abs(z) == x) & ((y == 0) | (z == 0))
    norm = edge | (x > _INNER * np.hypot(y, z))
    exponential = (y == 0) & (x <= 0) & (z >= 0)
    power = (x >= 0) & (y >= 0) & (z == 0)
    second, third = kind == Kind.SECOND_ORDER.value, kind == Kind.EXPONENTIAL.value
    return (second & norm) | (third & exponential) | (~second & ~third & power)


def _edge(cone: Cone, way: Vector) -> Dense:
    """Normals n of what is left, n's > 0, where points may be moved along a way of the cone."""
    x, y, z = way
    if cone.kind is Kind.SECOND_ORDER:
        inner = x > _INNER * np.hypot(y, z)
        return np.zeros((0, 3)) if inner else np.array([[x, -y, -z]]) / np.abs(way).max()
    unit = np.eye(3)
    if cone.kind is Kind.EXPONENTIAL:
        return unit[[1]] if z > 0 else unit[[1, 2]]
    return unit[[k for k in (0, 1) if way[k] == 0]]
