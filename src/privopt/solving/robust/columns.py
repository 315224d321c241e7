"""The Newton structure of a robust certificate: columns by themselves, then what they share.

    minimise   s + (near/2) (|v|^2 + sum_j half_j^2 |Y_j|^2)
    subject to |a_ij + B_i Y_j - m_i'W e_j| <= e_ij           every row i, column j
               |m_ik| <= g_ik                                 slabs with two ends
               B_i v + sum_j half_j e_ij + centre'm_i + width'g_i <= room_i + s size_i
               B_i v <= room_i + s size_i                     rows whose margin is a number

for `interior_point`. v moves the solution at the middle, Y_j column j of the gain; a_ij is what row
i of the gain is to begin with. s is how much the worst row is exceeded, in multiples of its size:
with s = 0 there is a certificate.

In a Newton step e and g go first: they are diagonal. With D1, D2 the weights of the two sides of
|.| <= e, kappa = 4 D1 D2 / (D1 + D2) is left of them, and column j answers with the inverse of

    H_j = near half_j^2 I + B' diag(kappa_j) B.

Y_j is in the span of the rows of B, so that H_j is no larger than there are rows.
Left are m, the multipliers of the rows, v and s. The m of different slabs meet only where the slabs
share entries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
import scipy.linalg.lapack as lapack

from privopt.arrays import Dense, Vector
from privopt.solving.definite import Cholesky
from privopt.solving.interior import Newton, Start

__all__ = ["Columns"]

_TOOL: Any = lapack  # its functions have no types

_PRODUCT = 0.1  # of slacks and multipliers of a row at the start, if there were one row
_LAST = 1e-2  # its multiplier where nothing asks for one


@dataclass(frozen=True, repr=False, eq=False)
class Columns:
    """The program; see above.

    Attributes
    ----------
    B, a, room, size
        Rows whose margin is chosen: F x f, F x q, F, F.
    W, centre, width, half
        The slabs (r x q) and the box.
    fixed, fixed_room, fixed_size
        Rows whose margin is a number, taken off their room.
    near
        Weight that keeps the solution near where it begins.
    """

    B: Dense
    a: Dense
    room: Vector
    size: Vector
    W: Dense
    centre: Vector
    width: Vector
    half: Vector
    fixed: Dense
    fixed_room: Vector
    fixed_size: Vector
    near: float

    @property
    def d(self) -> Vector:
        """There are no equalities."""
        return np.zeros(0)

    @cached_property
    def _shape(self) -> tuple[int, int, int, int, int]:
        """F rows, f directions of v, k of each column, q columns, r slabs."""
        return (*self.B.shape, self.B_on_span.shape[1], len(self.half), len(self.W))

    @cached_property
    def _span(self) -> Dense:
        """An orthonormal basis of what the rows of B span: Y_j has nothing outside of it."""
        return np.asarray(np.linalg.qr(self.B.T)[0])

    @cached_property
    def B_on_span(self) -> Dense:
        """B on that span."""
        return self.B @ self._span

    @cached_property
    def _pull(self) -> Vector:
        return self.near * np.square(self.half)

    @property
    def q(self) -> Vector:
        """Linear cost: s."""
        return self._cost

    @property
    def b(self) -> Vector:
        """Limits of the rows."""
        return self._limits

    @cached_property
    def _cost(self) -> Vector:
        F, f, k, q, r = self._shape
        return np.eye(1, f + 1 + q * k + F * q + 2 * F * r, f)[0]

    @cached_property
    def _limits(self) -> Vector:
        F, _, _, _, r = self._shape
        sides = [-self.a.ravel(), self.a.ravel(), np.zeros(2 * F * r)]
        return np.concatenate([*sides, self.room, self.fixed_room, [0.0]])

    @cached_property
    def _variable_ends(self) -> list[int]:
        """Where Y, e, m and g end in a vector of variables."""
        F, f, k, q, r = self._shape
        return list(accumulate([f + 1 + q * k, F * q, F * r, F * r]))

    @cached_property
    def _row_ends(self) -> list[int]:
        """Where both sides of e, both of g, margins and fixed rows end in a vector of rows."""
        F, _, _, q, r = self._shape
        return list(accumulate([F * q, F * q, F * r, F * r, F, len(self.fixed)]))

    def variables(self, x: Vector) -> tuple[Vector, float, Dense, Dense, Dense, Dense]:
        """V, s, Y (on the span, a row for each column of the gain), e, m and g."""
        F, f, k, q, r = self._shape
        Y, e, m, g = self._variable_ends
        return (
            x[:f], float(x[f]), x[f + 1 : Y].reshape(q, k),
            x[Y:e].reshape(F, q), x[e:m].reshape(F, r), x[m:g].reshape(F, r),
        )  # fmt: skip

    def change(self, x: Vector) -> Dense:
        """How the columns of the gain change: Y_j, a row each."""
        _, _, Y, *_ = self.variables(x)
        return Y @ self._span.T

    def by_rows(self, y: Vector) -> tuple[Dense, Dense, Dense, Dense, Vector, Vector, float]:
        """A vector over the rows: both sides of e, both of g, margins, fixed rows, s >= 0."""
        F, _, _, q, r = self._shape
        up, down, over, under, rows, fixed = self._row_ends
        return (
            y[:up].reshape(F, q), y[up:down].reshape(F, q),
            y[down:over].reshape(F, r), y[over:under].reshape(F, r),
            y[under:rows], y[rows:fixed], float(y[fixed]),
        )  # fmt: skip

    def quadratic(self, x: Vector) -> Vector:
        """P x."""
        v, _, Y, e, m, g = self.variables(x)
        rest = np.zeros(e.size + m.size + g.size)
        return np.concatenate([self.near * v, [0.0], (self._pull[:, None] * Y).ravel(), rest])

    def rows(self, x: Vector) -> Vector:
        """The rows at x."""
        v, s, Y, e, m, g = self.variables(x)
        bent = self.B_on_span @ Y.T - m @ self.W
        margin = e @ self.half + m @ self.centre + g @ self.width
        return np.concatenate(
            [
                (bent - e).ravel(), (-bent - e).ravel(), (m - g).ravel(), (-m - g).ravel(),
                self.B @ v + margin - s * self.size, self.fixed @ v - s * self.fixed_size, [-s],
            ]
        )  # fmt: skip

    def rows_transposed(self, dual: Vector) -> Vector:
        """The transposed rows times multipliers."""
        up, down, over, under, rows, fixed, last = self.by_rows(dual)
        turn = up - down
        return np.concatenate(
            [
                self.B.T @ rows + self.fixed.T @ fixed,
                [-self.size @ rows - self.fixed_size @ fixed - last],
                (turn.T @ self.B_on_span).ravel(),
                (np.outer(rows, self.half) - up - down).ravel(),
                (np.outer(rows, self.centre) - turn @ self.W.T + over - under).ravel(),
                (np.outer(rows, self.width) - over - under).ravel(),
            ]
        )

    def equalities(self, x: Vector) -> Vector:
        """There are none."""
        del x
        return np.zeros(0)

    def equalities_transposed(self, y: Vector) -> Vector:
        """There are none."""
        del y
        return np.zeros(len(self.q))

    def start(self) -> Start:
        """Where it begins: the gain as it is, s as large as that needs, multipliers alike.

        The multipliers of the rows add up to the cost of s, and those of |.| <= e and |m| <= g to
        theirs: so far no equation is off.
        """
        F, f, k, q, r = self._shape
        count = F + len(self.fixed)
        rows, fixed = (1 / (count * size) for size in (self.size, self.fixed_size))
        sides, slabs = 0.5 * np.outer(rows, self.half), 0.5 * np.outer(rows, self.width)
        parts = [sides.ravel()] * 2 + [slabs.ravel()] * 2
        dual = np.concatenate([*parts, rows, fixed, [_LAST / count]])
        product = _PRODUCT / count
        e, g = np.abs(self.a) + product / sides, product / np.maximum(slabs, _LAST / count)
        x = np.concatenate([np.zeros(f + 1 + q * k), e.ravel(), np.zeros(F * r), g.ravel()])
        *_, over, beyond, _ = self.by_rows(self.rows(x) - self.b)
        excess = np.concatenate([over / self.size, beyond / self.fixed_size])
        x[f] = max(0.0, float(excess.max(initial=0.0))) + _PRODUCT
        dual = np.maximum(dual, _LAST / count)
        return Start(x, np.maximum(self.b - self.rows(x), product / dual), dual)

    def newton(self, weights: Vector) -> Newton:
        """Solves of the Newton system."""
        return _System(self, weights).solve


class _System:
    """One Newton system: e and g are gone, columns answer, then m, multipliers l, v and s."""

    def __init__(self, own: Columns, weights: Vector) -> None:
        self._own, self._weights = own, weights
        self._up, self._down, over, under, rows, fixed, last = own.by_rows(weights)
        self._over, self._under, self._fixed, self._last = over, under, fixed, last
        self._e = self._up + self._down
        self._tilt = (self._up - self._down) / self._e
        self._kappa = 4 * self._up * self._down / self._e
        self._g = over + under
        self._lean = (over - under) / self._g
        self._pressed = self._tilt * own.half
        C = self._C = own.B_on_span
        F, f, k = len(C), int(own.B.shape[1]), int(C.shape[1])
        L = np.diag(
            (np.square(own.half) / self._e).sum(axis=1)
            + (np.square(own.width) / self._g).sum(axis=1)
            + 1 / rows
        )
        H = (C.T * self._kappa.T[:, None, :]) @ C
        H[:, np.arange(k), np.arange(k)] += own.near * np.square(own.half)[:, None]
        self._inverse = _inverse_factors(H) if F else np.zeros_like(H)
        X = self._inverse @ C.T
        pressed = X * self._pressed.T[:, None, :]
        L += _squared(pressed, pressed)
        slabs = _Slabs(own.W, F)
        slabs.add(X * self._kappa.T[:, None, :], pressed, self._kappa, self._pressed)
        slabs.finish(4 * over * under / self._g, own.centre + self._lean * own.width)
        self._slabs = slabs
        self._l = Cholesky(L + slabs.reduced)
        Bs = np.column_stack([own.B, -own.size])
        fixed_rows = np.column_stack([own.fixed, -own.fixed_size])
        V = fixed_rows.T @ (fixed_rows * fixed[:, None])
        V[np.arange(f), np.arange(f)] += own.near
        V[f, f] += last
        self._answer = self._l.solve(Bs)
        self._v = Cholesky(V + Bs.T @ self._answer)

    def _answered(self, right: Dense) -> Dense:
        """H_j^-1 times a row for each column."""
        left = self._inverse @ right[:, :, None]
        return (self._inverse.transpose(0, 2, 1) @ left)[:, :, 0]

    def solve(self, f: Vector, e: Vector, h: Vector) -> tuple[Vector, Vector, Vector]:
        """See `interior.Newton`."""
        del e
        own = self._own
        fv, fs, fY, fe, fm, fg = own.variables(f)
        up, down, over, under, rows, fixed, last = own.by_rows(h)
        up, down, over, under = (
            self._up * up,
            self._down * down,
            self._over * over,
            self._under * under,
        )
        re, rg = fe - up - down, fg - over - under
        rt = up - down + self._tilt * re
        Y = self._answered(fY + rt.T @ self._C)
        bent = self._C @ Y.T
        rm = fm + (self._kappa * bent - rt) @ own.W.T + over - under + self._lean * rg
        rl = rows - (own.half * (re / self._e + self._tilt * bent)).sum(axis=1)
        rl = rl - (own.width * rg / self._g).sum(axis=1)
        rv = np.append(
            fv + own.fixed.T @ (self._fixed * fixed),
            fs - own.fixed_size @ (self._fixed * fixed) - self._last * last,
        )
        rl = rl - self._slabs.without(rm)
        vs = self._v.solve(rv + self._answer.T @ rl)
        price = self._answer @ vs - self._l.solve(rl)
        m = self._slabs.solved(rm, price)
        mW = m @ own.W
        Y = Y + self._answered((self._kappa * mW - self._pressed * price[:, None]).T @ self._C)
        bent = self._C @ Y.T - mW
        de = (re + self._tilt * self._e * bent - np.outer(price, own.half)) / self._e
        dg = (rg + self._lean * self._g * m - np.outer(price, own.width)) / self._g
        dx = np.concatenate([vs, Y.ravel(), de.ravel(), m.ravel(), dg.ravel()])
        dual = self._weights * (own.rows(dx) - h)
        first = 2 * self._up.size + 2 * self._over.size
        dual[first : first + len(price)] = price
        return dx, np.zeros(0), dual


def _squared(left: Dense, right: Dense) -> Dense:
    """The sum over columns of left'right, of two blocks for each."""
    flat = left.shape[0] * left.shape[1], left.shape[2]
    return left.reshape(flat).T @ right.reshape(flat)


