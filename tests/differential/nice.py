"""Random programs of ordinary size, whose optimum plain CVXPY finds to nine digits.

    minimise c1'z + z'C2 z   subject to   A z <= b,  lower <= z <= upper,  G z = d,  H z = h

G z = d is what may be private; H z = h is public, and a hostile form may give it as pairs of
opposite rows or, where a row has one entry, as two bounds that are equal. All numbers but prices
are multiples of 1/64 about a feasible point z0, so sums of equalities are consistent exactly. A
variable at a price (up to 1e8) is in units of one over its root, where price and coefficient are
equally far from one; `natural` are the units in which a user would have it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Generator = np.random.Generator

COSTS = ("linear", "diagonal", "zeros", "dense", "thin")
GRID = 64


@dataclass(frozen=True)
class Nice:
    """The program, what is released of it (S), a feasible point, and what is odd about it."""

    c1: Vector
    C2: Matrix
    A: Matrix
    b: Vector
    lower: Vector
    upper: Vector
    G: Matrix
    d: Vector
    H: Matrix
    h: Vector
    S: Matrix
    z0: Vector
    natural: Vector
    kinds: tuple[str, ...]

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.c1)

    @property
    def inequalities(self) -> tuple[Matrix, Vector]:
        """A z <= b and the finite bounds, as one list."""
        eye, low, high = np.eye(self.n), np.isfinite(self.lower), np.isfinite(self.upper)
        return (
            np.vstack([self.A, -eye[low], eye[high]]),
            np.concatenate([self.b, -self.lower[low], self.upper[high]]),
        )

    @property
    def equalities(self) -> tuple[Matrix, Vector]:
        """G z = d and H z = h."""
        return np.vstack([self.G, self.H]), np.concatenate([self.d, self.h])

    def size(self, z: Vector) -> float:
        """Sum |c_i z_i| + |z|'|C2||z|, what errors of the cost are relative to.

        Not z'C2 z: where that is zero, its parts are not, and rounding is of their size.
        """
        return float(np.abs(self.c1) @ np.abs(z) + np.abs(z) @ np.abs(self.C2) @ np.abs(z))


def nice(rng: Generator) -> Nice:
    """Draw one."""
    n = int(rng.integers(4, 13))
    k = int(rng.integers(1, max(2, n // 3)))
    p = int(rng.integers(1, 3))
    kinds: list[str] = []
    while True:
        G, H, z0 = _sparse(rng, k, n), _public(rng, n, kinds), _grid(rng, -2, 4, n)
        S = _query(rng, p, n)
        stacked = np.vstack([G, H, S])
        if len(stacked) < n and _independent(stacked):
            break
    A = _sparse(rng, int(rng.integers(0, 5)), n)
    b = A @ z0 + _grid(rng, 0.25, 3, len(A))
    lower, upper = z0 - _grid(rng, 0.25, 3, n), z0 + _grid(rng, 0.25, 3, n)
    missing = rng.random(n)
    lower[missing < 0.25] = -np.inf
    upper[(missing > 0.15) & (missing < 0.4)] = np.inf
    c1 = _grid(rng, -1, 3, n)
    # A cost that falls where there is no bound would have no end.
    c1 = np.where(np.isinf(lower) & np.isinf(upper), 0.0, c1)
    c1 = np.where(np.isinf(lower) & np.isfinite(upper), -np.abs(c1), c1)
    c1 = np.where(np.isfinite(lower) & np.isinf(upper), np.abs(c1), c1)
    if rng.random() < 0.3:
        kinds.append("flat")
        c1[rng.random(n) < 0.6] = 0.0
    if rng.random() < 0.3:
        kinds.append("ties")
        some = np.flatnonzero((c1 > 0) & (rng.random(n) < 0.7))
        c1[some] = c1[some[:1]] if len(some) else 0.0
    cost = str(rng.choice(COSTS))
    kinds.append(cost)
    C2 = _quadratic(rng, cost, n, S)
    made = Nice(c1, C2, A, b, lower, upper, G, G @ z0, H, H @ z0, S, z0, np.ones(n), ())
    if rng.random() < 0.35:
        made = _penalised(rng, made, kinds)
    return Nice(**{**vars(made), "kinds": tuple(sorted(set(kinds)))})


def _penalised(rng: Generator, made: Nice, kinds: list[str]) -> Nice:
    """A shortage or a surplus of one equality, at a price."""
    price = 10.0 ** rng.uniform(3, 8)
    kinds.append(f"penalty 1e{int(np.log10(price))}")
    row, sign = int(rng.integers(len(made.G))), float(rng.choice([-1.0, 1.0]))

    def wider(M: Matrix) -> Matrix:
        return np.column_stack([M, np.zeros(len(M))])

    G = wider(made.G)
    G[row, -1] = sign / np.sqrt(price)
    C2 = np.zeros((made.n + 1, made.n + 1))
    C2[:-1, :-1] = made.C2
    return Nice(
        np.append(made.c1, np.sqrt(price)), C2, wider(made.A), made.b, np.append(made.lower, 0.0),
        np.append(made.upper, np.inf), G, made.d, wider(made.H), made.h, wider(made.S),
        np.append(made.z0, 0.0), np.append(made.natural, np.sqrt(price)), (),
    )  # fmt: skip


def _grid(rng: Generator, low: float, high: float, size: int) -> Vector:
    return rng.integers(int(GRID * low), int(GRID * high), size, endpoint=True) / GRID


def _sparse(rng: Generator, rows: int, n: int) -> Matrix:
    """Rows with two to five entries; the entries of half of them are 1 or -1."""
    M = np.zeros((rows, n))
    for row in M:
        at = rng.choice(n, min(n, int(rng.integers(2, 6))), replace=False)
        if rng.random() < 0.5:
            row[at] = rng.choice([-1.0, 1.0], len(at))
        else:
            row[at] = _grid(rng, 0.25, 2, len(at)) * rng.choice([-1.0, 1.0], len(at))
    return M


def _public(rng: Generator, n: int, kinds: list[str]) -> Matrix:
    """Public equalities: a variable that is fixed, a row that is held."""
    kinds.clear()
    rows: list[Matrix] = [np.zeros((0, n))]
    if rng.random() < 0.3:
        kinds.append("fixed")
        rows.append(np.eye(n)[[int(rng.integers(n))]])
    if rng.random() < 0.3:
        kinds.append("held")
        rows.append(_sparse(rng, 1, n))
    return np.vstack(rows)


def _query(rng: Generator, p: int, n: int) -> Matrix:
    """Variables, sums of some, or any rows."""
    which = rng.random()
    order = rng.permutation(n)
    if which < 0.5:
        return np.eye(n)[order[:p]]
    if which < 0.8:
        S = np.zeros((p, n))
        for row, at in zip(S, np.array_split(order[: 2 * p], p), strict=True):
            row[at] = 1.0
        return S
    return _sparse(rng, p, n)


def _quadratic(rng: Generator, cost: str, n: int, S: Matrix) -> Matrix:
    if cost == "linear":
        return np.zeros((n, n))
    if cost == "diagonal":
        return np.diag(_grid(rng, 0.1, 1, n))
    if cost == "zeros":
        return np.diag(_grid(rng, 0.1, 1, n) * (rng.random(n) < 0.5))
    if cost == "dense":
        root = _grid(rng, -1, 1, n * n).reshape(n, n)
        return root @ root.T / 8
    root = S if rng.random() < 0.5 else _sparse(rng, 2, n)
    return root.T @ root / 4


def _independent(M: Matrix) -> bool:
    size = np.linalg.svd(M, compute_uv=False)
    return bool(size[-1] > 0.05 * size[0])
