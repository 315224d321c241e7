"""The affine model (`scaled`) as conic data.

A `Model` has margins only on the directions of a working set, and may hold rows of Z at zero: a
variable at its limit mostly leaves the noise to others. With all directions, R = None and plain
spaces it is the model as it is written down.

It is put together in x = (z, the values V of the working rows in the columns of the recourse,
auxiliary variables of margins and objective); then X takes the place of V, as the `space` of the
recourse has it.
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
from privopt.solving.margins import Cuts, Margins
from privopt.solving.problem import Cone, ConicProblem
from privopt.solving.scaled import Point, ScaledProgram, watched
from privopt.solving.space import Space
from privopt.solving.sparse import repeated
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
    """The program with margins on the directions `working` alone, in a space and a basis.

    `noise` is the space of Y. `held` are directions of one variable each, whose row of Z is zero.
    """

    data: ScaledProgram
    working: Positions
    held: Positions
    noise: Space
    R: Dense | None

    @classmethod
    def plain(
        cls, data: ScaledProgram, working: Positions | None = None, held: Positions | None = None
    ) -> Model:
        """Every variable, every noise direction, and every direction unless some are given."""
        every = np.arange(data.directions.D.shape[0])
        working = every if working is None else working
        held = every[:0] if held is None else held
        noise = Space.plain(data.C, watched(data, working, held), data.quadratic)
        return cls(data, working, held, noise, None)

    @property
    def rank(self) -> int:
        """Number of noise directions Y may use."""
        return self.data.noise_dimensions if self.R is None else len(self.R)

    @cached_property
    def base(self) -> Dense:
        """Z_0 R', and what the space adds to it."""
        base = self.data.along(self.R)
        if self.noise.offset is None:
            return base
        return base + self.noise.offset

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """For each row, the place of its direction in the working set; -1 if it has none."""
        place = np.full(self.data.directions.D.shape[0], -1, dtype=np.intp)
        place[self.working] = np.arange(len(self.working))
        return place[self.data.directions.group]

    def point(self, x: Vector) -> Point:
        """The solution of a solution vector."""
        n, k = len(self.data.linear), self.noise.rows.shape[1]
        X = x[n : n + k * self.rank].reshape(self.rank, k).T
        return Point(x[:n], self.noise.lift(X), self.R)

    def conic(self, margins: Margins, cuts: Cuts, b: Vector, *, elastic: bool = False) -> Compiled:
        """Conic data under margins, cuts and limits of the rows.

        `elastic` asks for the least total excess of the rows over their limits instead.
        """
        data, n = self.data, len(self.data.linear)
        noise = Values(n, np.asarray(self.noise.watched @ self.base))
        blocks = Blocks(n + self.noise.rows.shape[0] * self.rank)
        blocks.add(Cone.zero(len(data.d)), [(0, data.G)], data.d)
        terms: Terms = [(0, data.A)]
        excess = 0
        if elastic:
            excess, eye = blocks.variables(len(b)), sp.eye_array(len(b))
            blocks.add(Cone.nonnegative(len(b)), [(excess, -eye)], np.zeros(len(b)))
            for i in range(len(b)):
                blocks.cost(excess + i, 1.0)
            terms.append((excess, -eye))
        rows, right = np.flatnonzero(self.place >= 0), b.copy()
        self._margins(blocks, terms, right, rows, noise, margins)
        at = blocks.add(Cone.nonnegative(len(b)), terms, right)
        holds = self._holds(blocks, noise)
        if len(cuts.rows):
            self._cuts(blocks, cuts, b, noise)
        if data.phi > 0 and data.T is not None and not elastic:
            self._deviation(blocks, noise, data.T)
        P, q = self._cost()
        in_values = blocks.problem(sp.csc_array((0, 0)), np.zeros(0))
        width = self.noise.rows.shape[1] * self.rank
        if elastic:
            P, q = [sp.csc_array((n + width, n + width))], np.zeros(n + width)
        problem = substituted(in_values, n, self.noise, self.rank, P, q, data.still)
        shift = width - self.noise.rows.shape[0] * self.rank
        return Compiled(problem, in_values, at, holds, excess + shift)

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

    def _holds(self, blocks: Blocks, noise: Values) -> int:
        """Rows of Z that are zero, unless the space sees to it; where they start."""
        if self.noise.kept is None or not len(self.held):
            return 0
        rows = len(self.working) + np.arange(len(self.held))
        at = noise.at(rows[:, None], np.arange(self.rank)).ravel()
        terms: Terms = [(0, Entries(np.ones(len(at)), np.arange(len(at)), at))]
        return blocks.add(Cone.zero(len(at)), terms, -noise.start[rows].ravel())

    def _cuts(self, blocks: Blocks, cuts: Cuts, b: Vector, noise: Values) -> None:
        """A_i z + gradient'(A_i Z)' <= b_i."""
        data, rows, at = self.data, cuts.rows, np.arange(len(cuts.rows))
        terms: Terms = [(0, data.A[rows])]
        right = b[rows].copy()
        factor = data.nu * data.directions.factor[rows]
        noise.linear(terms, right, at, self.place[rows], factor[:, None] * cuts.gradients)
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
        right = np.concatenate([[0.0], fixed.T.ravel()])
        terms: Terms = [(tau, head), (noise.first, moving)]
        blocks.add(Cone.second_order(len(right)), terms, right)

    def _cost(self) -> tuple[list[Any], Vector]:
        """Blocks of P and linear cost of z and X."""
        data, weight = self.data, 1 - self.data.phi
        slope = data.spread * self.noise.cost_of(np.asarray(data.quadratic @ self.base))
        P: list[Any] = [
            2 * weight * data.quadratic,
            repeated(self.noise.quadratic, np.full(self.rank, data.spread)),
        ]
        return P, np.concatenate([weight * data.linear, slope.T.ravel()])
