"""Random questions for `po.decide`, in plain numbers and as privopt takes them.

    minimise c1'z + z'C2 z   subject to   A z <= b + B u,   lower <= z <= upper
                                          M z = start + F u,   ||C z + e|| <= f'z + g

u are the private entries: right-hand sides of equalities, then limits of rows. Numbers are
multiples of 1/64 about a feasible point, so that what depends on each other is consistent exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.differential.nice import GRID, Generator, Matrix, Vector

import privopt as po

ETA = 0.05


@dataclass(frozen=True, kw_only=True)
class Question:
    """A program, what is known and measured of its private entries, and what is released.

    `private` are positions in d, `limits` the rows of A whose limit is private, `norms` C, e, f and
    g. The last equality is that combination of the others, if there is one. `facts` are W, low and
    high of the domain beside its box u +- half; `W` has a matrix for each measurement.
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
    query: Any
    private: list[int]
    u: Vector
    half: Vector
    facts: tuple[Matrix, Vector, Vector]
    W: list[Matrix]
    privacy: Any
    fidelity: float
    kinds: list[str]
    limits: tuple[int, ...] = ()
    norms: tuple[tuple[Matrix, Vector, Vector, float], ...] = ()
    combination: Any = None
    periods: Any = None

    @property
    def promise(self) -> Any:
        """How often a decision may turn out wrong."""
        never = isinstance(self.privacy, po.TruncatedLaplace)
        return po.Always() if never else po.ExactBox(eta=ETA)

    @property
    def balance(self) -> list[int] | None:
        """The entry of d that follows the private ones."""
        return None if self.combination is None else [len(self.d) - 1]

    @property
    def inequalities(self) -> tuple[Matrix, Vector, Matrix]:
        """A, b and B of the rows, then lower, then upper bounds."""
        eye, low, high = np.eye(len(self.c1)), np.isfinite(self.lower), np.isfinite(self.upper)
        A = np.vstack([self.A, -eye[low], eye[high]])
        b, B = np.concatenate([self.b, -self.lower[low], self.upper[high]]), len(self.private)
        B = np.eye(len(A))[:, self.limits] @ np.eye(len(self.u))[B:]
        return A, b - B @ self.u, B

    @property
    def equalities(self) -> tuple[Matrix, Vector, Matrix]:
        """M, start and F."""
        F = np.eye(len(self.d))[:, self.private] @ np.eye(len(self.private), len(self.u))
        if self.combination is not None:
            F[-1] = self.combination @ F[:-1]
        return self.G, self.d - F @ self.u, F

    @property
    def program(self) -> po.ConvexProgram:
        """The program; its private entries are those at `u`."""
        made = po.ConvexProgram(
            linear=self.c1, quadratic=self.C2, lower=self.lower, upper=self.upper, G=self.G,
            A=self.A if len(self.A) else None, b=self.b if len(self.A) else None,
            d=np.append(self.d, self.b[list(self.limits)]), private=self.private,
            private_limits=self.limits or None,
            cones=[po.NormLimit(C=C, e=e, f=f, g=g) for C, e, f, g in self.norms],
        )  # fmt: skip
        return made if self.periods is None else made.over(self.periods)


def question(rng: Generator) -> Question:
    """Draw one: the program, then what is known of its data, and how they are measured."""
    kinds: list[str] = []
    made = (horizon if picked(rng, kinds, general=85, horizon=15) == "horizon" else general)(
        rng, kinds
    )
    q, u, far = len(made["u"]), made["u"], rng.choice([0.0, np.inf], p=[0.7, 0.3])
    half, rows = grid(rng, 1 / 32, rng.choice([0.125, 0.5, 1.0]), q), grid(rng, -1, 1, (3, q))
    rows[~rows.any(axis=1)] = 1.0
    W = rows[:1]
    wide = np.round(GRID * abs(W) @ half / 2) / GRID
    facts = slice(None if picked(rng, kinds, box=70, facts=30) == "facts" else 0)
    sums = {
        "nothing": [W[:0]], "total": [np.ones((1, q))], "each": [np.eye(q)],
        "overlap": [rows[1:]], "two": [np.ones((1, q)), np.eye(1, q)],
    }  # fmt: skip
    protected: dict[str, Any] = {"epsilon": rng.choice([0.5, 1.0, 5.0])}
    protected["alpha"] = rng.choice([0.01, 0.05, 0.2])
    if picked(rng, kinds, alpha=70, alphas=30) == "alphas":
        protected["alpha"] *= grid(rng, 0.25, 1, q)
    if picked(rng, kinds, alone=60, owners=40) == "owners":
        protected |= {"owners": [f"owner {j // 2}" for j in range(q)]}
        protected |= {"change": rng.choice(["each", "total"])}
    noise = picked(rng, kinds, laplace=60, gaussian=20, truncated=20)
    near = picked(rng, kinds, far=60, near=40) == "near" and "strict" in kinds
    return Question(
        **made, half=half, facts=(W[facts], (W @ u - wide)[facts], (W @ u + wide + far)[facts]),
        W=sums[picked(rng, kinds, **dict.fromkeys(sums, 20))], kinds=kinds,
        fidelity=2.0 if near else 0.0, privacy={
            "laplace": lambda: po.Laplace(**protected),
            "gaussian": lambda: po.Gaussian(delta=1e-4, **protected),
            "truncated": lambda: po.TruncatedLaplace(delta=0.01, **protected),
        }[noise](),
    )  # fmt: skip


