"""Decisions of curved programs in plain CVXPY, with polygons of many sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
from tests.mechanisms.measured.cases import measured
from tests.model.curved import KINDS, Both, Limit, both, solved

import privopt as po
from privopt.arrays import Dense, Vector
from privopt.kernel.measurement import Measurement
from privopt.mechanisms.measured.belief import Belief
from privopt.solving.robust.region import Region

SIDES = 96


@dataclass(frozen=True)
class Case:
    """A curved program, and what is asked of it."""

    both: Both
    domain: Any
    W: Dense
    promise: Any
    privacy: Any

    @property
    def program(self) -> po.ConvexProgram:
        return self.both.program

    @property
    def query(self) -> Any:
        return po.Identity([0])

    def measured(self, rng: np.random.Generator) -> Measurement:
        instrument = po.Instrument(
            self.W, program=self.program, privacy=self.privacy, domain=self.domain
        )
        return measured(instrument, rng.uniform(*instrument.domain), rng)

    def decide(self, measurement: Measurement) -> po.Decision:
        return po.decide(self.program, self.query, measurement, self.promise)


def case(seed: int, norms: tuple[int, ...] | None = None, width: float = 0.15) -> Case:
    """Every kind of cost and number of rows in turn."""
    rng = np.random.default_rng(50 + seed)
    kinds = (KINDS[seed % 7], KINDS[(seed // 7 + 3 * seed) % 7])[: 1 + seed % 2]
    rows = ((2,), (1, 2), (3,), (2, 2), (), (7,))[seed % 6] if norms is None else norms
    one = both(300 + seed, kinds, rows, n=5, k=2, room=(0.03, 0.12))
    d = one.program.d
    half = rng.uniform(0.5, 1.0, 2) * width
    W = np.ones((1, 2)) if seed % 3 else np.zeros((0, 2))
    return Case(
        one, po.Box(d - half, d + half), W, po.ExactBox(eta=0.1),
        po.Laplace(epsilon=1.0, alpha=0.03),
    )  # fmt: skip


def _margin(a: Any, region: Region) -> tuple[Any, int]:
    """The worst case of each row of a over a region: a dual with its own variables."""
    count, r = a.shape[0], len(region.W)
    if not r:
        return cp.abs(a) @ region.half, count
    up, down = (cp.Variable((count, r), nonneg=True) for _ in range(2))
    inner = cp.abs(a - (up - down) @ region.W) @ region.half
    return inner + up @ region.high - down @ region.low, count


class Affine:
    """Functions z0 + K u of the data, or of several of them."""

    def __init__(self, at: Any, gain: Any) -> None:
        self.at, self.gain = at, gain

    @classmethod
    def of(cls, rows: int, q: int) -> Affine:
        return cls(cp.Variable(rows), cp.Variable((rows, q)))

    def times(self, M: Dense, e: Any = 0.0) -> Affine:
        return Affine(M @ self.at + e, M @ self.gain)

    def below(self, region: Region) -> Any:
        """At most zero over all of the region."""
        margin, _ = _margin(self.gain, region)
        return self.at + margin <= 0

    def joined(self, other: Affine) -> Affine:
        return Affine(cp.hstack([self.at, other.at]), cp.vstack([self.gain, other.gain]))


def _norm(x: Affine, count: int, head: Affine, region: Region, q: int) -> list[Any]:
    """||x|| <= head over the region, by a tower of polygons with affine norms within."""
    if count == 1:
        signs = np.array([[1.0], [-1.0]])
        twice = np.ones((2, 1))
        both = Affine(signs @ x.at - twice @ head.at, signs @ x.gain - twice @ head.gain)
        return [both.below(region)]
    rows: list[Any] = []
    while count > 2:
        inner = Affine.of(1, q)
        pair = x.times(np.eye(count)[:2])
        rows += _norm(pair, 2, inner, region, q)
        x, count = inner.joined(x.times(np.eye(count)[2:])), count - 1
    angle = 2 * np.pi * (np.arange(SIDES) + 0.5) / SIDES
    N = np.column_stack([np.cos(angle), np.sin(angle)]) / np.cos(np.pi / SIDES)
    ones = np.ones((SIDES, 1))
    return [*rows, Affine(N @ x.at - ones @ head.at, N @ x.gain - ones @ head.gain).below(region)]


def certified(one: Case, region: Region, q: Any) -> list[Any]:
    """A solution that is affine in the data keeps all limits with the released value q."""
    both, size = one.both, len(region.half)
    z = Affine.of(both.n, size)
    rows: list[Any] = [
        both.G @ z.at == region.middle, both.G @ z.gain == np.eye(size), z.at[0] == q[0],
        z.gain[0] == 0, z.times(np.eye(both.n), -2.0).below(region),
        z.times(-np.eye(both.n), -2.0).below(region),
    ]  # fmt: skip
    for limit in both.norms:
        head = z.times(limit.f[None], limit.g)
        rows += _norm(z.times(limit.C, limit.e), len(limit.e), head, region, size)
    return rows


@dataclass(frozen=True)
class Plain:
    """The objective of the plain model (infinite if there is no decision), draws and region."""

    value: float
    draws: Dense
    region: Region


def plain(one: Case, measurement: Measurement, count: int, *, corners: bool = False) -> Plain:
    """The decision in one program; with corners, a bound from below of any certificate.

    Then z need not be affine: some z keeps all limits at each corner of the region.
    """
    belief = Belief.of(measurement, one.program)
    region = belief.region(one.promise)
    draws = belief.draws(count, np.random.default_rng(0), within=region)
    both = one.both
    z: Any = cp.Variable((both.n, count))
    q = cp.Variable(1)
    rows = [both.G @ z == draws.T, *both.kept(z), z[0] == q * np.ones(count)]
    if corners:
        at = vertices(region).T
        w: Any = cp.Variable((both.n, at.shape[1]))
        rows += [both.G @ w == at, *both.kept(w), w[0] == q * np.ones(at.shape[1])]
    else:
        rows += certified(one, region, q)
    model = cp.Problem(cp.Minimize(cp.sum(both.costs(z)) / count), rows)
    return Plain(solved(model), draws, region)


def objective(one: Case, value: float, draws: Dense) -> float:
    """The mean cost at the draws of the best solutions with the released value."""
    both = one.both
    z: Any = cp.Variable((both.n, len(draws)))
    rows = [both.G @ z == draws.T, *both.kept(z), z[0] == value]
    return solved(cp.Problem(cp.Minimize(cp.sum(both.costs(z)) / len(draws)), rows))


def size(one: Case, draws: Dense) -> float:
    """What the cost is made of at these draws, roughly: its range over them and its mean."""
    values = [one.both.optimum(u) for u in draws[:4]]
    return max(1.0, float(np.abs(values).max()))


def vertices(region: Region) -> Dense:
    """Corners of a box of two dimensions, cut by slabs."""
    lower, upper = region.middle - region.half, region.middle + region.half
    lines = [(np.eye(2)[j], end[j]) for j in range(2) for end in (lower, upper)]
    for w, low, high in zip(region.W, region.low, region.high, strict=True):
        lines += [(w, low + w @ region.middle), (w, high + w @ region.middle)]
    found: list[Vector] = []
    for i, (a, x) in enumerate(lines):
        for b, y in lines[:i]:
            M = np.array([a, b])
            if abs(np.linalg.det(M)) < 1e-9:
                continue
            u = np.linalg.solve(M, [x, y])
            off = region.W @ (u - region.middle)
            inside = (np.abs(u - region.middle) <= region.half * (1 + 1e-9)).all()
            if inside and (off <= region.high + 1e-9).all() and (off >= region.low - 1e-9).all():
                found.append(u)
    return np.array(found)


__all__ = ["Case", "Limit", "case", "objective", "plain", "size", "vertices"]
