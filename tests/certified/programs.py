"""Random programs to design for, and pairs of neighbours that try to tell a release apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from tests.certified.stored import Real, Stored, power

import privopt as po

Pair = tuple[list[Real], list[Real]]


@dataclass(frozen=True, eq=False)
class Case:
    """A program as plain arrays, and what is asked of a design."""

    linear: np.ndarray
    quadratic: np.ndarray
    A: np.ndarray
    b: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    G: np.ndarray
    d: np.ndarray  # public entries count; private and balancing ones are ignored
    private: np.ndarray
    S: np.ndarray
    low: np.ndarray
    high: np.ndarray
    noise: Any
    feasibility: Any
    balance: tuple[int, ...] = ()
    floor: float = 0.0
    fidelity: float = 0.0
    prior: np.ndarray | None = None
    measure: np.ndarray | None = None

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.G.shape[1]

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Every inequality: the rows of A, then finite lower, then finite upper bounds."""
        eye = np.eye(self.n)
        low, high = np.isfinite(self.lower), np.isfinite(self.upper)
        return (
            np.vstack([self.A.reshape(-1, self.n), -eye[low], eye[high]]),
            np.concatenate([self.b, -self.lower[low], self.upper[high]]),
        )

    def parts(self) -> dict[str, Any]:
        """Arguments of the program without d."""
        some = len(self.b) > 0
        return {
            "linear": self.linear, "quadratic": self.quadratic, "A": self.A if some else None,
            "b": self.b if some else None, "G": self.G, "lower": self.lower, "upper": self.upper,
            "private": self.private,
        }  # fmt: skip

    def design(self, program: po.ConvexProgram | None = None) -> po.Policy:
        """The policy."""
        return po.design(
            program or po.ConvexProgram(**self.parts(), d=self.d),
            po.Linear(self.S),
            self.noise,
            self.feasibility,
            domain=po.Box(self.low, self.high),
            prior=self.prior,
            fidelity=self.fidelity,
            floor=self.floor,
            balance=list(self.balance) or None,
            measure=self.measure,
            rng=0,
        )


def of_instance(one: Any, noise: Any, feasibility: Any, **more: Any) -> Case:
    """A case of one of the paper's instances."""
    program = one.program
    low, high = one.domain.ends(len(program.private))
    return Case(
        program.linear, program.quadratic.toarray(), program.A.toarray(), program.b, program.lower,
        program.upper, program.G.toarray(), np.array(program.d), program.private,
        one.query.matrix(program).toarray(), low, high, noise, feasibility, **more,
    )  # fmt: skip


def random_case(seed: int) -> Case:
    """A program of 2 to 8 variables, with limits that are usually wide enough."""
    rng = np.random.default_rng([seed, 2024])
    p, q = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    balanced = bool(rng.random() < 0.2)
    public = int(rng.random() < 0.3)
    G, S = _balanced(rng, p, q) if balanced else _general(rng, p, q + public)
    while not _sound(G, S, q if balanced else q + public, p):
        G, S = _balanced(rng, p, q) if balanced else _general(rng, p, q + public)
    balance = (q,) if balanced else ()
    k, n = G.shape
    private = np.arange(q) if balanced else np.sort(rng.choice(k, q, replace=False))
    # Units: of the data, and of each variable.
    unit = 10 ** rng.uniform(-3, 4)
    sizes = 10 ** rng.uniform(-1, 1, n) if rng.random() < 0.3 else np.ones(n)
    G, S = G / sizes, S / sizes
    half = unit * rng.uniform(0.05, 1, q) * (rng.random(q) > 0.15)
    middle = unit * rng.normal(size=q) * (rng.choice([1.0, 30.0]))
    side = rng.random(q)
    middle = np.where(side < 0.2, half, np.where(side < 0.4, -half, middle))  # one-sided
    low, high = middle - half, middle + half
    d = unit * rng.normal(size=k)
    d[private] = middle
    if balanced:
        d[q] = -middle.sum()
    F = np.zeros((k, q))
    F[private, np.arange(q)] = 1.0
    if balanced:
        F[q] = -1.0
    noise = _noise(rng, unit * 10 ** rng.uniform(-2, 0))
    kind, much = _feasibility(rng, noise)
    floor = 0.0 if rng.random() < 0.4 else float(rng.uniform(0.1, 1.5))
    # A policy that is surely affordable where the factor is above one: least-norm gain, recourse.
    K, both = np.linalg.pinv(G) @ F, np.linalg.pinv(np.vstack([G, S]))
    reach = np.minimum(noise.alpha, 2 * half) / noise.alpha
    level = max(floor, float((np.linalg.norm(S @ K, noise.order, axis=0) * reach).max()))
    spread = much * level * noise.calibrate(p, noise.alpha).scale * np.abs(both[:, k:])
    z = np.linalg.pinv(G) @ d + unit * sizes * rng.normal(size=n) * (rng.random() < 0.5)
    z += np.linalg.pinv(G) @ (d - G @ z)
    need = np.abs(K) @ half + spread.sum(axis=1) + 1e-3 * unit * sizes
    lower = np.where(rng.random(n) < 0.8, z - rng.uniform(0.6, 4, n) * need, -np.inf)
    upper = np.where(rng.random(n) < 0.8, z + rng.uniform(0.6, 4, n) * need, np.inf)
    A = rng.normal(size=(int(rng.integers(0, 5)), n)) / sizes
    A *= 10 ** rng.uniform(-2, 2, (len(A), 1))
    b = A @ z + rng.uniform(0.6, 4, len(A)) * (np.abs(A) @ need)
    linear, quadratic = _cost(rng, n, unit, sizes)
    prior = None
    if rng.random() < 0.15:
        prior = low + (high - low) * rng.beta(1.0, 4.0, (50, q))
    fidelity = 0.0
    if rng.random() < 0.5:
        fidelity = float(10 ** rng.uniform(-1, 3) * np.abs(quadratic).max() * np.median(sizes) ** 2)
    return Case(
        linear, quadratic, A, b, lower, upper, G, d, private, S, low, high, noise, kind, balance,
        floor, fidelity, prior,
    )  # fmt: skip


