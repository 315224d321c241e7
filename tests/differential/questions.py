"""Random questions for `po.decide`, in plain numbers and as privopt takes them.

    minimise c1'z + z'C2 z   subject to   A z <= b + B u,   lower <= z <= upper
                                          M z = start + F u,   ||C z + e|| <= f'z + g

u are the private entries: right-hand sides of equalities, and limits of rows. Numbers are multiples
of 1/64 about a feasible point, so that what depends on each other is consistent exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from tests.differential.nice import GRID, Generator, Matrix, Vector

import privopt as po

ETA = 0.05


@dataclass(frozen=True)
class Norm:
    """||C z + e|| <= f'z + g."""

    C: Matrix
    e: Vector
    f: Vector
    g: float


@dataclass(frozen=True)
class Question:
    """A program, what is known and measured of its private entries, and what is released.

    `W` has a matrix for each measurement, `rows` are (W, low, high) of the domain. `private` are
    positions in d, followed by the private limits; `limits` the rows of A that have these, and
    `balance` the entries of d that follow private ones. `u` is where the private entries are.
    """

    c1: Vector
    C2: Matrix
    A: Matrix
    b: Vector
    lower: Vector
    upper: Vector
    G: Matrix
    d: Vector
    S: Matrix
    private: list[int]
    u: Vector
    half: Vector
    W: list[Matrix]
    privacy: Any
    query: Any
    balance: tuple[int, ...] = ()
    follow: Matrix | None = None
    limits: tuple[int, ...] = ()
    norms: tuple[Norm, ...] = ()
    rows: tuple[Matrix, Vector, Vector] | None = None
    fidelity: float = 0.0
    periods: po.Periods | None = None
    kinds: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.c1)

    @property
    def promise(self) -> Any:
        """How often a decision may turn out wrong."""
        never = isinstance(self.privacy, po.TruncatedLaplace)
        return po.Always() if never else po.ExactBox(eta=ETA)

    @property
    def inequalities(self) -> tuple[Matrix, Vector, Matrix]:
        """A, b and B of the rows, then lower, then upper bounds of what is not fixed."""
        eye, free = np.eye(self.n), self.lower < self.upper
        low, high = (np.isfinite(end) & free for end in (self.lower, self.upper))
        A = np.vstack([self.A, -eye[low], eye[high]])
        B = np.zeros((len(A), len(self.u)))
        own = len(self.private) - len(self.limits)
        b = np.concatenate([self.b, -self.lower[low], self.upper[high]])
        for k, i in enumerate(self.limits):
            B[i, own + k], b[i] = 1.0, 0.0
        return A, b, B

    @property
    def equalities(self) -> tuple[Matrix, Vector, Matrix]:
        """M, start and F, fixed variables among them."""
        F, own = np.zeros((len(self.G), len(self.u))), len(self.private) - len(self.limits)
        F[self.private[:own], np.arange(own)] = 1.0
        if self.follow is not None:
            F[list(self.balance)] = self.follow
        start = self.d - F @ self.u
        fixed = self.lower == self.upper
        M = np.vstack([self.G, np.eye(self.n)[fixed]])
        none = np.zeros((fixed.sum(), len(self.u)))
        return M, np.concatenate([start, self.lower[fixed]]), np.vstack([F, none])

    @property
    def program(self) -> po.ConvexProgram:
        """The program; its private entries are those at `u`."""
        own = len(self.private) - len(self.limits)
        made = po.ConvexProgram(
            linear=self.c1, quadratic=self.C2, lower=self.lower, upper=self.upper,
            A=self.A if len(self.A) else None, b=self.b if len(self.A) else None,
            G=self.G, d=np.concatenate([self.d, self.u[own:]]), private=self.private[:own],
            private_limits=list(self.limits) or None,
            cones=[po.NormLimit(C=one.C, e=one.e, f=one.f, g=one.g) for one in self.norms],
        )  # fmt: skip
        return made if self.periods is None else made.over(self.periods)

    @property
    def asked(self) -> Any:
        """The query; one of any rows knows the variables that privopt adds to its own."""
        added = len(self.limits) + self.towers
        return self.query or po.Linear(np.pad(self.S, ((0, 0), (0, added))))

    @property
    def towers(self) -> int:
        """How many norms there are within norms."""
        return sum(len(one.C) - 2 for one in self.norms)

    @property
    def domain(self) -> Any:
        """The public facts about the private entries."""
        return po.Domain(self.u - self.half, self.u + self.half, rows=self.rows)


def question(rng: Generator) -> Question:
    """Draw one."""
    made = horizon(rng) if rng.random() < 0.15 else general(rng)
    return noisy(rng, known(rng, made))