class _Slabs:
    """The block of the m: one matrix for each slab where slabs share no entry, else one for all."""

    def __init__(self, W: Dense, F: int) -> None:
        self._W, self._F, r = W, F, len(W)
        self._apart = bool((np.count_nonzero(W, axis=0) <= 1).all())
        self._own = np.zeros((r, F, F) if self._apart else (r, F, r, F))
        self._cross = np.zeros((r, F, F))
        self._solve: Callable[[Dense], Dense] = lambda right: right

    def add(self, bent: Dense, pressed: Dense, kappa: Dense, diagonal: Dense) -> None:
        """What the columns add, of m with m and of m with the multipliers."""
        at = np.arange(self._F)
        for k, row in enumerate(self._W):
            used = np.flatnonzero(row)
            own = row[used, None, None] * bent[used]
            self._cross[k] += _squared(own, pressed[used])
            self._cross[k][at, at] -= diagonal[:, used] @ row[used]
            if self._apart:
                self._own[k] -= _squared(own, own)
                self._own[k][at, at] += kappa[:, used] @ np.square(row[used])
                continue
            for other, second in enumerate(self._W):
                weight = second[used]
                self._own[k, :, other] -= _squared(own, weight[:, None, None] * bent[used])
                self._own[k, at, other, at] += kappa[:, used] @ (row[used] * weight)

    def finish(self, kappa: Dense, pressed: Dense) -> None:
        """What |m| <= g and the centres of the slabs add; then factor."""
        at, r = np.arange(self._F), len(self._W)
        for k in range(r):
            block = self._own[k] if self._apart else self._own[k, :, k]
            block[at, at] += kappa[:, k]
            self._cross[k][at, at] += pressed[:, k]
        if not r:
            return
        blocks: Any = self._own if self._apart else self._own.reshape(1, r * self._F, r * self._F)
        factors = [Cholesky(block) for block in blocks]

        def solve(right: Dense) -> Dense:
            parts = right.reshape(len(factors), -1, right.shape[-1])
            found = [factor.solve(part) for factor, part in zip(factors, parts, strict=True)]
            return np.stack(found).reshape(right.shape)

        self._solve = solve

    @cached_property
    def _answer(self) -> Dense:
        return self._solve(self._cross)

    @property
    def reduced(self) -> Dense:
        """What the m add to the block of the multipliers when they are gone."""
        return np.einsum("kab,kac->bc", self._cross, self._answer)

    def without(self, rm: Dense) -> Vector:
        """What the m take from the right-hand side of the multipliers, in F x r."""
        return np.einsum("kab,ak->b", self._answer, rm)

    def solved(self, rm: Dense, price: Vector) -> Dense:
        """M, F x r, for multipliers of the rows."""
        if not len(self._W):
            return rm
        right = rm.T[:, :, None] - (self._cross @ price)[:, :, None]
        return self._solve(right)[:, :, 0].T


def _inverse_factors(H: Dense) -> Dense:
    """V_k = L_k^-1 of each matrix H_k = L_k L_k' of H (count x f x f): H_k^-1 r = V_k'(V_k r).

    One product then applies all of them, where a loop over solves would spend its time in calls.

    Raises
    ------
    numpy.linalg.LinAlgError
        One of them is not positive definite to rounding.
    """
    V = np.zeros_like(H)
    for k in range(len(H) if H.shape[-1] else 0):
        lower, info = _TOOL.dpotrf(H[k].T, lower=1, clean=1)
        if info:
            raise np.linalg.LinAlgError("a matrix is not positive definite")
        V[k], _ = _TOOL.dtrtri(lower, lower=1)
    return V
