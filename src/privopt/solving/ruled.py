"""Gain and recourse of an affine rule (`rule_space`) as one part of an `arrow`.

The columns of the gain have F + (A T W)', those of the recourse (A T)', with A the working
directions of Q and T a variable. In a Newton step the part is bordered by T. The columns of a gain
(or of a recourse under a box) do not meet: one solve for each column of A answers for all of them,
however many sums are measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg as la

from privopt.arrays import Dense, Vector
from privopt.solving.arrow import Places, Reduced
from privopt.solving.box_columns import BoxColumns
from privopt.solving.cones import Weights
from privopt.solving.interior import Start
from privopt.solving.round_columns import RoundColumns

__all__ = ["Ruled"]


@dataclass(frozen=True, repr=False, eq=False)
class _Border:
    """What T adds to a part: to its pivot and to the shared rows; and how the part follows it."""

    pivot: Dense
    shared: Dense
    onto: Callable[[Vector], Dense]
    follow: Callable[[Dense], Vector]


@dataclass(frozen=True, repr=False, eq=False)
class Ruled:
    """Gain, recourse and T, which is kept row after row behind their variables.

    `lead` is A, `W` what is measured, `curve` and `pull` the cost of T.
    """

    gain: BoxColumns
    noise: BoxColumns | RoundColumns
    lead: Dense
    W: Dense
    curve: Dense
    pull: Dense

    @property
    def cost(self) -> Vector:
        """That of T."""
        return np.concatenate([self.gain.cost, self.noise.cost, self.pull.ravel()])

    @property
    def limits(self) -> Vector:
        """Those of the parts."""
        return np.concatenate([self.gain.limits, self.noise.limits])

    @property
    def cones(self) -> int:
        """Those of the recourse."""
        return self.noise.cones

    def parts(self, x: Vector) -> tuple[Vector, Vector, Dense]:
        """The variables of gain and recourse, and T."""
        first, last = len(self.gain.cost), len(x) - self.pull.size
        return x[:first], x[first:last], x[last:].reshape(self.pull.shape)

    def fixed(self, T: Dense) -> tuple[Dense, Dense]:
        """What T adds to the values of gain and recourse, columns x directions."""
        answer = self.lead @ T
        return (answer @ self.W).T, answer.T

    def _onto(self, on_gain: Dense, on_noise: Dense) -> Vector:
        """The transpose of `fixed`."""
        return (self.lead.T @ (on_gain.T @ self.W.T + on_noise.T)).ravel()

    def quadratic(self, x: Vector) -> Vector:
        """P x."""
        own, noise, T = self.parts(x)
        cost = self.gain.quadratic(own), self.noise.quadratic(noise), self.curve @ T.ravel()
        return np.concatenate(cost)

    def own(self, x: Vector) -> Vector:
        """The rows of the parts."""
        own, noise, T = self.parts(x)
        F = self.fixed(T)
        return np.concatenate(
            [
                self.gain.own(own) + self.gain.added_by(F[0])[0],
                self.noise.own(noise) + self.noise.added_by(F[1])[0],
            ]
        )

    def own_transposed(self, dual: Vector) -> Vector:
        """The transpose of `own`."""
        count, none = len(self.gain.limits), np.zeros(self.gain.rows)
        up, down = dual[:count], dual[count:]
        onto = self._onto(self.gain.on_fixed(up, none), self.noise.on_fixed(down, none))
        first, second = self.gain.own_transposed(up), self.noise.own_transposed(down)
        return np.concatenate([first, second, onto])

    def shared(self, x: Vector) -> Vector:
        """Its part in the shared rows."""
        own, noise, T = self.parts(x)
        F = self.fixed(T)
        rows = self.gain.shared(own) + self.gain.added_by(F[0])[1]
        return rows + self.noise.shared(noise) + self.noise.added_by(F[1])[1]

    def shared_transposed(self, dual: Vector) -> Vector:
        """The transpose of `shared`."""
        none = np.zeros(len(self.gain.limits)), np.zeros(len(self.noise.limits))
        onto = self._onto(self.gain.on_fixed(none[0], dual), self.noise.on_fixed(none[1], dual))
        first, second = self.gain.shared_transposed(dual), self.noise.shared_transposed(dual)
        return np.concatenate([first, second, onto])

    def start(self, N: Dense, M: Dense, T: Dense, dual: Vector, t: float) -> Start:
        """Near N, M and T."""
        F = self.fixed(T)
        gain, noise = self.gain.start(N, F[0], dual, t), self.noise.start(M, F[1], dual, t)
        return Start(
            np.concatenate([gain.x, noise.x, T.ravel()]),
            np.concatenate([gain.slack, noise.slack]),
            np.concatenate([gain.dual, noise.dual]),
        )

    def places(self, directions: Places) -> tuple[Places, Places]:
        """Those of the parts."""
        first, second = self.gain.places(directions), self.noise.places(directions)
        x = np.concatenate([first[0], len(self.gain.cost) + second[0]])
        return x, np.concatenate([first[1], len(self.gain.limits) + second[1]])

    def reduced(self, weights: Weights) -> Reduced:
        """The parts, bordered by T."""
        first, count = len(self.gain.cost), len(self.gain.limits)
        none = Weights.of(weights.linear[:count], weights.eta[:0], weights.w[:0])
        rest = Weights.of(weights.linear[count:], weights.eta, weights.w)
        inner = self.gain.reduced(none), self.noise.reduced(rest)
        borders = [_apart(self.gain, inner[0], none, self.lead, self.W)]
        if isinstance(self.noise, BoxColumns):
            unit = np.eye(len(self.W))
            borders.append(_apart(self.noise, inner[1], rest, self.lead, unit))
        else:
            borders.append(_together(self.noise, inner[1], rest, self.lead))
        pivot = self.curve + borders[0].pivot + borders[1].pivot
        factor = la.cho_factor(pivot, check_finite=False)
        v = borders[0].shared + borders[1].shared
        gram = inner[0].gram + inner[1].gram
        gram = gram + v @ np.asarray(la.cho_solve(factor, v.T, check_finite=False))

        def solve(right: Vector) -> Vector:
            x = [inner[0].solve(right[:first]), inner[1].solve(right[first : -self.pull.size])]
            off = right[-self.pull.size :].reshape(self.pull.shape)
            for one, own in zip(borders, x, strict=True):
                off = off - one.onto(own)
            T = np.asarray(la.cho_solve(factor, off.ravel(), check_finite=False))
            answer = T.reshape(self.pull.shape)
            moved = [own - one.follow(answer) for one, own in zip(borders, x, strict=True)]
            return np.concatenate([*moved, T])

        return Reduced(gram, solve)


def _apart(part: BoxColumns, reduced: Reduced, weights: Weights, lead: Dense, W: Dense) -> _Border:
    """Columns that do not meet: F_j = A T W_j, from one solve for each column of A."""
    (columns, width), m, r = part.fixed.shape, lead.shape[1], len(W)
    K, X = (np.zeros((m, len(part.cost))) for _ in range(2))
    for a in range(m):
        own = part.added_by(np.tile(lead[:, a], (columns, 1)))[0]
        K[a] = part.own_transposed(weights.linear * own)
        X[a] = reduced.solve(K[a])
    numbers = (len(part.cost) - part.fixed.size) // columns
    every: Places = np.arange(columns, dtype=np.intp)
    column = np.concatenate([np.repeat(every, numbers), np.repeat(every, width)])
    both = weights.linear.reshape(2, columns, width).sum(axis=0)
    each = np.matmul(lead.T * both[:, None, :], lead)
    end = columns * numbers
    for s, size in ((slice(0, end), numbers), (slice(end, None), width)):
        k, x = (M[:, s].reshape(m, columns, size).transpose(1, 0, 2) for M in (K, X))
        each -= np.matmul(k, x.transpose(0, 2, 1))
    pivot = np.einsum("kj,lj,jab->akbl", W, W, each, optimize=True).reshape(m * r, m * r)
    shared = np.zeros((part.rows, m * r))
    for i in range(m * r):
        a, k = divmod(i, r)
        rows = part.added_by(W[k][:, None] * lead[:, a])[1]
        shared[:, i] = rows - part.shared(W[k][column] * X[a])

    def onto(x: Vector) -> Dense:
        moved = K * x
        first = moved[:, :end].reshape(m, columns, numbers).sum(axis=2)
        return (first + moved[:, end:].reshape(m, columns, width).sum(axis=2)) @ W.T

    return _Border(pivot, shared, onto, lambda T: ((T @ W)[:, column] * X).sum(axis=0))


def _together(part: RoundColumns, reduced: Reduced, weights: Weights, lead: Dense) -> _Border:
    """Columns that meet in their norms: one solve for each entry of T."""
    m, r = lead.shape[1], len(part.fixed)
    own, K, X = (
        np.zeros((m * r, len(part.limits))),
        *(np.zeros((m * r, len(part.cost))) for _ in range(2)),
    )
    heavy, shared = np.zeros_like(own), np.zeros((part.rows, m * r))
    for i in range(m * r):
        a, k = divmod(i, r)
        F = np.zeros(part.fixed.shape)
        F[k] = lead[:, a]
        own[i], rows = part.added_by(F)
        heavy[i] = weights.inverse(own[i])
        K[i] = part.own_transposed(heavy[i])
        X[i] = reduced.solve(K[i])
        shared[:, i] = rows - part.shared(X[i])
    return _Border(
        own @ heavy.T - K @ X.T, shared, lambda x: (K @ x).reshape(m, r), lambda T: T.ravel() @ X
    )