def general(rng: Generator) -> Question:
    """Rows, bounds and equalities about a point; some with norms, private limits, redundancy."""
    kinds: list[str] = []
    n = int(rng.integers(2, 13))
    k = int(rng.integers(1, min(5, n)))
    p = int(rng.integers(1, min(3, n - k) + 1))
    while True:
        G, S, query = grid(rng, -2, 2, (k, n)), np.zeros((0, n)), None
        G *= rng.random((k, n)) < (0.5 if n > 4 else 0.9)
        S, query, kind = released(rng, p, n)
        if np.linalg.svd(np.vstack([G, S]), compute_uv=False)[-1] > 0.1:
            break
    z0, A = grid(rng, -2, 4, n), grid(rng, -1, 2, (int(rng.integers(0, 6)), n))
    A *= rng.random(A.shape) < 0.6
    A = A[A.any(axis=1)]
    room = 3.0 if rng.random() < 0.7 else 1.0
    b = A @ z0 + grid(rng, 0.125, room, len(A))
    lower, upper = z0 - grid(rng, 0.25, room, n), z0 + grid(rng, 0.25, room, n)
    c1, C2, cost = costs(rng, n)
    free = rng.random(n)
    lower[(free < 0.15) & (c1 >= 0)] -= np.inf if cost == "strict" else 0.0
    lower[(free < 0.15) & (c1 > 0)] = -np.inf if cost == "strict" else -8.0
    whole = np.vstack([G, S, np.eye(n)[-1:]])
    if rng.random() < 0.1 and n > k + p + 1 and np.linalg.matrix_rank(whole) == len(whole):
        kinds.append("fixed")
        lower[-1] = upper[-1] = z0[-1]
    private = sorted(rng.choice(k, int(rng.integers(1, k + 1)), replace=False).tolist())
    kinds += [cost, kind]
    limits: tuple[int, ...] = ()
    if len(A) and rng.random() < 0.2:
        kinds.append("private limit")
        limits = (int(rng.integers(len(A))),)
    norms: tuple[Norm, ...] = ()
    if rng.random() < 0.2:
        private = private[: 3 - len(limits)]
        norms = tuple(norm(rng, z0, kinds) for _ in range(int(rng.integers(1, 3))))
    d, u = G @ z0, np.concatenate([(G @ z0)[private], b[list(limits)]])
    whole = [*private, *range(k, k + len(limits))]
    made = Question(
        c1, C2, A, b, lower, upper, G, d, S, whole, u, np.zeros(len(u)), [], None, query,
        limits=limits, norms=norms, kinds=tuple(kinds),
    )  # fmt: skip
    return redundant(rng, made) if rng.random() < 0.25 else made


def redundant(rng: Generator, made: Question) -> Question:
    """One equality more that follows from the others; its right-hand side follows the data."""
    weights = rng.choice([-1.0, 1.0, 2.0], len(made.G))
    own = len(made.private) - len(made.limits)
    at, follow = made.private[:own], np.zeros((1, len(made.u)))
    follow[0, :own] = weights[at]
    size = len(made.G)
    private = [*at, *(size + 1 + i for i in range(len(made.limits)))]
    return replace(
        made, G=np.vstack([made.G, weights @ made.G]), d=np.append(made.d, weights @ made.d),
        private=private, balance=(size,), follow=follow, kinds=(*made.kinds, "redundant"),
    )  # fmt: skip


def norm(rng: Generator, z0: Vector, kinds: list[str]) -> Norm:
    """A norm of two or three entries with room about a point."""
    size = int(rng.integers(2, 4))
    kinds.append(f"norm of {size}")
    C, e = grid(rng, -1, 1, (size, len(z0))), grid(rng, -1, 1, size)
    f = grid(rng, -0.5, 0.5, len(z0)) * (size == 2 and rng.random() < 0.5)
    most = float(np.linalg.norm(C @ z0 + e)) + rng.uniform(0.1, 1.0)
    return Norm(C, e, f, round(GRID * (most - f @ z0) + 1) / GRID)


def horizon(rng: Generator) -> Question:
    """Stocks and orders of some goods over some periods; an order, a stock or both are released."""
    T, goods = int(rng.integers(2, 5)), int(rng.integers(1, 3))
    size = T * goods
    keep = np.kron(np.eye(T) - rng.choice([0.0, 0.5, 1.0]) * np.eye(T, k=-1), np.eye(goods))
    order = np.hstack([np.zeros((T, size)), np.kron(np.eye(T), np.ones(goods))])
    d = grid(rng, 0.25, 1, size)
    which = rng.choice(2 * size, int(rng.integers(1, 3)), replace=False).tolist()
    c1, C2, cost = costs(rng, 2 * size)
    return Question(
        np.abs(c1), C2, order, np.full(T, rng.choice([2.0, 4.0, 20.0])), np.zeros(2 * size),
        np.full(2 * size, rng.choice([2.0, 5.0])), np.hstack([-keep, np.eye(size)]), d,
        np.eye(2 * size)[which], list(range(size)), d, np.zeros(size), [], None,
        po.Identity(which), periods=po.Periods.grid(range(T), range(goods)),
        kinds=("horizon", cost),
    )  # fmt: skip


