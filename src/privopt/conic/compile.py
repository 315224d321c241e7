"""The chance-constrained program as conic data.

    minimise   (1-phi) (c1'z + z'C2 z + tr(Z'C2 Z Sigma)) + phi ||L Z Sigma^(1/2) T||_F
    subject to G z = d,   G Z = 0,   S Z = I,   A_i z + h_i(A_i Z) <= b_i

The recourse is Z = nu (Z_0 + Y R): a particular solution Z_0, a free part Y with [G; S] Y = 0, and
a basis R of the noise directions Y may use (orthonormal rows). R = I is the plain model; a smaller
R is the low-rank model, and nothing below changes with it. Everything is in scaled variables, for
noise of scale one; nu is the size of Z_0, so that Y is around one too.

x = (z, the columns of Y, auxiliary variables of margins and objective).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.conic.blocks import Blocks, Terms
from privopt.conic.directions import Directions
from privopt.conic.margins import Box, Margins
from privopt.conic.problem import Cone, ConicProblem


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class ScaledProgram:
    """The data of the program above, in scaled variables."""

    linear: Vector
    quadratic: Any
    A: Any
    directions: Directions
    G: Any
    d: Vector
    C: Any
    base: Dense
    nu: float
    R: Dense
    variance: float
    phi: float
    L: Any
    T: Dense | None
    still: NDArray[np.intp] | None = None  # entries of Y (by columns) that are zero; needs R = I

    def split(self, x: Vector) -> tuple[Vector, Dense]:
        """Z and the recourse of a solution vector."""
        n, r = len(self.linear), len(self.R)
        Y = x[n : n + n * r].reshape(r, n).T
        return x[:n], self.nu * (self.base + Y @ self.R)

    def conic(self, margins: Margins, cuts: Cuts, b: Vector) -> ConicProblem:
        """Conic data under the given margins, cuts and right-hand sides of the rows."""
        r = len(self.R)
        blocks = self._equalities()
        self._rows(blocks, margins, b)
        self._cuts(blocks, cuts, b)
        if self.phi > 0 and self.T is not None:
            self._deviation(blocks, self.T)
        weight = 1 - self.phi
        spread = 2 * weight * self.variance * self.nu**2
        cross: Dense = spread * np.asarray(self.quadratic @ self.base) @ self.R.T
        P = sp.block_diag(
            [2 * weight * self.quadratic, spread * sp.kron(sp.eye_array(r), self.quadratic)]
        )
        return blocks.problem(P, np.concatenate([weight * self.linear, cross.T.ravel()]))

    def elastic(self, margins: Margins, b: Vector) -> tuple[ConicProblem, int]:
        """Least total excess t >= 0 of the rows over their limits; the data, and where t starts."""
        blocks = self._equalities()
        t = blocks.variables(len(b))
        eye = sp.eye_array(len(b))
        blocks.add(Cone.nonnegative(len(b)), [(t, -eye)], np.zeros(len(b)))
        for i in range(len(b)):
            blocks.cost(t + i, 1.0)
        self._rows(blocks, margins, b, [(t, -eye)])
        return blocks.problem(sp.csr_array((t, t)), np.zeros(t)), t

    def _equalities(self) -> Blocks:
        """G z = d and [G; S] Y = 0; entries of Y that must be."""
        n, r = len(self.linear), len(self.R)
        blocks = Blocks(n + n * r)
        blocks.add(Cone.zero(len(self.d)), [(0, self.G)], self.d)
        free = r * int(self.C.shape[0])
        blocks.add(Cone.zero(free), [(n, sp.kron(sp.eye_array(r), self.C))], np.zeros(free))
        if self.still is not None:
            count = len(self.still)
            entries = (np.ones(count), (np.arange(count), self.still))
            held = sp.csr_array(entries, shape=(count, n * r))
            blocks.add(Cone.zero(count), [(n, held)], np.zeros(count))
        return blocks

    def _rows(self, blocks: Blocks, margins: Margins, b: Vector, more: Terms | None = None) -> None:
        """A_i z + h_i(A_i Z) <= b_i for every row, with more terms on the left if given."""
        count, groups = len(b), self.directions.D.shape[0]
        share: Any = sp.csr_array(
            (np.abs(self.directions.factor), (np.arange(count), self.directions.group)),
            shape=(count, groups),
        )
        terms: Terms = [(0, self.A), *(more or [])]
        right = b.copy()
        if margins.deviations is not None:
            t = self._norms(blocks)
            size = margins.deviations * float(np.sqrt(self.variance)) * self.nu
            terms.append((t, sp.diags_array(size) @ share))
        if margins.tilt is not None:
            right -= self._linear(terms, np.arange(count), margins.tilt)
        if margins.box is not None:
            right -= self._box(blocks, terms, share, margins.box)
        blocks.add(Cone.nonnegative(count), terms, right)

    def _linear(self, terms: Terms, rows: NDArray[np.intp], gradients: Dense) -> Vector:
        """Terms of gradient_i'(A_i Z)', and its constant part."""
        A, moving = self.A[rows], self.nu * gradients @ self.R.T
        columns = [sp.diags_array(moving[:, j]) @ A for j in range(len(self.R))]
        terms.append((len(self.linear), sp.hstack(columns)))
        return self.nu * (gradients * np.asarray(A @ self.base)).sum(axis=1)

    def _norms(self, blocks: Blocks) -> int:
        """Variables t_g >= ||D_g Z_0 + D_g Y R||, one cone a direction; where they start."""
        D, R = self.directions.D, self.R
        fixed = np.asarray(D @ self.base)
        groups, r = D.shape[0], len(R)
        t = blocks.variables(groups)
        moved = fixed @ R.T
        extra = int(r < fixed.shape[1])
        size = 1 + r + extra
        heads = np.arange(groups) * size
        place = (heads[None, :] + 1 + np.arange(r)[:, None]).ravel()
        lift: Any = sp.csr_array(
            (np.ones(groups * r), (place, np.arange(groups * r))), shape=(groups * size, groups * r)
        )
        first = sp.csr_array(
            (np.ones(groups), (heads, np.arange(groups))), shape=(groups * size, groups)
        )
        right = np.asarray(lift @ moved.T.ravel())
        if extra:  # the part of D_g Z_0 that Y cannot move
            rest = (fixed**2).sum(axis=1) - (moved**2).sum(axis=1)
            right[heads + size - 1] = np.sqrt(np.maximum(rest, 0.0))
        moving = lift @ sp.kron(sp.eye_array(r), D)
        cones = [Cone.second_order(size)] * groups
        blocks.add(cones, [(t, -first), (len(self.linear), -moving)], right)
        return t

    def _box(self, blocks: Blocks, terms: Terms, share: Any, box: Box) -> Vector:  # noqa: ANN401
        """Terms of middle'a + half'|a| with variables u >= |a|; the constant part of middle'a."""
        D, p = self.directions.D, self.base.shape[1]
        groups, count = D.shape[0], len(self.directions.group)
        middle, half = 0.5 * (box.low + box.high), 0.5 * (box.high - box.low)
        u = blocks.variables(groups * p)
        fixed = np.asarray(D @ self.base).T.ravel()
        moving: Any = _kron(self.R.T, D)
        for sign in (1.0, -1.0):
            inside: Terms = [
                (len(self.linear), sign * moving),
                (u, -sp.eye_array(groups * p)),
            ]
            blocks.add(Cone.nonnegative(groups * p), inside, -sign * fixed)
        terms.append((u, _kron(self.nu * half[None, :], share)))
        if not middle.any():
            return np.zeros(count)
        return self._linear(terms, np.arange(count), np.tile(middle, (count, 1)))

    def _cuts(self, blocks: Blocks, cuts: Cuts, b: Vector) -> None:
        if len(cuts.rows):
            terms: Terms = [(0, self.A[cuts.rows])]
            offset = self._linear(terms, cuts.rows, cuts.gradients)
            blocks.add(Cone.nonnegative(len(cuts.rows)), terms, b[cuts.rows] - offset)

    def _deviation(self, blocks: Blocks, T: Dense) -> None:
        """The cost phi * tau with tau >= ||L Z Sigma^(1/2) T||_F."""
        size = float(np.abs(self.L.data).max(initial=0.0)) or 1.0
        L: Any = self.L / size
        tau = blocks.variables(1)
        blocks.cost(tau, self.phi * size * self.nu * float(np.sqrt(self.variance)))
        constant = np.asarray(L @ self.base) @ T
        count = 1 + constant.size
        head = sp.csr_array((np.array([-1.0]), ([0], [0])), shape=(count, 1))
        rest: Any = _kron((self.R @ T).T, L)
        moving = sp.vstack([sp.csr_array((1, rest.shape[1])), -rest])
        right = np.concatenate([[0.0], constant.T.ravel()])
        blocks.add(Cone.second_order(count), [(tau, head), (len(self.linear), moving)], right)


def _kron(left: Dense, right: Any) -> Any:  # noqa: ANN401 -- any scipy sparse
    return cast("Any", sp.kron(left, right))