def general(rng: Generator, kinds: list[str]) -> dict[str, Any]:
    """Rows, bounds and equalities about a point; norms, private limits and what is redundant."""
    n = int(rng.integers(2, 13))
    k, p = int(rng.integers(1, min(5, n))), int(rng.integers(1, 4))
    p = min(p, n - k)
    kind, order = picked(rng, kinds, identity=50, sum=25, rows=25), rng.permutation(n)
    while True:
        G, S = grid(rng, -2, 2, (k, n)) * (rng.random((k, n)) < 0.6), grid(rng, -1, 1, (p, n))
        if kind != "rows":
            S = np.eye(n)[order[:p]]
        if kind == "sum":
            S[0, order[p:]] = rng.random(n - p) < 0.3
        if np.linalg.svd(np.vstack([G, S]), compute_uv=False)[-1] > 0.1:
            break
    z0, room = grid(rng, -2, 4, n), rng.choice([1.0, 3.0])
    A = grid(rng, -1, 2, (int(rng.integers(0, 6)), n))
    A *= rng.random(A.shape) < 0.6
    A = A[A.any(axis=1)]
    c1, C2 = costs(rng, n, kinds)
    d, b = G @ z0, A @ z0 + grid(rng, 0.125, room, len(A))
    lower, upper = z0 - grid(rng, 0.25, room, n), z0 + grid(rng, 0.25, room, n)
    lower[(rng.random(n) < 0.15) & (c1 > 0)] = -np.inf if "strict" in kinds else -8.0
    private = sorted(rng.choice(k, int(rng.integers(1, k + 1)), replace=False).tolist())
    made: dict[str, Any] = {"limits": (0,) if len(A) and rng.random() < 0.2 else ()}
    kinds += ["limit"] * len(made["limits"])
    if rng.random() < 0.2:
        made["norms"] = [norm(rng, z0, kinds) for _ in range(int(rng.integers(1, 3)))]
        private = private[:2]
    if rng.random() < 0.25:
        kinds.append("redundant")
        made["combination"] = weights = rng.choice([-1.0, 1.0, 2.0], k)
        G, d = np.vstack([G, weights @ G]), np.append(d, weights @ d)
    query = {"identity": po.Identity(order[:p].tolist())}.get(kind)
    if kind == "sum":
        query = po.Sum([np.flatnonzero(row).tolist() for row in S])
    u = np.append(d[private], b[list(made["limits"])])
    return made | {
        "c1": c1, "C2": C2, "A": A, "b": b, "lower": lower, "upper": upper, "G": G, "d": d, "S": S,
        "query": query, "private": private, "u": u,
    }  # fmt: skip


def norm(rng: Generator, z0: Vector, kinds: list[str]) -> tuple[Matrix, Vector, Vector, float]:
    """A norm of two or three entries with room about a point."""
    size = int(picked(rng, kinds, norm2=50, norm3=50)[-1])
    C, e, f = (grid(rng, -1, 1, shape) for shape in ((size, len(z0)), size, len(z0)))
    f *= 0.5 if size == 2 and rng.random() < 0.5 else 0.0
    most = np.linalg.norm(C @ z0 + e) - f @ z0 + rng.uniform(0.1, 1.0)
    return C, e, f, float(round(GRID * most) + 1) / GRID


def horizon(rng: Generator, kinds: list[str]) -> dict[str, Any]:
    """Stocks and orders of some goods over some periods; some orders or stocks are released."""
    T, goods = int(rng.integers(2, 5)), int(rng.integers(1, 3))
    size = T * goods
    keep = np.kron(np.eye(T) - rng.choice([0.0, 0.5, 1.0]) * np.eye(T, k=-1), np.eye(goods))
    which, d = (
        rng.choice(2 * size, int(rng.integers(1, 3)), replace=False),
        grid(rng, 0.25, 1, size),
    )
    c1, C2 = costs(rng, 2 * size, kinds)
    return {
        "c1": abs(c1), "C2": C2, "A": np.kron(np.eye(T), np.repeat([[0.0, 1.0]], goods, axis=1)),
        "b": np.full(T, rng.choice([2.0, 4.0, 20.0])), "lower": np.zeros(2 * size),
        "upper": np.full(2 * size, rng.choice([2.0, 5.0])), "G": np.hstack([-keep, np.eye(size)]),
        "d": d, "S": np.eye(2 * size)[which], "query": po.Identity(which.tolist()),
        "private": list(range(size)), "u": d, "periods": po.Periods.grid(range(T), range(goods)),
    }  # fmt: skip


def costs(rng: Generator, n: int, kinds: list[str]) -> tuple[Vector, Matrix]:
    """Linear, strictly convex, or flat in some directions."""
    c1, root = grid(rng, -1, 3, n), grid(rng, -1, 1, (n, n))
    kind = picked(rng, kinds, linear=30, strict=35, flat=35)
    if kind == "linear":
        return c1, np.zeros((n, n))
    kept = np.diag(rng.random(n) < 0.5) if kind == "flat" else np.eye(n)
    C2 = (
        root @ root.T / 8 + np.eye(n) / 8
        if rng.random() < 0.5
        else np.diag(abs(root[0])) + np.eye(n) / 8
    )
    return kept @ c1, kept @ C2 @ kept


def picked(rng: Generator, kinds: list[str], **shares: int) -> str:
    """One of some kinds, by its share of a hundred; it is noted."""
    kinds.append(str(rng.choice(list(shares), p=np.array(list(shares.values())) / 100)))
    return kinds[-1]


def grid(rng: Generator, low: float, high: float, size: Any) -> Any:
    """Multiples of 1/64."""
    return rng.integers(int(GRID * low), int(GRID * high), size, endpoint=True) / GRID
