"""The program without noise at many right-hand sides: one factorisation for all that bind alike.

    [ 2 C2  G'  A_W' ] [ z      ]   [ -c1 ]
    [ G              ] [ y      ] = [  d  ]        z is the optimum at d where A z <= b, lambda > 0
    [ A_W            ] [ lambda ]   [ b_W ]

W are the rows that bind at one solution. The same factorisation gives z and the multipliers lambda
at every other d. Where they pass that test, z is the optimum to rounding, and the only one: every
optimum keeps a row whose multiplier is above zero at its limit, and a regular matrix leaves one
such point.

Where the cost curves in every direction that G leaves, the system without rows of A is regular, and
what is left is to find the multipliers: with X = K^-1 [A'; 0] they are complementary to the slacks,

    slack = b - A (z_0(d) - X lambda) >= 0,   lambda >= 0,   lambda'slack = 0,

one matrix A X for all d (`pivoting`). Only rows that some solution exceeds enter it. Elsewhere W is
guessed: rows that are exceeded enter it and those with a multiplier below zero leave it; after a
few such guesses a right-hand side is solved by itself. So is every one of a program with cones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.deterministic import Ended
from privopt.solving.directions import Positions
from privopt.solving.factor import factored
from privopt.solving.pivoting import complementary
from privopt.solving.program import Program
from privopt.solving.scaling import TOLERANCE, Scaling
from privopt.solving.sparse import absolute, stacked

__all__ = ["Sweep"]

_SMALL = 200  # rows and columns up to which dense matrices are faster
_GUESSES = 8  # sets W tried for one right-hand side
_SHIFT = 1e-13  # makes the matrix regular, and is refined away
_STEPS = 8
_ROUNDING = 1e-13  # of the solution: what refinement leaves of the right-hand side,
_MODERATE = 1e8  # where that of a random one is no larger than this
_OVER = 1e-10  # a row exceeded by less of its size is kept,
_POSITIVE = 1e-9  # and a multiplier beyond this is above zero, in units of the cost
_REFINED = 4  # rounds in which no row enters

Mask = NDArray[np.bool_]


class Sweep:
    """Optima of one program at right-hand sides of its equalities."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._system: _System | None = None
        self._binding: bytes | None = None

    def at(self, targets: Dense, solve: Callable[[Vector], Ended | None]) -> Dense:
        """The optimum at each right-hand side (one a row); `solve` finds a single one, or raises.

        It is asked in their order, so the first one without an optimum raises; where it returns
        None instead, there is no optimum, and the row is NaN.
        """
        optima = np.zeros((len(targets), self._program.n))
        if len(self._program.cones):
            for i, target in enumerate(targets):
                ended = solve(target)
                optima[i] = np.nan if ended is None else ended.z
            return optima
        waiting: dict[int, bytes | None] = dict.fromkeys(range(len(targets)), self._binding)
        self._curved(optima, targets, waiting)
        tried: list[set[bytes]] = [set() for _ in targets]
        while waiting:
            guesses = Counter(W for W in waiting.values() if W is not None)
            if not guesses or self._system is None:
                i = next(iter(waiting))
                del waiting[i]
                ended = solve(targets[i])
                if ended is None:
                    optima[i] = np.nan
                    continue
                optima[i] = ended.z
                if self._system is None:
                    self._system = _System(self._program, ended.scaling)
                    self._curved(optima, targets, waiting)
                self._binding = W = self._system.binding(ended).tobytes()
                waiting = {k: None if W in tried[k] else W for k in waiting}
                continue
            W = guesses.most_common(1)[0][0]
            alike = [i for i, guess in waiting.items() if guess == W]
            z, optimal, better = self._system.under(np.frombuffer(W, dtype=bool), targets[alike])
            for i, one, passed, rows in zip(alike, z, optimal, better, strict=True):
                tried[i].add(W)
                if passed:
                    optima[i] = one
                    del waiting[i]
                    continue
                guess = rows.tobytes()
                last = len(tried[i]) >= _GUESSES or guess in tried[i]
                waiting[i] = None if last else guess
        return optima

    def _curved(self, optima: Dense, targets: Dense, waiting: dict[int, bytes | None]) -> None:
        """Fill in the optima that come from one matrix for all; they wait no longer."""
        if self._system is None or not waiting:
            return
        which = np.array(list(waiting))
        z, optimal = self._system.curved(targets[which])
        optima[which[optimal]] = z[optimal]
        for i in which[optimal]:
            del waiting[int(i)]


