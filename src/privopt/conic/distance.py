"""The program for every d of a box at once, as a search for the point nearest to the origin.

    minimise c(z)   subject to   A z <= bound,   G z = target + F v,        |v_j| <= 1

becomes, with z = z_0 + Z_1 v + X x (the columns of X span what the equalities leave, at unit cost),

    minimise |x|^2 / 2   subject to   M x <= q + Q v.

While the rows k bind, x and its multipliers are affine in v (`Law`):

    x = M_k'(M_k M_k')^-1 (q_k + Q_k v),    multipliers = -(M_k M_k')^-1 (q_k + Q_k v) >= 0.

Which rows bind at one v is found by the dual method of Goldfarb and Idnani (1983): from x = 0 the
most violated row is brought in, rows whose multiplier falls to zero leave. The rows it ends with
are linearly independent. Directions that neither the cost nor any row sees are left out; where the
cost does not fix z in one that a row does see, there is no such form and the program is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular

from privopt.arrays import Dense, Vector
from privopt.errors import CombinationError, SolverError
from privopt.program import ConvexProgram

__all__ = ["DEPENDENT", "Law", "LeastDistance"]

DEPENDENT = 1e-9  # a unit row this near to the span of others depends on them
_RANK = 1e-10  # relative: singular values of G below it are zero,
_FLAT = 1e-9  # and curvatures of the cost below it
_UNSEEN = 1e-9  # relative: a row that moves less along a direction does not see it
_OVER = 1e-11  # relative: a row exceeded by less is kept


@dataclass(frozen=True, repr=False, eq=False)
class Law:
    """Solution and multipliers while some rows bind, affine in v: column 0 is the constant.

    `basis` and `triangle` are the factors of M_k' = basis triangle.
    """

    rows: tuple[int, ...]
    x: Dense
    multipliers: Dense
    basis: Dense
    triangle: Dense

    def at(self, v: Vector) -> Vector:
        """The point x at v."""
        return self.x[:, 0] + self.x[:, 1:] @ v

    def shares(self, row: Vector) -> tuple[Vector, float]:
        """A row as a combination of the binding ones, and how far it lies from their span."""
        inside = self.basis.T @ row
        rest = row - self.basis @ inside
        rest = rest - self.basis @ (self.basis.T @ rest)
        return _solved(self.triangle, inside), float(np.linalg.norm(rest))


@dataclass(frozen=True, repr=False, eq=False)
class LeastDistance:
    """M x <= q + Q v, and the solution z = offset + along v + spread x behind it.

    `sizes` are the norms that the rows of A were divided by; `bound` is their right-hand side.
    """

    M: Dense
    Q: Dense
    offset: Vector
    along: Dense
    spread: Dense
    sizes: Vector
    bound: Vector
    _start: Vector  # q for a bound of zero

    @classmethod
    def of(cls, program: ConvexProgram, target: Vector, F: Dense) -> LeastDistance:
        """The form of a program whose equalities have the right-hand side target + F v."""
        _, factors, E = program.equilibration
        G: Dense = factors[:, None] * program.equalities.matrix.toarray() * E
        A: Dense = program.rows.matrix.toarray() * E
        C2: Dense = E[:, None] * program.quadratic.toarray() * E
        left, values, right = np.linalg.svd(G)
        rank = int((values > _RANK * values[0]).sum())
        back = right[:rank].T @ (left[:, :rank].T / values[:rank, None])
        z0, Z1 = back @ (factors * target), back @ (factors[:, None] * F)
        X = _directions(program, A, C2, right[rank:].T)
        slope0, slope1 = X.T @ (E * program.linear + 2 * C2 @ z0), X.T @ (2 * C2 @ Z1)
        z0, Z1 = z0 - X @ slope0, Z1 - X @ slope1
        M = A @ X
        sizes = np.linalg.norm(M, axis=1)
        flat = sizes <= _UNSEEN * np.linalg.norm(A, axis=1)  # a row that only v moves
        M[flat], sizes[flat] = 0.0, np.linalg.norm(A, axis=1)[flat]
        sizes[sizes == 0] = 1.0
        return cls(
            M=M / sizes[:, None],
            Q=-(A @ Z1) / sizes[:, None],
            offset=E * z0,
            along=E[:, None] * Z1,
            spread=E[:, None] * X,
            sizes=sizes,
            bound=program.rows.bound,
            _start=-(A @ z0) / sizes,
        )

    @property
    def size(self) -> int:
        """Number of entries of v."""
        return int(self.Q.shape[1])

    def bounded(self, bound: Vector) -> LeastDistance:
        """The same with other right-hand sides of the inequalities."""
        return replace(self, bound=bound)

    @cached_property
    def q(self) -> Vector:
        """Right-hand side at v = 0."""
        return self._start + self.bound / self.sizes

    def point(self, x: Vector, v: Vector) -> Vector:
        """The solution z, in the user's units."""
        return self.offset + self.along @ v + self.spread @ x

    def law(self, rows: Sequence[int]) -> Law | None:
        """How the solution follows v while these rows bind; None if they are dependent."""
        chosen = sorted(rows)
        if len(chosen) > self.M.shape[1]:
            return None
        basis, triangle = np.linalg.qr(self.M[chosen].T)
        if chosen and float(np.abs(np.diag(triangle)).min()) < DEPENDENT:
            return None
        right = np.column_stack([self.q[chosen], self.Q[chosen]])
        inside = _solved(triangle.T, right, lower=True)
        x = basis @ inside
        left = right - self.M[chosen] @ x
        inside = inside + _solved(triangle.T, left, lower=True)  # one refinement
        multipliers = -_solved(triangle, inside)
        return Law(tuple(chosen), basis @ inside, multipliers, basis, triangle)

    def binding(self, v: Vector) -> Law | None:
        """The law of the rows that bind at v; None if no point is feasible there."""
        right = self.q + self.Q @ v
        over = right + _OVER * (1 + np.abs(right))
        state = _Dual([], np.zeros(0), np.zeros(int(self.spread.shape[1])))
        for _ in range(10 * sum(self.M.shape) + 10):
            excess = self.M @ state.x - over
            excess[state.rows] = -np.inf
            worst = int(np.argmax(excess)) if len(excess) else -1
            if worst < 0 or excess[worst] <= 0:
                law = self.law(state.rows)
                if law is None:
                    break
                return law
            entered = self._enter(state, worst, right)
            if entered is None:
                return None
            state = entered
        raise SolverError(
            "the search for the binding rows did not end.",
            "rows that are neither parallel nor equal up to rounding.",
            "rescale the data, or drop rows that repeat others.",
        )

    def _enter(self, state: _Dual, new: int, right: Vector) -> _Dual | None:
        """Bring a violated row in; rows whose multiplier falls to zero leave. None: infeasible."""
        rows, multipliers, x = state.rows, state.multipliers, state.x
        row, price = self.M[new], 0.0
        while True:
            basis, triangle = np.linalg.qr(self.M[rows].T)
            inside = basis.T @ row
            rest = row - basis @ inside
            rest = rest - basis @ (basis.T @ rest)
            shares = _solved(triangle, inside)
            free = float(rest @ rest)
            whole = float(row @ x - right[new]) / free if free > DEPENDENT**2 else np.inf
            falling = np.flatnonzero(shares > 1e-12)
            steps = multipliers[falling] / shares[falling]
            part = float(steps.min()) if len(steps) else np.inf
            step = min(whole, part)
            if not np.isfinite(step):
                return None
            multipliers, price = np.maximum(multipliers - step * shares, 0.0), price + step
            if whole < np.inf:
                x = x - step * rest
            if whole <= part:
                return _Dual([*rows, new], np.append(multipliers, price), x)
            gone = int(falling[int(np.argmin(steps))])
            rows = rows[:gone] + rows[gone + 1 :]
            multipliers = np.delete(multipliers, gone)