def costs(rng: Generator, n: int) -> tuple[Vector, Matrix, str]:
    """Linear, strictly convex, or flat in some directions."""
    c1, kind = grid(rng, -1, 3, n), str(rng.choice(["linear", "strict", "flat"]))
    if kind == "linear":
        return c1, np.zeros((n, n)), kind
    root = grid(rng, -1, 1, (n, n))
    C2 = root @ root.T / 8 + np.eye(n) / 8 if rng.random() < 0.5 else np.diag(grid(rng, 0.1, 1, n))
    if kind == "flat":
        none = rng.random(n) < 0.5
        c1[none], C2[none], C2[:, none] = 0.0, 0.0, 0.0
    return c1, C2, kind


def released(rng: Generator, p: int, n: int) -> tuple[Matrix, Any, str]:
    """Variables, sums of some, or any rows."""
    order, which = rng.permutation(n), rng.random()
    if which < 0.5:
        return np.eye(n)[order[:p]], po.Identity(order[:p].tolist()), "identity"
    if which < 0.75:
        groups = [part.tolist() for part in np.array_split(order[: min(n, 2 * p)], p)]
        return np.array([np.eye(n)[part].sum(axis=0) for part in groups]), po.Sum(groups), "sum"
    return grid(rng, -1, 1, (p, n)), None, "linear query"


def known(rng: Generator, made: Question) -> Question:
    """The domain: a box, and in some facts beside it."""
    q, kinds = len(made.u), made.kinds
    half = grid(rng, 0.03125, float(rng.choice([0.125, 0.5, 1.0])), q)
    rows = None
    if rng.random() < 0.3:
        kinds += ("domain rows",)
        W = grid(rng, -1, 1, (1, q)) if rng.random() < 0.5 else np.ones((1, q))
        wide = np.round(GRID * 0.5 * np.abs(W) @ half) / GRID
        rows = W, W @ made.u - wide, np.array([np.inf]) if rng.random() < 0.3 else W @ made.u + wide
    fidelity = float(rng.choice([0.25, 2.0])) if "strict" in kinds and rng.random() < 0.4 else 0.0
    return replace(made, half=half, rows=rows, fidelity=fidelity, kinds=kinds)


def noisy(rng: Generator, made: Question) -> Question:
    """What is measured, and whom the noise protects."""
    q, name = len(made.u), str(rng.choice(["laplace", "gaussian", "truncated"], p=[0.6, 0.2, 0.2]))
    sums: dict[str, list[Matrix]] = {
        "nothing": [np.zeros((0, q))], "total": [np.ones((1, q))], "each": [np.eye(q)],
        "any": [grid(rng, -1, 1, (2, q)) + np.eye(2, q) / GRID],
        "several": [np.ones((1, q)), np.eye(q)[:1]],
    }  # fmt: skip
    kind = str(rng.choice(list(sums)))
    alpha: Any = float(rng.choice([0.01, 0.05, 0.2]))
    kinds, more = (*made.kinds, name, f"measured {kind}"), dict[str, Any]()
    if rng.random() < 0.3:
        alpha, kinds = alpha * grid(rng, 0.25, 1, q), (*kinds, "alphas")
    if q > 1 and rng.random() < 0.4:
        customers = None if made.periods is None else made.periods.customers
        more = {"owners": customers or [f"owner {j // 2}" for j in range(q)]}
        more["change"] = str(rng.choice(["each", "total"]))
        kinds = (*kinds, "owners")
    epsilon = float(rng.choice([0.5, 1.0, 5.0]))
    privacy: Any = {
        "laplace": lambda: po.Laplace(epsilon=epsilon, alpha=alpha, **more),
        "gaussian": lambda: po.Gaussian(epsilon=epsilon, delta=1e-4, alpha=alpha, **more),
        "truncated": lambda: po.TruncatedLaplace(epsilon=epsilon, delta=0.01, alpha=alpha, **more),
    }[name]()
    return replace(made, W=sums[kind], privacy=privacy, kinds=kinds)


def grid(rng: Generator, low: float, high: float, size: int | Sequence[int]) -> Any:
    """Multiples of 1/64."""
    return rng.integers(int(GRID * low), int(GRID * high), size, endpoint=True) / GRID
