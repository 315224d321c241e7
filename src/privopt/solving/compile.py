"""The affine model (`scaled`) as conic data.

A `Model` has margins only on the directions of a working set, and may hold rows of Z at zero: a
variable at its limit mostly leaves the noise to others. With all directions, R = None and plain
spaces it is the model as it is written down.

It is put together in x = (z, the values V of the working rows in the columns of gain and recourse,
auxiliary variables of level, margins and objective); then X takes the place of V, as the `space`
of gain and recourse has it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.blocks import Blocks, Entries, Terms
from privopt.solving.directions import Positions
from privopt.solving.margins import Cuts, Margins
from privopt.solving.problem import Cone, ConicProblem
from privopt.solving.rule_space import RuleSpace
from privopt.solving.scaled import Gain, Point, ScaledProgram, watched
from privopt.solving.space import Space
from privopt.solving.sparse import repeated, stacked, taken
from privopt.solving.substitution import substituted
from privopt.solving.values import Values

__all__ = ["Compiled", "Model"]

_ROUNDING = 1e-15  # of a squared norm, below which its part outside R is none


@dataclass(frozen=True, repr=False, eq=False)
class Compiled:
    """Conic data of the model, and the same before X took the place of the values V of the rows.

    `rows` is where the rows of the program start, `holds` where those that hold rows of Z do;
    `excess` is where the elastic variables start.
    """

    problem: ConicProblem
    in_values: ConicProblem
    rows: int
    holds: int
    excess: int


@dataclass(frozen=True, repr=False, eq=False)
class Model:
    """The program with margins on the directions `working` alone, in spaces and a basis.

    `noise` is the space of Y (None without noise), `gain` that of the change of K; it knows the
    working directions, then the rows of the query. `held` are directions of one variable each,
    whose row of Z is zero. `rule` has the bases of an affine rule, column by column.
    """

    data: ScaledProgram
    working: Positions
    held: Positions
    noise: Space | None
    R: Dense | None
    gain: Space | None = None
    rule: RuleSpace | None = None

    @classmethod
    def plain(
        cls, data: ScaledProgram, working: Positions | None = None, held: Positions | None = None
    ) -> Model:
        """Every variable, every noise direction, and every direction unless some are given."""
        every = np.arange(data.directions.D.shape[0])
        working = every if working is None else working
        held = every[:0] if held is None else held
        noise = gain = None
        if data.noise_dimensions:
            noise = Space.plain(data.C, watched(data, working, held), data.quadratic)
        if data.gain is not None:
            rows = stacked(taken(data.directions.D, working), data.gain.query)
            gain = Space.plain(data.gain.C, rows, data.quadratic)
        return cls(data, working, held, noise, None, gain)

    @property
    def rank(self) -> int:
        """Number of noise directions Y may use."""
        return self.data.noise_dimensions if self.R is None else len(self.R)

    @cached_property
    def base(self) -> Dense:
        """Z_0 R', and what the space adds to it."""
        base = self.data.along(self.R)
        if self.noise is None or self.noise.offset is None:
            return base
        return base + self.noise.offset

    @cached_property
    def start(self) -> Dense:
        """K at X = 0."""
        if self.data.gain is None or self.gain is None:
            return np.zeros((len(self.data.linear), 0))
        start = self.data.gain.start
        return start if self.gain.offset is None else start + self.gain.offset

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """For each row, the place of its direction in the working set; -1 if it has none."""
        place = np.full(self.data.directions.D.shape[0], -1, dtype=np.intp)
        place[self.working] = np.arange(len(self.working))
        return place[self.data.directions.group]

    @property
    def groups(self) -> list[tuple[Space, int]]:
        """The spaces there are, each with its number of columns."""
        groups: list[tuple[Space, int]] = []
        if self.gain is not None:
            groups.append((self.gain, self.start.shape[1]))
        if self.noise is not None:
            groups.append((self.noise, self.rank))
        return groups

    def point(self, x: Vector) -> Point:
        """The solution of a solution vector."""
        data, at = self.data, len(self.data.linear)
        parts: list[Dense] = []
        for space, columns in self.groups:
            size = space.rows.shape[1] * columns
            parts.append(x[at : at + size].reshape(columns, space.rows.shape[1]).T)
            at += size
        level = 1.0 if data.floor is None or self.noise is None else max(float(x[at]), 0.0)
        K = self.start if data.gain is None else data.gain.start
        if self.gain is not None:
            K = K + self.gain.lift(parts[0], 1.0)
        Y = np.zeros((len(data.linear), 0))
        if self.noise is not None:
            Y = self.noise.lift(parts[-1], level)
        return Point(x[: len(data.linear)], Y, self.R, level, K)

    def conic(
        self,
        margins: Margins,
        cuts: Cuts,
        b: Vector,
        leveled: Vector | None = None,
        *,
        elastic: bool = False,
    ) -> Compiled:
        """Conic data under margins, cuts and limits of the rows.

        `leveled` are margins of rows that only the level changes, at level one; `elastic` asks for
        the least total excess of the rows over their limits instead.
        """
        data = self.data
        gain, noise, blocks = self._values()
        blocks.add(Cone.zero(len(data.d)), [(0, data.G)], data.d)
        if noise is not None and noise.level is not None and data.floor is not None:
            minus = Entries(np.array([-1.0]), np.array([0]), np.array([0]))
            blocks.add(Cone.nonnegative(1), [(noise.level, minus)], np.array([-data.floor]))
        terms: Terms = [(0, data.A)]
        excess = 0
        if elastic:
            excess, eye = blocks.variables(len(b)), sp.eye_array(len(b))
            blocks.add(Cone.nonnegative(len(b)), [(excess, -eye)], np.zeros(len(b)))
            for i in range(len(b)):
                blocks.cost(excess + i, 1.0)
            terms.append((excess, -eye))
        worst = (0, len(self.working))
        if gain is not None and data.gain is not None:
            worst = (gain.absolute(blocks, np.arange(len(self.working))), len(self.working))
            if noise is not None and noise.level is not None:
                self._sensitivity(blocks, data.gain, gain, noise.level)
            if noise is not None and data.gain.measure is not None:
                self._measured(blocks, data.gain.measure, gain, noise)
        rows, right = np.flatnonzero(self.place >= 0), b.copy()
        self._worst(terms, right, rows, rows, gain, worst)
        if noise is not None:
            self._margins(blocks, terms, right, rows, noise, margins)
            if leveled is not None:
                noise.started(terms, right, np.flatnonzero(leveled), leveled[leveled != 0])
        at = blocks.add(Cone.nonnegative(len(b)), terms, right)
        holds = self._holds(blocks, noise)
        if noise is not None and len(cuts.rows):
            self._cuts(blocks, cuts, b, noise, gain, worst)
        if noise is not None and data.phi > 0 and data.T is not None and not elastic:
            self._deviation(blocks, noise, data.T)
        P, q, cross = self._cost()
        in_values = blocks.problem(sp.csc_array((0, 0)), np.zeros(0))
        n, width = len(data.linear), sum(space.rows.shape[1] * r for space, r in self.groups)
        if elastic:
            P, q = [sp.csc_array((n + width, n + width))], np.zeros(n + width)
        problem = substituted(in_values, n, self.groups, P, q, data.still)
        if noise is not None and noise.level is not None and not elastic:
            problem = self._bordered(problem, cross, n + width)
        shift = width - sum(space.rows.shape[0] * r for space, r in self.groups)
        return Compiled(problem, in_values, at, holds, excess + shift)

    def _values(self) -> tuple[Values | None, Values | None, Blocks]:
        """Gain and recourse as the program sees them."""
        at, gain, noise = len(self.data.linear), None, None
        if self.gain is not None:
            gain = Values(at, np.asarray(self.gain.watched @ self.start))
            at += gain.start.size
        end = at
        if self.noise is not None:
            end += self.noise.rows.shape[0] * self.rank
        blocks = Blocks(end)
        if self.noise is not None:
            free = self.data.floor is not None
            start = np.asarray(self.noise.watched @ self.base)
            noise = Values(at, start, blocks.variables(1) if free else None)
        return gain, noise, blocks

    def _worst(
        self,
        terms: Terms,
        right: Vector,
        at: Positions,
        rows: Positions,
        gain: Values | None,
        u: tuple[int, int],
    ) -> None:
        """Add sup_v A_i K v."""
        if gain is not None and self.data.gain is not None and len(rows):
            factor = self.data.directions.factor[rows]
            gain.support(terms, right, at, self.place[rows], factor, self.data.gain.box, u)

    def _margins(
        self,
        blocks: Blocks,
        terms: Terms,
        right: Vector,
        rows: Positions,
        noise: Values,
        margins: Margins,
    ) -> None:
        """Add h_i(A_i Z), where it is working."""
        data, count = self.data, len(self.working)
        if not len(rows):
            return
        place, factor = self.place[rows], data.nu * data.directions.factor[rows]
        if margins.deviations is not None:
            size = margins.deviations[rows] * data.deviation * np.abs(factor)
            terms.append((noise.norms(blocks, self._rest), Entries(size, rows, place)))
        if margins.tilt is not None:
            noise.linear(terms, right, rows, place, factor[:, None] * margins.tilt[rows])
        if margins.box is not None:
            u = noise.absolute(blocks, np.arange(count)), count
            noise.support(terms, right, rows, place, factor, margins.box, u)

    def _holds(self, blocks: Blocks, noise: Values | None) -> int:
        """Rows of Z that are zero, unless the space sees to it; where they start."""
        if noise is None or self.noise is None or self.noise.kept is None or not len(self.held):
            return 0
        rows = len(self.working) + np.arange(len(self.held))
        at = noise.at(rows[:, None], np.arange(self.rank)).ravel()
        every, right = np.arange(len(at)), np.zeros(len(at))
        terms: Terms = [(0, Entries(np.ones(len(at)), every, at))]
        noise.started(terms, right, every, noise.start[rows].ravel())
        return blocks.add(Cone.zero(len(at)), terms, right)

    def _cuts(
        self,
        blocks: Blocks,
        cuts: Cuts,
        b: Vector,
        noise: Values,
        gain: Values | None,
        u: tuple[int, int],
    ) -> None:
        """A_i z + sup_v A_i K v + gradient'(A_i Z)' <= b_i."""
        data, rows, at = self.data, cuts.rows, np.arange(len(cuts.rows))
        terms: Terms = [(0, data.A[rows])]
        right = b[rows].copy()
        factor = data.nu * data.directions.factor[rows]
        noise.linear(terms, right, at, self.place[rows], factor[:, None] * cuts.gradients)
        self._worst(terms, right, at, rows, gain, u)
        blocks.add(Cone.nonnegative(len(rows)), terms, right)

    @cached_property
    def _rest(self) -> Vector:
        """Norm of D_g Z_0 outside R: rounding, where R spans it."""
        if self.R is None:
            return np.zeros(len(self.working))
        data = self.data
        whole = np.square(data.norms[self.working])
        fixed = np.asarray(data.directions.D[self.working] @ data.along(self.R))
        rest = whole - np.square(fixed).sum(axis=1)
        return np.where(rest > _ROUNDING * whole, np.sqrt(np.maximum(rest, 0.0)), 0.0)

    def _sensitivity(self, blocks: Blocks, gain: Gain, values: Values, level: int) -> None:
        """||sum over j in o of |S K_j| reach_j|| <= ratio s, for every owner o."""
        q, p, owners = gain.columns, gain.query.shape[0], gain.owners
        rows, every = len(self.working) + np.arange(p), np.arange(q)
        if gain.order == 1:
            a, each = values.absolute(blocks, rows), np.arange(owners)
            total = Entries(np.repeat(gain.reach, p), np.repeat(gain.owner, p), np.arange(p * q))
            hidden = Entries(np.full(owners, -gain.ratio), each, np.zeros(owners, dtype=np.intp))
            blocks.add(Cone.nonnegative(owners), [(a, total), (level, hidden)], np.zeros(owners))
            return
        if owners < q:
            a, heads = values.absolute(blocks, rows), np.arange(owners) * (1 + p)
            hidden = Entries(np.full(owners, -gain.ratio), heads, np.zeros(owners, dtype=np.intp))
            tails = heads[gain.owner][:, None] + 1 + np.arange(p)
            moving = Entries(-np.repeat(gain.reach, p), tails.ravel(), np.arange(p * q))
            cones, right = [Cone.second_order(1 + p)] * owners, np.zeros(owners * (1 + p))
            blocks.add(cones, [(level, hidden), (a, moving)], right)
            return
        heads = every * (1 + p)
        tails = heads[:, None] + 1 + np.arange(p)
        right = np.zeros(q * (1 + p))
        right[tails] = gain.reach[:, None] * values.start[rows].T
        hidden = Entries(np.full(q, -gain.ratio), heads, np.zeros(q, dtype=np.intp))
        at = values.at(rows, every[:, None]).ravel()
        moving = Entries(-np.repeat(gain.reach, p), tails.ravel(), at)
        blocks.add([Cone.second_order(1 + p)] * q, [(level, hidden), (0, moving)], right)

    def _measured(self, blocks: Blocks, W: Dense, gain: Values, noise: Values) -> None:
        """S K = S Y W."""
        (r, q), p = W.shape, len(gain.start) - len(self.working)
        rows = len(self.working) + np.arange(p)
        every: Positions = np.arange(p * q, dtype=np.intp)
        own = gain.at(rows, np.arange(q)[:, None]).ravel()
        answer = noise.at(rows, np.arange(r)[:, None]).ravel()
        part = Entries.of(cast("Any", sp.kron(sp.csr_array(-W.T), sp.eye_array(p))))
        terms: Terms = [
            (0, Entries(np.ones(len(own)), every, own)),
            (0, Entries(part.data, part.row, answer[part.col])),
        ]
        blocks.add(Cone.zero(p * q), terms, -gain.start[rows].T.ravel())

    def _deviation(self, blocks: Blocks, noise: Values, T: Dense) -> None:
        """The cost phi * tau with tau >= ||L Z Sigma^(1/2) T||_F."""
        data = self.data
        size = float(np.abs(data.L.data).max(initial=0.0)) or 1.0
        tau = blocks.variables(1)
        blocks.cost(tau, data.phi * size * data.nu * data.deviation)
        count = len(noise.start)
        along = T if self.R is None else self.R @ T  # R holds what L Z_0 T needs
        fixed = noise.start[count - data.L.shape[0] :] @ along / size
        head = Entries(np.array([-1.0]), np.array([0]), np.array([0]))
        own: Any = sp.eye_array(count, format="csr")[count - data.L.shape[0] :] / size
        moving = Entries.of(cast("Any", sp.kron(-along.T, own)))
        moving = Entries(moving.data, moving.row + 1, moving.col)
        right = np.zeros(1 + fixed.size)
        terms: Terms = [(tau, head), (noise.first, moving)]
        noise.started(terms, right, 1 + np.arange(fixed.size), -fixed.T.ravel())
        blocks.add(Cone.second_order(len(right)), terms, right)

    def _cost(self) -> tuple[list[Any], Vector, Dense]:
        """Blocks of P and linear cost of z and X; and the slope of X at level one."""
        data, weight = self.data, 1 - self.data.phi
        P: list[Any] = [2 * weight * data.quadratic]
        q = [weight * data.linear]
        cross = np.zeros((0, 0))
        if self.gain is not None and data.gain is not None:
            each = 2 * weight * data.gain.variance
            slope = self.gain.cost_of(np.asarray(data.quadratic @ self.start)) * each
            slope = slope - 2 * weight * self.gain.cost_of(data.gain.credit)
            P.append(repeated(self.gain.quadratic, each))
            q.append(slope.T.ravel())
        if self.noise is not None:
            cross = data.spread * self.noise.cost_of(np.asarray(data.quadratic @ self.base))
            P.append(repeated(self.noise.quadratic, np.full(self.rank, data.spread)))
            q.append(cross.T.ravel() if data.floor is None else np.zeros(cross.size))
        return P, np.concatenate(q), cross

    def _bordered(self, problem: ConicProblem, cross: Dense, at: int) -> ConicProblem:
        """The cost of the level, the variable `at`, beside that of the X before it."""
        offset = None if self.noise is None else self.noise.offset
        energy = self.data.energy if offset is None else self.data.energy_of(offset, self.R)
        slope = cross.T.ravel()
        X = at - slope.size + np.arange(slope.size)
        level = np.full(slope.size, at)
        place: Any = np.concatenate([X, level, [at]]), np.concatenate([level, X, [at]])
        entries = np.concatenate([slope, slope, [self.data.spread * energy]])
        more: Any = sp.csc_array((entries, place), shape=problem.P.shape)
        more.eliminate_zeros()
        return replace(problem, P=sp.csc_array(problem.P + more))
