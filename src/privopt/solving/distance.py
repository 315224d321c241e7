"""The program for every d of a box at once, as a search for the point nearest to the origin.

    minimise c(z)   subject to   A z <= bound,   G z = target + F v,        |v_j| <= 1

becomes, with z = z_0 + Z_1 v + X x (the columns of X span what the equalities leave, at unit cost),

    minimise |x|^2 / 2   subject to   M x <= q + Q v,        rows of M of length one.

Each row may be exceeded at a price: |s|^2 / (2 rho) for an excess s, rho = 2^-27 or less. The
excess is rho times the row's multiplier, and a little more margin makes up for it. The multipliers
become the only solution of

    w = q + Q v + H lambda >= 0,   lambda >= 0,   lambda'w = 0,       H = M M' + rho I

(a linear complementarity problem whose matrix is positive definite), for *every* v, whatever the
rows are: parallel, dependent, or in conflict. The point is z = offset + along v + through lambda,
through = -X M'. While the rows k bind, lambda_k = -H_kk^-1 (q_k + Q_k v) is affine in v (`Law`).

The dual method of Goldfarb and Idnani (1983) tells which rows bind at one v: from lambda = 0 the
most violated row is brought in, and rows whose multiplier falls to zero leave. Directions that
neither the cost nor any row sees are left out. If a row sees a direction in which the cost does not
fix z, there is no such form and the program is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.errors import CombinationError
from privopt.solving.definite import Cholesky
from privopt.solving.program import Program

__all__ = ["LeastDistance", "MultiplierLaw", "binding_rows"]

_FLAT = 1e-9  # relative: curvatures of the cost below it are zero
_UNSEEN = 1e-9  # relative: a row that moves less along a direction does not see it
_OVER = 1e-11  # relative: a row exceeded by less is kept
SOFT = 2.0**-27  # rho: linear programs can still see the pieces in which rows change places
_HARD = 2.0**-36
_GRID = 52  # entries of H are multiples of 2^-52


@dataclass(frozen=True, repr=False, eq=False)
class MultiplierLaw:
    """Multipliers while some rows bind, affine in v: column 0 is the constant."""

    rows: tuple[int, ...]
    multipliers: Dense

    def at(self, v: Vector) -> Vector:
        """The multipliers of the rows at v."""
        return self.multipliers[:, 0] + self.multipliers[:, 1:] @ v

    def slopes(self, fixed: Dense, through: Dense) -> Dense:
        """How values fixed v + through lambda follow v."""
        return fixed + through[:, list(self.rows)] @ self.multipliers[:, 1:]


@dataclass(frozen=True, repr=False, eq=False)
class LeastDistance:
    """H, q and Q as above, and the solution z = offset + along v + through lambda behind them.

    `gram` is M M' on a grid; `sizes` are the lengths that the rows of A were divided by; `bound` is
    their right-hand side.
    """

    gram: Dense
    Q: Dense
    offset: Vector
    along: Dense
    through: Dense
    sizes: Vector
    bound: Vector
    _start: Vector  # q for a bound of zero
    rho: float = SOFT

    @classmethod
    def of(cls, program: Program, target: Vector, F: Dense) -> LeastDistance:
        """The form of a program whose equalities have the right-hand side target + F v."""
        _, factors, E = program.equilibration
        rows = program.independent  # the others follow from these, and so do their right-hand sides
        factors, target, F = factors[rows], target[rows], F[rows]
        G: Dense = factors[:, None] * program.equalities.matrix[rows].toarray() * E
        A: Dense = program.rows.matrix.toarray() * E
        C2: Dense = E[:, None] * program.quadratic.toarray() * E
        left, values, right = np.linalg.svd(G)
        rank = len(rows)
        back = right[:rank].T @ (left.T / values[:, None])
        z0, Z1 = back @ (factors * target), back @ (factors[:, None] * F)
        X = _directions(program, A, C2, right[rank:].T)
        slope0, slope1 = X.T @ (E * program.linear + 2 * C2 @ z0), X.T @ (2 * C2 @ Z1)
        z0, Z1 = z0 - X @ slope0, Z1 - X @ slope1
        M = A @ X
        sizes = np.linalg.norm(M, axis=1)
        flat = sizes <= _UNSEEN * np.linalg.norm(A, axis=1)  # a row that only v moves
        M[flat], sizes[flat] = 0.0, np.linalg.norm(A, axis=1)[flat]
        sizes[sizes == 0] = 1.0
        M = M / sizes[:, None]
        return cls(
            gram=_gram(M),
            Q=-(A @ Z1) / sizes[:, None],
            offset=E * z0,
            along=E[:, None] * Z1,
            through=-(E[:, None] * (X @ M.T)),
            sizes=sizes,
            bound=program.rows.bound,
            _start=-(A @ z0) / sizes,
            rho=max(SOFT, hardest(len(M))),
        )

    @property
    def size(self) -> int:
        """Number of entries of v."""
        return int(self.Q.shape[1])

    @cached_property
    def H(self) -> Dense:
        """M M' + rho I."""
        H = self.gram.copy()
        H[np.diag_indices_from(H)] += self.rho
        return H

    def hardened(self) -> LeastDistance:
        """The same with rows that give way as little as rounding allows."""
        return replace(self, rho=hardest(len(self.gram)))

    def bounded(self, bound: Vector) -> LeastDistance:
        """The same with other right-hand sides of the inequalities."""
        return replace(self, bound=bound)

    @cached_property
    def q(self) -> Vector:
        """Right-hand side at v = 0."""
        return self._start + self.bound / self.sizes

    def point(self, law: MultiplierLaw, v: Vector) -> Vector:
        """The solution z at v, in the user's units."""
        return self.offset + self.along @ v + self.through[:, list(law.rows)] @ law.at(v)

    def law(self, rows: Sequence[int]) -> MultiplierLaw:
        """How the multipliers follow v while these rows bind."""
        k = sorted(rows)
        right = np.column_stack([self.q[k], self.Q[k]])
        return MultiplierLaw(tuple(k), -Cholesky(self.H[np.ix_(k, k)]).solve(right))

    def binding(self, v: Vector) -> MultiplierLaw:
        """The law of the rows that bind at v."""
        return self.law(binding_rows(self.H, self.q + self.Q @ v))


