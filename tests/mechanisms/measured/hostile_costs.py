"""Programs whose optimal cost is hard to enclose, each the copy of a tame one in other units.

    z' = D z,   R A D^-1 z' <= R b,   T G D^-1 z' = T d,   cost times k            powers of two

Powers of two round nothing, so the optimal cost is exactly k times that of the tame program, which
another solver can solve. Rows repeat and bind together, variables are free, entries of d do not
move, and units of variables, rows and the cost are up to 2^20 from one in both directions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import cvxpy as cp
import numpy as np
from cvxpy.error import SolverError
from tests.mechanisms.measured.cases import measured
from tests.mechanisms.measured.cost_cases import Plain, corners
from tests.model.curved import KINDS, Term, term

import privopt as po
from privopt.arrays import Dense, Vector
from privopt.kernel.measurement import Measurement
from privopt.solving.robust.region import Region

_POWERS, _OF_DATA = 20, 8  # of two, between units


@dataclass(frozen=True)
class Tame:
    """The numbers of a program in good units."""

    linear: Vector
    square: Dense
    A: Dense
    b: Vector
    G: Dense
    E: Dense
    lower: Vector
    upper: Vector
    z0: Vector
    terms: tuple[Term, ...]
    private: list[int]

    def program(self, D: Vector, R: Vector, T: Vector, times: float) -> po.ConvexProgram:
        """The program in other units."""
        C2 = self.square / (D**2 if self.square.ndim == 1 else np.outer(D, D))
        public = {} if not len(self.E) else {"E": self.E / D, "g": self.E @ self.z0}
        return po.ConvexProgram(
            linear=times * self.linear / D, quadratic=times * C2, constant=0.5 * times,
            A=R[:, None] * self.A / D, b=R * self.b, G=T[:, None] * self.G / D,
            d=T * (self.G @ self.z0), lower=self.lower * D, upper=self.upper * D,
            costs=[_scaled(one.term, D, times) for one in self.terms], private=self.private,
            **public,
        )  # fmt: skip


def _scaled(one: Any, D: Vector, times: float) -> Any:
    """A cost term of z' = D z, times a number."""
    name = "slopes" if isinstance(one, po.PiecewiseLinear) else "C"
    units = D if getattr(one, "of", None) is None else D[-1]
    return replace(one, **{name: np.asarray(getattr(one, name)) / units}, weight=times * one.weight)


@dataclass(frozen=True)
class Hostile:
    """A program in bad units, beside the tame one and its model in CVXPY."""

    program: po.ConvexProgram
    tame: po.ConvexProgram
    plain: Plain
    units: Vector
    times: float
    instrument: po.Instrument
    feasibility: Any

    def measured(self, rng: np.random.Generator) -> Measurement:
        """A measurement of data of the domain, mostly at its ends."""
        lower, upper = self.instrument.domain
        share = rng.choice([0.0, 0.5, 1.0], size=len(lower))
        return measured(self.instrument, lower + share * (upper - lower), rng)

    def ends(self, region: Region) -> tuple[float, float]:
        """The least and the largest optimal cost over a region, by another solver.

        HiGHS for linear and quadratic costs; of others, or where HiGHS gives up, Clarabel on the
        model of CVXPY.
        """
        t = self.units[self.tame.private]
        tame = replace(region, middle=region.middle / t, half=region.half / t, W=region.W * t)
        for solver in (cp.CLARABEL,) if len(self.tame.cones) else (cp.HIGHS, cp.CLARABEL):
            try:
                least = self.plain.least(self.tame, tame, solver=solver)
                most = self.plain.values(self.tame, corners(tame), solver=solver).max()
            except SolverError:
                continue
            return self.times * least, self.times * float(most)
        raise AssertionError


