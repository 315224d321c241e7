"""The design program as conic data: a gain and a recourse, under public data alone.

    minimise   c1'z + z'C2 z + tr(K'C2 K Sigma_v) + tr(Z'C2 Z) Var(xi)     (+ fidelity)
    subject to G z = d,  G K = F,  G Z = 0,  S Z = s I,  ||S K_j|| reach_j <= ratio s
               A_i z + sup_v A_i K v + h_i(A_i Z) <= b_i

z is the solution at the mean of the private data, v their deviation from it (in a box, each entry
in units of its own), K the gain and Z the recourse of noise of scale one, whose size s is a
variable. With K = K_0 + Y_K both Y_K and Z lie in the null space of G: they are the columns of one
matrix, written with as few variables as the `space` allows.

A `GainModel` has margins only on the directions of a working set; `silent` is the program with
S K = 0 and no noise, whose release is a constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.blocks import Blocks, Entries, Terms
from privopt.solving.compile import Cuts
from privopt.solving.directions import Directions, Positions
from privopt.solving.margins import Box, Margins
from privopt.solving.problem import Cone, ConicProblem
from privopt.solving.space import Space
from privopt.solving.substitution import substituted

__all__ = ["GainData", "GainModel"]


@dataclass(frozen=True, repr=False, eq=False)
class GainData:
    """The design program in scaled variables.

    Attributes
    ----------
    gain
        K_0, any K with G K = F, n x q.
    query
        S, p x n.
    box, spread
        The box of v and the variance of each of its entries.
    reach, order, ratio, floor
        How far neighbours lie apart in each entry of v, the norm of the sensitivity, the distance
        that noise of size one hides, and the least s.
    variance
        Of the noise at scale one.
    fidelity, answer
        The fidelity and, for it, mean (p) and covariance with v (p x q) of the non-private answer.
    """

    linear: Vector
    quadratic: Any
    A: Any
    b: Vector
    directions: Directions
    G: Any
    d: Vector
    gain: Dense
    query: Sparse
    box: Box
    spread: Vector
    reach: Vector
    order: int
    ratio: float
    floor: float
    variance: float
    fidelity: float = 0.0
    answer: tuple[Vector, Dense] | None = None

    @property
    def private(self) -> int:
        """Number q of entries of v."""
        return self.gain.shape[1]

    @property
    def released(self) -> int:
        """Number p of released values."""
        return self.query.shape[0]

    def value(self, z: Vector, K: Dense, Z: Dense, s: float) -> float:
        """The objective, up to a constant."""
        C2 = self.quadratic
        found = float(self.linear @ z + z @ (C2 @ z))
        found += float((K * np.asarray(C2 @ K)).sum(axis=0) @ self.spread)
        found += self.variance * float((Z * np.asarray(C2 @ Z)).sum())
        if self.fidelity and self.answer is not None:
            mean, common = self.answer
            off, follow = np.asarray(self.query @ z) - mean, np.asarray(self.query @ K)
            missed = float(off @ off + np.square(follow).sum(axis=0) @ self.spread)
            missed += self.variance * self.released * s**2 - 2 * float((follow * common).sum())
            found += self.fidelity * missed
        return found


@dataclass(frozen=True, repr=False, eq=False)
class GainModel:
    """The program with margins on the directions `working` alone.

    `space` knows the working directions, then the rows of the query.
    """

    data: GainData
    working: Positions
    space: Space
    silent: bool = False

    @property
    def noisy(self) -> int:
        """Number of noise columns."""
        return 0 if self.silent else self.data.released

    @property
    def columns(self) -> int:
        """Columns of Y: those of the gain, then those of the noise."""
        return self.data.private + self.noisy

    @property
    def _n(self) -> int:
        return len(self.data.linear)

    def split(self, x: Vector) -> tuple[Vector, Dense, Dense, float]:
        """Read z, K, Z and s off a solution vector."""
        q, k = self.data.private, self.space.rows.shape[1]
        end = self._n + k * self.columns
        Y = self.space.lift(x[self._n : end].reshape(self.columns, k).T)
        s = 0.0 if self.silent else float(x[end])
        return x[: self._n], self.data.gain + Y[:, :q], Y[:, q:], s

    def conic(self, margins: Margins, cuts: Cuts, b: Vector) -> ConicProblem:
        """Conic data under margins of the noise, cuts and limits of the rows."""
        data = self.data
        blocks = Blocks(self._n + self.space.rows.shape[0] * self.columns)
        blocks.add(Cone.zero(len(data.d)), [(0, data.G)], data.d)
        if self.silent:
            self._constant(blocks)
        else:
            self._released(blocks)
        self._rows(blocks, margins, b)
        if not self.silent:
            self._cuts(blocks, cuts, b)
        in_values = blocks.problem(sp.csc_array((0, 0)), np.zeros(0))
        P, linear = self._cost()
        problem = substituted(in_values, self._n, self.columns, self.space, P, linear)
        if self.silent or not data.fidelity:
            return problem
        at = len(linear)  # s, the first of the auxiliary variables
        more = sp.csc_array(
            ([2 * data.fidelity * data.variance * data.released], ([at], [at])), problem.P.shape
        )
        return ConicProblem(problem.P + more, problem.q, problem.A, problem.b, problem.cones)

    def _cost(self) -> tuple[list[Any], Vector]:
        """Blocks of P, and the linear cost of z and X."""
        data, space = self.data, self.space
        top, linear = 2 * data.quadratic, data.linear
        weights = 2 * data.spread
        cross = space.cost_of(np.asarray(data.quadratic @ data.gain)) * weights
        wanted_distance: Any = sp.csr_array(space.quadratic.shape)
        if data.fidelity and data.answer is not None:
            mean, common = data.answer
            S, seen = data.query, space.rows[len(self.working) :]
            top = top + 2 * data.fidelity * (S.T @ S)
            linear = linear - 2 * data.fidelity * (S.T @ mean)
            wanted_distance = data.fidelity * (seen.T @ seen)
            start = np.asarray(S @ data.gain) * data.spread - common
            cross = cross + 2 * data.fidelity * np.asarray(seen.T @ start)
        both = space.quadratic + wanted_distance
        P = [top, *(weight * both for weight in weights)]
        P += [2 * data.variance * space.quadratic] * self.noisy
        quiet = np.zeros(space.rows.shape[1] * self.noisy)
        return P, np.concatenate([linear, cross.T.ravel(), quiet])

    def _at(self, rows: Any, columns: Any) -> NDArray[np.intp]:  # noqa: ANN401 -- index arrays
        """Where the values of some rows of the space in some columns are in V."""
        return np.asarray(rows) + self.space.rows.shape[0] * np.asarray(columns)

    @cached_property
    def _asked(self) -> NDArray[np.intp]:
        """The rows of the query in the space."""
        return len(self.working) + np.arange(self.data.released)

    def _constant(self, blocks: Blocks) -> None:
        """S K = 0."""
        q, p = self.data.private, self.data.released
        at = self._at(self._asked[:, None], np.arange(q)).ravel()
        right = -np.asarray(self.data.query @ self.data.gain).ravel()
        entries = Entries(np.ones(p * q), np.arange(p * q), at)
        blocks.add(Cone.zero(p * q), [(self._n, entries)], right)

    def _released(self, blocks: Blocks) -> None:
        """S Z = s I, the sensitivity of S K, and s at least the floor."""
        data, q, p = self.data, self.data.private, self.data.released
        s = blocks.variables(1)
        minus = Entries(np.array([-1.0]), np.array([0]), np.array([0]))
        blocks.add(Cone.nonnegative(1), [(s, minus)], np.array([-data.floor]))
        at = self._at(self._asked[:, None], q + np.arange(p)).ravel()
        entries = Entries(np.ones(p * p), np.arange(p * p), at)
        own = Entries(np.full(p, -1.0), np.arange(p) * (p + 1), np.zeros(p, dtype=int))
        blocks.add(Cone.zero(p * p), [(self._n, entries), (s, own)], np.zeros(p * p))
        start = np.asarray(data.query @ data.gain)
        if data.order == 2:
            self._round(blocks, s, start)
            return
        a = self._absolute(blocks, self._asked, start)
        weight = np.repeat(data.reach, p)
        total = Entries(weight, np.repeat(np.arange(q), p), _places(p, q).T.ravel())
        noise = Entries(np.full(q, -data.ratio), np.arange(q), np.zeros(q, dtype=int))
        blocks.add(Cone.nonnegative(q), [(a, total), (s, noise)], np.zeros(q))

    def _round(self, blocks: Blocks, s: int, start: Dense) -> None:
        """||S K_j||_2 reach_j <= ratio s."""
        data, q, p = self.data, self.data.private, self.data.released
        heads = np.arange(q) * (1 + p)
        tails = heads[:, None] + 1 + np.arange(p)
        right = np.zeros(q * (1 + p))
        right[tails] = data.reach[:, None] * start.T
        noise = Entries(np.full(q, -data.ratio), heads, np.zeros(q, dtype=int))
        at = self._at(self._asked, np.arange(q)[:, None]).ravel()
        moving = Entries(-np.repeat(data.reach, p), tails.ravel(), at)
        cones = [Cone.second_order(1 + p)] * q
        blocks.add(cones, [(s, noise), (self._n, moving)], right)

    def _absolute(self, blocks: Blocks, rows: Positions, start: Dense, first: int = 0) -> int:
        """Variables at least |start + V| for some rows and columns; where they are, by columns."""
        count = start.size
        u = blocks.variables(count)
        at = self._at(rows, first + np.arange(start.shape[1])[:, None]).ravel()
        own, fixed = np.arange(count), start.T.ravel()
        for sign in (1.0, -1.0):
            moving = Entries(np.full(count, sign), own, at)
            inside: Terms = [(self._n, moving), (u, Entries(np.full(count, -1.0), own, own))]
            blocks.add(Cone.nonnegative(count), inside, -sign * fixed)
        return u

    @cached_property
    def _place(self) -> NDArray[np.intp]:
        """For each row, the place of its direction in the working set; -1 if it has none."""
        place = np.full(self.data.directions.D.shape[0], -1, dtype=np.intp)
        place[self.working] = np.arange(len(self.working))
        return place[self.data.directions.group]

    def _rows(self, blocks: Blocks, margins: Margins, b: Vector) -> None:
        """A_i z + sup_v A_i K v + h_i(A_i Z) <= b_i, margins where they are working."""
        data, q = self.data, self.data.private
        rows = np.flatnonzero(self._place >= 0)
        terms: Terms = [(0, data.A)]
        right = b.copy()
        if len(rows):
            start = np.asarray(data.directions.D[self.working] @ data.gain)
            right[rows] -= self._box(blocks, terms, rows, data.box, start, 0)
            if not self.silent:
                right[rows] -= self._noise(blocks, terms, rows, margins, q)
        blocks.add(Cone.nonnegative(len(b)), terms, right)

    def _noise(
        self, blocks: Blocks, terms: Terms, rows: Positions, margins: Margins, first: int
    ) -> Vector:
        """Terms of h_i(A_i Z); its constant part, which is none."""
        data, p = self.data, self.data.released
        factor = data.directions.factor[rows]
        if margins.deviations is not None:
            count = len(self.working)
            t = blocks.variables(count)
            heads = np.arange(count) * (1 + p)
            tails = heads[:, None] + 1 + np.arange(p)
            head = Entries(np.full(count, -1.0), heads, np.arange(count))
            at = self._at(np.arange(count)[:, None], first + np.arange(p)).ravel()
            tail = Entries(np.full(count * p, -1.0), tails.ravel(), at)
            cones = [Cone.second_order(1 + p)] * count
            blocks.add(cones, [(t, head), (self._n, tail)], np.zeros(count * (1 + p)))
            size = margins.deviations[rows] * float(np.sqrt(data.variance)) * np.abs(factor)
            terms.append((t, Entries(size, rows, self._place[rows])))
        if margins.tilt is not None:
            self._linear(terms, rows, rows, margins.tilt[rows], first)
        if margins.box is not None:
            nothing = np.zeros((len(self.working), p))
            self._box(blocks, terms, rows, margins.box, nothing, first)
        return np.zeros(len(rows))

    def _box(
        self,
        blocks: Blocks,
        terms: Terms,
        rows: Positions,
        box: Box,
        start: Dense,
        first: int,
    ) -> Vector:
        """Terms of the support function of a box at start + V; its constant part."""
        middle, half = 0.5 * (box.low + box.high), 0.5 * (box.high - box.low)
        groups, size = len(start), len(middle)
        u = self._absolute(blocks, np.arange(len(start)), start, first)
        factor, place = self.data.directions.factor[rows], self._place[rows]
        weight = np.abs(factor)[:, None] * half
        column = place[:, None] + groups * np.arange(size)
        terms.append((u, Entries(weight.ravel(), np.repeat(rows, size), column.ravel())))
        if not middle.any():
            return np.zeros(len(rows))
        self._linear(terms, rows, rows, np.tile(middle, (len(rows), 1)), first)
        return factor * (start[place] @ middle)

    def _linear(
        self, terms: Terms, rows: Positions, at: Positions, gradients: Dense, first: int
    ) -> None:
        """Terms gradient'(A_i Y)' over columns from `first` on."""
        factor, size = self.data.directions.factor[rows], gradients.shape[1]
        moving = factor[:, None] * gradients
        column = self._at(self._place[rows][:, None], first + np.arange(size))
        terms.append((self._n, Entries(moving.ravel(), np.repeat(at, size), column.ravel())))

    def _cuts(self, blocks: Blocks, cuts: Cuts, b: Vector) -> None:
        """A_i z + sup_v A_i K v + gradient'(A_i Z) <= b_i."""
        count = len(cuts.rows)
        if not count:
            return
        data, q = self.data, self.data.private
        terms: Terms = [(0, data.A[cuts.rows])]
        self._linear(terms, cuts.rows, np.arange(count), cuts.gradients, q)
        # The worst case over v is that of the row: one set of absolute values serves all cuts.
        groups = np.asarray(np.unique(self._place[cuts.rows]), dtype=np.intp)
        place = np.asarray(np.searchsorted(groups, self._place[cuts.rows]), dtype=np.intp)
        start = np.asarray(data.directions.D[self.working[groups]] @ data.gain)
        u = self._absolute(blocks, groups, start)
        middle = 0.5 * (data.box.low + data.box.high)
        half = 0.5 * (data.box.high - data.box.low)
        factor = data.directions.factor[cuts.rows]
        weight = np.abs(factor)[:, None] * half
        column = place[:, None] + len(groups) * np.arange(q)
        terms.append((u, Entries(weight.ravel(), np.repeat(np.arange(count), q), column.ravel())))
        right = b[cuts.rows].copy()
        if middle.any():
            self._linear(terms, cuts.rows, np.arange(count), np.tile(middle, (count, 1)), 0)
            right -= factor * (start[place] @ middle)
        blocks.add(Cone.nonnegative(count), terms, right)


def _places(rows: int, columns: int) -> NDArray[np.intp]:
    """Where entries stored by columns are."""
    return np.arange(rows)[:, None] + rows * np.arange(columns)