class _System:
    """The program in scaled variables, and what follows from which rows bind."""

    def __init__(self, program: Program, scaling: Scaling) -> None:
        self._program, self._scaling = program, scaling
        self._A, self._b = scaling.rows(program.rows.matrix), scaling.bounds(program.rows.bound)
        self._q = scaling.linear(program.linear)
        P = 2.0 * scaling.quadratic(program.quadratic)
        C = stacked(scaling.independent(program), self._A)
        n, size = program.n, sum(C.shape)
        self._shift = np.full(size, -_SHIFT)
        self._shift[:n] = _SHIFT
        self._whole: Any = np.diag(self._shift) if size <= _SMALL else sp.diags_array(self._shift)
        if size <= _SMALL:
            self._whole[:n, :n] += P.toarray()
            self._whole[n:, :n] = dense = C.toarray()
            self._whole[:n, n:] = dense.T
        else:
            self._whole = sp.csc_matrix(sp.block_array([[P, C.T], [C, None]]) + self._whole)
        self._first = size - len(self._b)  # row of A in it

    def binding(self, ended: Ended) -> Mask:
        """The rows whose multiplier is larger than what they leave free."""
        slack = self._b - np.asarray(self._A @ (ended.z / self._scaling.columns))
        here, there = self._scaling, ended.scaling
        units = (here.kappa / here.row_factors) * (there.row_factors / there.kappa)
        return units * ended.multipliers > np.maximum(slack, 0.0)

    def under(self, W: Mask, targets: Dense) -> tuple[Dense, Mask, Mask]:
        """For each right-hand side z with rows W at their limit, whether it is the optimum there.

        And the rows to try next.
        """
        n, scaling, count = self._program.n, self._scaling, len(targets)
        rows = np.flatnonzero(W)
        solution = self._solved(rows, self._right(rows, targets))
        if solution is None:
            none = np.zeros(count, dtype=bool)
            return np.zeros((count, n)), none, np.tile(W, (count, 1))
        z, price = scaling.columns * solution[:n].T, solution[self._first :]
        slack = self._b[:, None] - np.asarray(self._A @ solution[:n])
        over = slack < -_OVER * (1 + np.abs(self._b))[:, None]
        over[rows] = False
        optimal = ~over.any(axis=0) & (price > _POSITIVE).all(axis=0) & self._met(z, targets)
        over[rows] = price > 0
        return z, optimal, over.T

    def curved(self, targets: Dense) -> tuple[Dense, Mask]:
        """For each right-hand side z by one matrix for all, and whether it is the optimum there."""
        n, count, none = self._program.n, len(targets), np.zeros(0, dtype=np.intp)
        base = self._solved(none, self._right(none, targets))
        if base is None:
            return np.zeros((count, n)), np.zeros(count, dtype=bool)
        size = (1 + np.abs(self._b))[:, None]
        y, solved, left = base[:n].copy(), np.ones(count, dtype=bool), _REFINED
        rows, X, price = none, np.zeros((n, 0)), np.zeros((count, 0))
        Q = np.zeros((0, 0))
        while True:
            slack = self._b[:, None] - np.asarray(self._A @ y)
            over = slack < -_OVER * size
            off = over.copy()
            off[rows] |= (price.T > 0) & (slack[rows] > _OVER * size[rows])
            again = np.flatnonzero(solved & off.any(axis=0))
            new = np.setdiff1d(np.flatnonzero(over[:, again].any(axis=1)), rows)
            left -= not len(new)
            if not len(again) or not left:
                break
            if len(new):
                right = np.zeros((self._first, len(new)))
                right[:n] = self._A[new].toarray().T
                answer = self._solved(none, right)
                if answer is None:
                    break
                rows, X = np.concatenate([rows, new]), np.hstack([X, answer[:n]])
                price = np.hstack([price, np.zeros((count, len(new)))])
                Q = np.asarray(self._A[rows] @ X)
                Q = 0.5 * (Q + Q.T)
            # Floats leave slacks that are not quite those of Q: what is left is solved for again.
            before = price[again]
            rest = slack[np.ix_(rows, again)].T - before @ Q
            price[again], solved[again] = complementary(Q, rest, before > 0)
            y[:, again] -= X @ (price[again] - before).T
        z = self._scaling.columns * y.T
        return z, solved & ~off.any(axis=0) & self._met(z, targets)

    def _right(self, rows: Positions, targets: Dense) -> Dense:
        """Right-hand sides of the system under some rows, a column for each target."""
        n, factors = self._program.n, self._scaling.equality_factors
        right = np.zeros((self._first + len(rows), len(targets)))
        right[:n] = -self._q[:, None]
        right[n : self._first] = (factors * targets).T[self._program.independent]
        right[self._first :] = self._b[rows, None]
        return right

    def _met(self, z: Dense, targets: Dense) -> Mask:
        """Whether every equality holds, those that follow from others too."""
        G = self._program.equalities.matrix
        off = np.abs(np.asarray(G @ z.T) - targets.T)
        size = np.abs(targets.T) + np.asarray(absolute(G) @ np.abs(z.T))
        size = np.maximum(size, 1 / self._scaling.equality_factors[:, None])
        return np.asarray((off <= TOLERANCE * size).all(axis=0))

    def _solved(self, rows: Positions, right: Dense) -> Dense | None:
        """The system for right-hand sides, to rounding; None where it is singular, nearly."""
        which = np.concatenate([np.arange(self._first), self._first + rows])
        matrix, shift = self._whole[:, which][which], self._shift[which, None]
        try:
            lu = factored(matrix, symmetric=True)
        except np.linalg.LinAlgError:
            return None
        probe = np.random.default_rng(3).normal(size=len(which))
        if np.abs(lu.solve(probe)).max() > _MODERATE:
            return None
        x: Dense = lu.solve(right)
        for _ in range(_STEPS):
            rest = right - (matrix @ x - shift * x)
            if np.abs(rest).max() <= _ROUNDING * max(1.0, float(np.abs(x).max())):
                return x
            x = x + lu.solve(rest)
        return None