def rule_case(seed: int) -> Case:
    """The same with an affine rule: one sum, several that share no entry, any, or every entry."""
    case, rng = random_case(seed), np.random.default_rng([seed, 2026])
    q, kind = len(case.private), rng.random()
    if kind < 0.3:
        W = np.ones((1, q))
    elif kind < 0.5:
        zone = rng.integers(min(2, q), size=q)
        W = np.array([zone == k for k in range(q) if (zone == k).any()], dtype=float)
    elif kind < 0.65:
        W = np.eye(q)
    else:
        W = rng.normal(size=(int(rng.integers(1, 5)), q))
    return replace(case, floor=0.0, measure=W)


def _general(rng: np.random.Generator, p: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Equalities of full rank, and a query: variables, sums or any."""
    n = int(rng.integers(max(2, k + p), 9)) if k + p < 8 else k + p
    G = rng.normal(size=(k, n)) * (rng.random((k, n)) < 0.8)
    return G, _query(rng, p, n)


def _balanced(rng: np.random.Generator, p: int, q: int) -> tuple[np.ndarray, np.ndarray]:
    """A connected network of q + 1 nodes, whose demands must balance."""
    nodes, n = q + 1, max(2, q + p + int(rng.integers(0, 2)))
    G = np.zeros((nodes, n))
    for arc in range(n):
        tail = arc + 1 if arc < q else int(rng.integers(nodes))
        head = int(rng.integers(tail)) if arc < q else (tail + 1 + int(rng.integers(q))) % nodes
        G[tail, arc], G[head, arc] = 1.0, -1.0
    return G, _query(rng, p, n)


def _query(rng: np.random.Generator, p: int, n: int) -> np.ndarray:
    kind, S = rng.random(), np.zeros((p, n))
    if kind < 0.3:
        return rng.normal(size=(p, n))
    order = rng.permutation(n)
    for row in range(p):
        S[row, order[row::p][: 1 if kind < 0.7 else 2]] = 1.0
    return S


def _sound(G: np.ndarray, S: np.ndarray, rank: int, p: int) -> bool:
    """Whether G has this rank, the query p more, and no number is extreme."""
    first = np.linalg.svd(G, compute_uv=False)
    both = np.linalg.svd(np.vstack([G, S]), compute_uv=False)
    return bool(first[rank - 1] > 0.1 and len(both) >= rank + p and both[rank + p - 1] > 0.1)


def _noise(rng: np.random.Generator, alpha: float) -> Any:
    epsilon, delta = 10 ** rng.uniform(-1, 1), 10 ** rng.uniform(-6, -2)
    kind = rng.integers(3)
    if kind == 0:
        return po.Laplace(epsilon=epsilon, alpha=alpha)
    if kind == 1:
        return po.Gaussian(epsilon=epsilon, delta=delta, alpha=alpha)
    return po.TruncatedLaplace(epsilon=epsilon, delta=delta, alpha=alpha)


def _feasibility(rng: np.random.Generator, noise: Any) -> tuple[Any, float]:
    """A reformulation, and about how many scales of noise its margin takes."""
    eta = float(rng.uniform(0.01, 0.15))
    kind = rng.random()
    if isinstance(noise, po.TruncatedLaplace) and kind < 0.4:
        return po.Always(), noise.calibrate(1, noise.alpha).law.bound
    if kind < 0.6:
        return po.Analytic(eta=eta, margin="unimodal"), float(np.sqrt(4 / (9 * eta)))
    if kind < 0.8:
        return po.Analytic(eta=eta), float(np.log(1 / eta))
    return po.ExactBox(eta=eta), float(np.log(3 / eta))


def _cost(
    rng: np.random.Generator, n: int, unit: float, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Quadratic, or linear with a small quadratic part."""
    linear, kind = rng.uniform(0, 2, n) * unit / sizes, rng.random()
    if kind < 0.4:
        return linear, np.diag(rng.uniform(0.1, 2, n) / sizes**2)
    if kind < 0.7:
        return linear, np.diag(np.full(n, 1e-3) / sizes**2)
    root = rng.normal(size=(n, n)) / sizes
    return linear, root.T @ root + 1e-3 * np.diag(1 / sizes**2)


def neighbours(stored: Stored, rng: np.random.Generator, count: int = 60) -> Iterator[Pair]:
    """Random pairs, then mean ones: worst entry, grid steps, edges, vertices, outside."""
    alpha, low, high = float(stored.alpha), *_ends(stored)
    sizes = [
        sum(abs(row[j]) ** stored.order for row in stored.matrix) * (b > a)
        for j, (a, b) in enumerate(zip(stored.low, stored.high, strict=True))
    ]
    worst, step = int(np.argmax(sizes)), float(power(-stored.coarse))
    for turn in range(count):
        j = worst if turn % 4 else int(rng.integers(len(low)))
        sign = 1.0 if rng.random() < 0.5 else -1.0
        kind, move = turn % 6, alpha
        d = rng.uniform(low, high)
        if kind == 0:  # random, any step
            move = alpha * rng.random()
        elif kind == 1:  # a vertex
            d = np.where(rng.random(len(low)) < 0.5, low, high)
            sign = 1.0 if d[j] == low[j] else -1.0
        elif kind == 2:  # across half steps of the grid
            d[j] = (np.floor(rng.uniform(low[j], high[j]) / step) + 0.5) * step
            d[j] = _nudged(d[j], int(rng.integers(-2, 3)))
        elif kind == 3:  # at an edge of the domain
            d[j] = _nudged(rng.choice([low[j], high[j]]), int(rng.integers(-2, 3)))
            sign = 1.0 if abs(d[j] - low[j]) < abs(d[j] - high[j]) else -1.0
        elif kind == 4:  # near zero, where floats are finer than the grid
            d[j] = rng.choice([0.0, 0.5 * step, -0.5 * step, 5e-324, 1.5 * step])
            d[j] = _nudged(d[j], int(rng.integers(-2, 3)))
        else:  # outside
            d = rng.uniform(low - 2 * alpha, high + 2 * alpha)
            d[int(rng.integers(len(d)))] *= rng.choice([1.0, 1e12])
        yield _pair(d, j, sign * move, stored.alpha)
        if kind == 0:  # numbers between floats, exactly alpha apart
            yield _between(d, j, Fraction(sign), stored.alpha, Fraction(rng.random()))


def _ends(stored: Stored) -> tuple[np.ndarray, np.ndarray]:
    low, high = zip(*stored.box, strict=True)
    return np.array([float(a) for a in low]), np.array([float(b) for b in high])


def _nudged(value: float, times: int) -> float:
    for _ in range(abs(times)):
        value = float(np.nextafter(value, np.inf if times > 0 else -np.inf))
    return value


def _between(d: np.ndarray, j: int, sign: Fraction, alpha: Fraction, part: Fraction) -> Pair:
    """D with a part of the distance to the next float added to an entry, and its neighbour."""
    first: list[Real] = d.tolist()
    second = list(first)
    first[j] = Fraction(float(d[j])) + part * Fraction(float(np.spacing(d[j])))
    second[j] = first[j] + sign * alpha
    return first, second


def _pair(d: np.ndarray, j: int, move: float, alpha: Fraction) -> Pair:
    """d and its neighbour at the given step, which is cut to alpha exactly."""
    other = d.copy()
    other[j] = d[j] + move
    while abs(Fraction(float(other[j])) - Fraction(float(d[j]))) > alpha:
        other[j] = np.nextafter(other[j], d[j])
    return d.tolist(), other.tolist()
