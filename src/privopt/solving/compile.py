"""The chance-constrained program as conic data.

    minimise   (1-phi) (c1'z + z'C2 z + tr(Z'C2 Z Sigma)) + phi ||L Z Sigma^(1/2) T||_F
    subject to G z = d,   G Z = 0,   S Z = I,   A_i z + h_i(A_i Z) <= b_i

The recourse is Z = nu (Z_0 + Y R): the particular solution Z_0, a free part Y with [G; S] Y = 0,
and a basis R of the noise directions Y may use (orthonormal rows; None for all of them). A `Model`
has margins only on the directions of a working set, and may hold rows of Z at zero: a variable at
its limit mostly leaves the noise to others. With all directions, R = None and Y plain it is the
model as it is written down. Everything is in scaled variables, for noise of scale one; nu is
the size of Z_0, so that Y is around one too.

It is put together in x = (z, the values V = M Y of the working rows, auxiliary variables of margins
and objective); then V = M L X, with Y = L X as the `space` has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.blocks import Blocks, Entries, Terms
from privopt.solving.directions import Positions
from privopt.solving.held import Held
from privopt.solving.margins import Box, Margins
from privopt.solving.problem import Cone, ConicProblem
from privopt.solving.scaled import ScaledProgram, watched
from privopt.solving.space import Space
from privopt.solving.substitution import substituted


@dataclass(frozen=True, repr=False)
class Cuts:
    """Valid tangents A_i z + gradient'(A_i Z)' <= b_i."""

    rows: NDArray[np.intp]
    gradients: Dense

    @classmethod
    def none(cls, p: int) -> Cuts:
        """No cuts yet."""
        return cls(np.zeros(0, dtype=np.intp), np.zeros((0, p)))

    def more(self, rows: NDArray[np.intp], gradients: Dense) -> Cuts:
        """These cuts and others."""
        return Cuts(np.concatenate([self.rows, rows]), np.vstack([self.gradients, gradients]))


@dataclass(frozen=True, repr=False, eq=False)
class Compiled:
    """Conic data: of the model, and before X took the place of the values V of the rows."""

    held: Held
    in_values: ConicProblem
    rows: int

    @property
    def problem(self) -> ConicProblem:
        """What to solve."""
        return self.held.problem


@dataclass(frozen=True, repr=False, eq=False)
class Model:
    """The program with margins on the directions `working` alone, in a space and a basis.

    `held` are directions of one variable each, whose row of Z is zero.
    """

    data: ScaledProgram
    working: Positions
    held: Positions
    space: Space
    R: Dense | None

    @classmethod
    def plain(cls, data: ScaledProgram) -> Model:
        """Every direction, every variable, every noise direction: the model as written down."""
        every = np.arange(data.directions.D.shape[0])
        space = Space.plain(data.C, watched(data, every), data.quadratic)
        return cls(data, every, every[:0], space, None)

    @property
    def rank(self) -> int:
        """Number of noise directions Y may use."""
        return self.data.noise_dimensions if self.R is None else len(self.R)

    @cached_property
    def _base(self) -> Dense:
        """Z_0 R', and what the space adds to it."""
        base = self.data.along(self.R)
        return base if self.space.offset is None else base + self.space.offset

    @cached_property
    def fixed(self) -> Dense:
        """D Z R' of the working directions at X = 0."""
        return np.asarray(self.data.directions.D[self.working] @ self._base)

    def split(self, x: Vector) -> tuple[Vector, Dense]:
        """Z and Y of a solution vector."""
        n, r, q = len(self.data.linear), self.rank, self.space.rows.shape[1]
        return x[:n], self.space.lift(x[n : n + q * r].reshape(r, q).T)

    def conic(self, margins: Margins, cuts: Cuts, b: Vector) -> Compiled:
        """Conic data under margins, cuts and limits of the rows."""
        data, r = self.data, self.rank
        blocks = self._equalities()
        start = self._rows(blocks, margins, b)
        self._cuts(blocks, cuts, b)
        if data.phi > 0 and data.T is not None:
            self._deviation(blocks, data.T)
        weight = 1 - data.phi
        cross = self.spread * self.space.cost_of(np.asarray(data.quadratic @ self._base))
        P = [2 * weight * data.quadratic, *[self.spread * self.space.quadratic] * r]
        q = np.concatenate([weight * data.linear, cross.T.ravel()])
        held, values = np.zeros(0, dtype=np.intp), np.zeros(0)
        if self.space.kept is not None and len(self.held):
            columns = data.directions.columns(self.held)
            place = np.searchsorted(self.space.kept, columns)
            size = self.space.rows.shape[1]
            held = len(data.linear) + (place[None, :] + size * np.arange(r)[:, None]).ravel()
            values = -self._base[columns].T.ravel()
        in_values = blocks.problem(sp.csc_array((0, 0)), np.zeros(0))
        return Compiled(Held(self._substituted(in_values, P, q), held, values), in_values, start)

    @property
    def spread(self) -> float:
        """Twice the cost of a unit of Z'C2 Z."""
        data = self.data
        return 2 * (1 - data.phi) * data.variance * data.nu**2

    def _substituted(self, problem: ConicProblem, P: list[Any], q: Vector) -> ConicProblem:
        """The program in (z, X, auxiliary) from the one in (z, V, auxiliary), with K X = 0."""
        n = len(self.data.linear)
        return substituted(problem, n, self.rank, self.space, P, q, self.data.still)

    def elastic(self, margins: Margins, b: Vector) -> tuple[ConicProblem, int]:
        """Least total excess t >= 0 of the rows over their limits; the data, and where t starts."""
        blocks = self._equalities()
        t = blocks.variables(len(b))
        eye = sp.eye_array(len(b))
        blocks.add(Cone.nonnegative(len(b)), [(t, -eye)], np.zeros(len(b)))
        for i in range(len(b)):
            blocks.cost(t + i, 1.0)
        self._rows(blocks, margins, b, [(t, -eye)])
        problem = blocks.problem(sp.csc_array((0, 0)), np.zeros(0))
        rows: tuple[int, int] = self.space.rows.shape
        size = len(self.data.linear) + rows[1] * self.rank
        start = t + (rows[1] - rows[0]) * self.rank
        return self._substituted(problem, [sp.csc_array((size, size))], np.zeros(size)), start

    def _equalities(self) -> Blocks:
        """G z = d in the variables (z, V); entries of Y that must be zero."""
        data, r = self.data, self.rank
        n, count = len(data.linear), self.space.rows.shape[0]
        blocks = Blocks(n + count * r)
        blocks.add(Cone.zero(len(data.d)), [(0, data.G)], data.d)
        return blocks

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """For each row, the place of its direction in the working set; -1 if it has none."""
        place = np.full(self.data.directions.D.shape[0], -1, dtype=np.intp)
        place[self.working] = np.arange(len(self.working))
        return place[self.data.directions.group]

    def _rows(self, blocks: Blocks, margins: Margins, b: Vector, more: Terms | None = None) -> int:
        """A_i z + h_i(A_i Z) <= b_i, h_i where it is working; more terms on the left if given."""
        data, count = self.data, len(b)
        rows = np.flatnonzero(self.place >= 0)
        place, factor = self.place[rows], np.abs(data.directions.factor[rows])
        terms: Terms = [(0, data.A), *(more or [])]
        right = b.copy()
        if len(rows) and margins.deviations is not None:
            t = self._norms(blocks)
            size = margins.deviations[rows] * float(np.sqrt(data.variance)) * data.nu
            terms.append((t, Entries(size * factor, rows, place)))
        if len(rows) and margins.tilt is not None:
            right[rows] -= self._linear(terms, rows, rows, margins.tilt[rows])
        if len(rows) and margins.box is not None:
            right[rows] -= self._box(blocks, terms, rows, margins.box)
        return blocks.add(Cone.nonnegative(count), terms, right)

    def _linear(self, terms: Terms, rows: Positions, at: Positions, gradients: Dense) -> Vector:
        """Terms of gradient'(A_i Z)' for some rows, placed `at`; their constant part."""
        place, factor = self.place[rows], self.data.directions.factor[rows]
        along = gradients if self.R is None else gradients @ self.R.T
        moving = self.data.nu * factor[:, None] * along
        column = place[:, None] + self.space.rows.shape[0] * np.arange(self.rank)
        entries = Entries(moving.ravel(), np.repeat(at, self.rank), column.ravel())
        terms.append((len(self.data.linear), entries))
        fixed = self.fixed[place] * factor[:, None]
        return self.data.nu * (gradients * fixed).sum(axis=1)

    def _norms(self, blocks: Blocks) -> int:
        """Variables t_g >= ||D_g Z_0 + D_g Y R||, one cone a direction; where they start."""
        groups, r = len(self.working), self.rank
        t = blocks.variables(groups)
        extra = int(self.R is not None and bool(self._rest.any()))
        size = 1 + r + extra
        heads = np.arange(groups) * size
        tails = heads[:, None] + 1 + np.arange(r)
        right = np.zeros(groups * size)
        right[tails] = self.fixed
        if extra:  # the part of D_g Z_0 that Y cannot move
            right[heads + size - 1] = self._rest
        first = Entries(np.full(groups, -1.0), heads, np.arange(groups))
        moving = Entries(np.full(groups * r, -1.0), tails.ravel(), self._values.ravel())
        cones = [Cone.second_order(size)] * groups
        blocks.add(cones, [(t, first), (len(self.data.linear), moving)], right)
        return t

    @cached_property
    def _values(self) -> NDArray[np.intp]:
        """Where the value of each working direction and noise direction is in V."""
        count = self.space.rows.shape[0]
        return np.arange(len(self.working))[:, None] + count * np.arange(self.rank)

    @cached_property
    def _rest(self) -> Vector:
        """Norm of D_g Z_0 outside R: rounding, where R spans it."""
        whole = self.data.norms[self.working]
        fixed = np.asarray(self.data.directions.D[self.working] @ self.data.along(self.R))
        rest = np.square(whole) - np.square(fixed).sum(axis=1)
        return np.where(rest > ROUNDING * np.square(whole), np.sqrt(np.maximum(rest, 0.0)), 0.0)

    def _box(self, blocks: Blocks, terms: Terms, rows: Positions, box: Box) -> Vector:
        """Terms of middle'a + half'|a| with variables u >= |a|; the constant part of middle'a."""
        groups, p = len(self.working), self.data.noise_dimensions
        middle, half = 0.5 * (box.low + box.high), 0.5 * (box.high - box.low)
        u = blocks.variables(groups * p)
        fixed, own = self.fixed.T.ravel(), np.arange(groups * p)
        for sign in (1.0, -1.0):
            moving = Entries(np.full(groups * p, sign), own, self._values.T.ravel())
            inside: Terms = [
                (len(self.data.linear), moving),
                (u, Entries(np.full(groups * p, -1.0), own, own)),
            ]
            blocks.add(Cone.nonnegative(groups * p), inside, -sign * fixed)
        weight = self.data.nu * np.abs(self.data.directions.factor[rows])[:, None] * half
        column = self.place[rows][:, None] + groups * np.arange(p)
        terms.append((u, Entries(weight.ravel(), np.repeat(rows, p), column.ravel())))
        if not middle.any():
            return np.zeros(len(rows))
        gradients = np.tile(middle, (len(rows), 1))
        return self._linear(terms, rows, rows, gradients)

    def _cuts(self, blocks: Blocks, cuts: Cuts, b: Vector) -> None:
        count = len(cuts.rows)
        if count:
            terms: Terms = [(0, self.data.A[cuts.rows])]
            offset = self._linear(terms, cuts.rows, np.arange(count), cuts.gradients)
            blocks.add(Cone.nonnegative(count), terms, b[cuts.rows] - offset)

    def _deviation(self, blocks: Blocks, T: Dense) -> None:
        """The cost phi * tau with tau >= ||L Z Sigma^(1/2) T||_F."""
        data = self.data
        size = float(np.abs(data.L.data).max(initial=0.0)) or 1.0
        tau = blocks.variables(1)
        blocks.cost(tau, data.phi * size * data.nu * float(np.sqrt(data.variance)))
        base = self._base if self.R is None else self._base @ self.R  # R holds what L Z_0 T needs
        constant = np.asarray(data.L @ base) @ T / size
        count = 1 + constant.size
        head = sp.csr_array((np.array([-1.0]), ([0], [0])), shape=(count, 1))
        own: Any = sp.eye_array(self.space.rows.shape[0], format="csr")
        L: Any = own[self.space.rows.shape[0] - data.L.shape[0] :] / size
        rest: Any = _kron((T if self.R is None else self.R @ T).T, L)
        moving = sp.vstack([sp.csr_array((1, rest.shape[1])), -rest])
        right = np.concatenate([[0.0], constant.T.ravel()])
        blocks.add(Cone.second_order(count), [(tau, head), (len(data.linear), moving)], right)


ROUNDING = 1e-15  # of a squared norm, below which its part outside R is none


def _kron(left: Dense, right: Any) -> Any:  # noqa: ANN401 -- any scipy sparse
    return cast("Any", sp.kron(left, right))
