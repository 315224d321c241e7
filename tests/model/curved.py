"""Every cost term and norm limit, beside the same in plain CVXPY."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np

import privopt as po
from privopt.arrays import Dense, Vector

KINDS = ("pieces", "one variable", "norm", "power", "exp", "log", "entropy")


@dataclass(frozen=True)
class Term:
    """A cost term, and the same of a CVXPY expression of the variables."""

    term: Any
    plain: Callable[[Any], Any]


def term(kind: str, rng: np.random.Generator, n: int, rows: int = 2) -> Term:
    """A random term; logarithms are of what stays positive while |z| <= 2."""
    C, e, w = rng.normal(size=(rows, n)), rng.normal(size=rows), float(rng.uniform(0.3, 2))
    if kind == "pieces":
        return Term(
            po.PiecewiseLinear(slopes=C, offsets=e, weight=w), lambda z: w * cp.max(C @ z + e)
        )
    if kind == "one variable":
        s = np.sort(rng.normal(size=3))
        term = po.PiecewiseLinear(of=n - 1, slopes=s, offsets=[0.2, 0.0, -0.3], weight=w)
        return Term(term, lambda z: w * cp.max(s * z[n - 1] + np.array([0.2, 0.0, -0.3])))
    if kind == "norm":
        return Term(po.Norm(C=C, e=e, weight=w), lambda z: w * cp.norm(C @ z + e))
    if kind == "power":
        p = float(rng.choice([1.3, 2.0, 3.0, 4.5]))
        return Term(
            po.Power(C=C, e=e, power=p, weight=w),
            lambda z: w * cp.sum(cp.power(cp.abs(C @ z + e), p)),
        )
    C = C / np.abs(C).sum(axis=1, keepdims=True)
    if kind == "exp":
        return Term(po.Exponential(C=C, e=e, weight=w), lambda z: w * cp.sum(cp.exp(C @ z + e)))
    e = 2.2 + np.abs(e)
    if kind == "log":
        return Term(po.Logarithm(C=C, e=e, weight=w), lambda z: -w * cp.sum(cp.log(C @ z + e)))
    return Term(po.Entropy(C=C, e=e, weight=w), lambda z: -w * cp.sum(cp.entr(C @ z + e)))


def limit(rng: np.random.Generator, n: int, rows: int, around: Vector, f: bool = False) -> Term:
    """||C z + e|| <= f'z + g, a little beyond a point that keeps it."""
    C, e = rng.normal(size=(rows, n)), rng.normal(size=rows)
    slope = 0.3 * rng.normal(size=n) if f else np.zeros(n)
    size = float(np.linalg.norm(C @ around + e))
    g = size + float(rng.uniform(0.05, 0.3)) * (1 + size) - float(slope @ around)
    made = po.NormLimit(C=C, e=e, f=slope if f else None, g=g)
    return Term(made, lambda z: cp.norm(C @ z + e) <= slope @ z + g)


@dataclass(frozen=True)
class Both:
    """A program, and its model in CVXPY over the user's variables."""

    program: po.ConvexProgram
    cost: Callable[[Any], Any]
    limits: Callable[[Any], list[Any]]
    n: int
    G: Dense
    z0: Vector

    def optimum(self, d: Vector, extra: Callable[[Any], list[Any]] = lambda _: []) -> float:
        """The least cost at d by CVXPY."""
        z: Any = cp.Variable(self.n)
        rows = [self.G @ z == d, *self.limits(z), *extra(z)]
        return solved(cp.Problem(cp.Minimize(self.cost(z)), rows))


def both(
    seed: int, kinds: tuple[str, ...], norms: tuple[int, ...] = (), n: int = 4, k: int = 2,
    **more: Any,
) -> Both:  # fmt: skip
    """A program with some cost terms and norm limits around a known point."""
    rng = np.random.default_rng(seed)
    z0 = rng.uniform(-1, 1, n)
    G = rng.normal(size=(k, n))
    linear, square = 0.5 * rng.normal(size=n), rng.uniform(0, 0.5, n) * (seed % 2)
    terms = [term(kind, rng, n) for kind in kinds]
    limits = [limit(rng, n, rows, z0, f=i % 2 == 1) for i, rows in enumerate(norms)]
    program = po.ConvexProgram(
        linear=linear, quadratic=square, G=G, d=G @ z0, lower=-2.0, upper=2.0, constant=0.25,
        costs=[one.term for one in terms], cones=[one.term for one in limits], **more,
    )  # fmt: skip

    def cost(z: Any) -> Any:
        parts = [one.plain(z) for one in terms]
        return linear @ z + square @ cp.square(z) + 0.25 + sum(parts)

    def kept(z: Any) -> list[Any]:
        return [z >= -2, z <= 2, *(one.plain(z) for one in limits)]

    return Both(program, cost, kept, n, G, z0)


def solved(model: Any) -> float:
    """The optimal value; of what the solver calls inaccurate, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return float(model.solve(solver=cp.CLARABEL))