def hardest(rows: int) -> float:
    """The least rho: far enough above rounding for H to be positive definite beyond doubt."""
    doubt = 8 * rows * (rows + 2) * 2.0**-53
    return max(_HARD, 2.0 ** math.ceil(math.log2(max(doubt, _HARD))))


def binding_rows(H: Dense, right: Vector) -> list[int]:
    """Rows with a multiplier above zero where right + H lambda >= 0, up to rounding."""
    rows: list[int] = []
    multipliers = np.zeros(0)
    over = _OVER * (1 + np.abs(right))
    for _ in range(20 * len(H) + 10):
        slack = right + H[:, rows] @ multipliers + over
        slack[rows] = np.inf
        worst = int(np.argmin(slack)) if len(slack) else -1
        if worst < 0 or slack[worst] >= 0:
            break
        rows, multipliers = _entered(H, right, rows, multipliers, worst)
    return sorted(rows)


def _entered(
    H: Dense, right: Vector, rows: list[int], multipliers: Vector, new: int
) -> tuple[list[int], Vector]:
    """Bring a violated row in; rows whose multiplier falls to zero leave."""
    price = 0.0
    while True:
        shares = Cholesky(H[np.ix_(rows, rows)]).solve(H[rows, new])
        free = max(float(H[new, new] - H[new, rows] @ shares), _HARD)
        slack = float(right[new] + H[new, rows] @ multipliers + H[new, new] * price)
        whole = max(-slack / free, 0.0)
        falling = np.flatnonzero(shares > 1e-12)
        steps = multipliers[falling] / shares[falling]
        part = float(steps.min(initial=np.inf))
        step = min(whole, part)
        multipliers, price = np.maximum(multipliers - step * shares, 0.0), price + step
        if whole <= part:
            return [*rows, new], np.append(multipliers, price)
        leaving = int(falling[int(np.argmin(steps))])
        rows = rows[:leaving] + rows[leaving + 1 :]
        multipliers = np.delete(multipliers, leaving)


def _gram(M: Dense) -> Dense:
    product = M @ M.T
    return np.ldexp(np.rint(np.ldexp(0.5 * (product + product.T), _GRID)), -_GRID)


def _directions(program: Program, A: Dense, C2: Dense, null: Dense) -> Dense:
    """Directions the equalities leave, each of unit curvature of the cost."""
    curvature, eigenvectors = np.linalg.eigh(2 * null.T @ C2 @ null)
    largest = float(np.abs(C2).max(initial=0.0))
    curved = curvature > _FLAT * largest
    flat = null @ eigenvectors[:, ~curved]
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
    return null @ eigenvectors[:, curved] / np.sqrt(curvature[curved])