@dataclass(frozen=True, repr=False, eq=False)
class _Dual:
    """Where the dual method is: independent rows, their multipliers >= 0, and x = -M_k'them."""

    rows: list[int]
    multipliers: Vector
    x: Vector


def _solved(triangle: Dense, right: Dense, *, lower: bool = False) -> Dense:
    return np.asarray(
        solve_triangular(triangle, right, lower=lower, check_finite=False), dtype=np.float64
    )


def _directions(program: ConvexProgram, A: Dense, C2: Dense, null: Dense) -> Dense:
    """Directions the equalities leave, each of unit curvature of the cost."""
    curvature, turned = np.linalg.eigh(2 * null.T @ C2 @ null)
    largest = float(np.abs(C2).max(initial=0.0))
    curved = curvature > _FLAT * largest
    flat = null @ turned[:, ~curved]
    size = np.linalg.norm(A, axis=1, keepdims=True)
    slope = np.abs((program.equilibration[2] * program.linear) @ flat)
    steep = slope > _UNSEEN * float(np.abs(program.equilibration[2] * program.linear).max())
    seen = (np.abs(A @ flat) > _UNSEEN * size).any(axis=0) | steep
    if seen.any():
        among = np.abs(flat[:, seen]).max(axis=1)
        first: list[int] = np.argsort(-among)[:3].tolist()
        names = [program.names[j] for j in first if among[j] > 1e-6]
        raise CombinationError(
            f"the cost leaves the solution open, for example in {', '.join(names)}.",
            "a cost that is strictly convex in every direction that the equalities leave free and "
            "an inequality sees: only then is the solution a function of d.",
            "add a small quadratic cost on these variables (it breaks the tie), or use design, "
            "which needs none.",
        )
    return null @ turned[:, curved] / np.sqrt(curvature[curved])