def hostile(seed: int) -> Hostile:
    """Every kind of trouble in turn."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 4))
    n = k + 2 + int(rng.integers(0, 4))
    one = _tame(seed, rng, n, k)
    few = 0.5 if seed % 2 else 1.0
    D, R = (_powers(rng, few * _POWERS, size) for size in (n, len(one.b)))
    T, (times,) = _powers(rng, _OF_DATA, k), _powers(rng, _POWERS, 1)
    program, tame = (
        one.program(D, R, T, float(times)),
        one.program(np.ones(n), np.ones(len(R)), np.ones(k), 1.0),
    )
    straight = Plain.of(tame) if not one.terms else _with_terms(one)
    t, q = T[one.private], len(one.private)
    half = rng.uniform(0.02, 0.15, q) * (0.0 if seed % 11 == 7 else 1.0)
    half[rng.random(q) < 0.15] = 0.0
    W = (np.zeros((0, q)), np.ones((1, q)), np.eye(q), rng.normal(size=(2, q)))[seed // 2 % 4]
    middle = program.d[one.private]
    instrument = po.Instrument(
        W / t, program=program, privacy=po.Laplace(epsilon=1.0, alpha=0.02 * t),
        domain=po.Box(middle - half * t, middle + half * t),
    )  # fmt: skip
    return Hostile(program, tame, straight, T, float(times), instrument, po.ExactBox(eta=0.1))


def _powers(rng: np.random.Generator, most: float, size: int) -> Vector:
    return 2.0 ** rng.integers(-int(most), int(most) + 1, size).astype(float)


def _tame(seed: int, rng: np.random.Generator, n: int, k: int) -> Tame:
    z0, A = rng.uniform(-1, 1, n), rng.normal(size=(3, n))
    G = np.where(rng.random((k, n)) < 0.7, rng.normal(size=(k, n)), 0.0)
    G[np.arange(k), np.arange(k)] += 3.0
    b = A @ z0 + 0.3 + rng.uniform(0.0, 1.0, 3) ** 2
    if seed % 3 == 0:  # the same row twice, one doubled, and the sum of two
        A, b = np.vstack([A, A[:1], 2 * A[1:2], A[:1] + A[1:2]]), b[[0, 1, 2, 0, 1, 0]]
        b = b * np.array([1, 1, 1, 1, 2, 1]) + np.array([0, 0, 0, 0, 0, b[1]])
    lower, upper = np.maximum(z0 - rng.uniform(0.3, 2, n), -2), np.minimum(z0 + 1.5, 2)
    E = np.zeros((0, n))
    if seed % 4 == 1:  # a free variable that follows from the others
        E = rng.normal(size=(1, n))
        E[0, -1], lower[-1], upper[-1] = 1.0, -np.inf, np.inf
    M = rng.normal(size=(n, n)) * (rng.random(n) < 0.7)
    square = {1: rng.uniform(0, 1, n) * (rng.random(n) < 0.6), 2: M @ M.T}.get(seed % 5)
    terms = (term(KINDS[seed % 7], rng, n),) if seed % 5 == 4 else ()
    if terms and len(E):  # logarithms are of what stays positive while |z| <= 2
        lower[-1], upper[-1] = -2.0, 2.0
    private = list(range(k)) if seed % 6 else list(range(max(1, k - 1)))
    return Tame(
        rng.normal(size=n), np.zeros(n) if square is None else square, A, b, G, E, lower, upper,
        z0, terms, private,
    )  # fmt: skip


def _with_terms(one: Tame) -> Plain:
    """The model of a program with cost terms."""

    def kept(z: Any) -> list[Any]:
        g = one.E @ one.z0
        rows = [one.A @ z <= one.b[:, None], z >= one.lower[:, None], z <= one.upper[:, None]]
        return [*rows, one.E @ z == g[:, None]] if len(one.E) else rows

    def costs(z: Any) -> Any:
        return one.linear @ z + 0.5 + sum(term.plain(z) for term in one.terms)

    return Plain(len(one.linear), costs, kept)
