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
    """A cost term, and the same of columns of CVXPY variables: one value for each."""

    term: Any
    plain: Callable[[Any], Any]


def term(kind: str, rng: np.random.Generator, n: int, rows: int = 2) -> Term:
    """A random term; logarithms are of what stays positive while |z| <= 2."""
    C, e, w = rng.normal(size=(rows, n)), rng.normal(size=rows), float(rng.uniform(0.3, 2))

    def x(z: Any, C: Dense = C, e: Vector = e) -> Any:
        return C @ z + np.outer(e, np.ones(z.shape[1]))

    def summed(value: Any) -> Any:
        return w * cp.sum(value, axis=0)

    if kind == "pieces":
        made = po.PiecewiseLinear(slopes=C, offsets=e, weight=w)
        return Term(made, lambda z: w * cp.max(x(z), axis=0))
    if kind == "one variable":
        s, o = np.sort(rng.normal(size=(3, 1)), axis=0), np.array([0.2, 0.0, -0.3])
        made = po.PiecewiseLinear(of=n - 1, slopes=s[:, 0], offsets=o, weight=w)
        return Term(made, lambda z: w * cp.max(x(z[[n - 1]], s, o), axis=0))
    if kind == "norm":
        return Term(po.Norm(C=C, e=e, weight=w), lambda z: w * cp.norm(x(z), axis=0))
    if kind == "power":
        p = float(rng.choice([1.3, 2.0, 3.0, 4.5]))
        made = po.Power(C=C, e=e, power=p, weight=w)
        return Term(made, lambda z: summed(cp.power(cp.abs(x(z)), p)))
    C = C / np.abs(C).sum(axis=1, keepdims=True)
    if kind == "exp":
        made = po.Exponential(C=C, e=e, weight=w)
        return Term(made, lambda z: summed(cp.exp(x(z, C))))
    e = 2.2 + np.abs(e)
    if kind == "log":
        return Term(po.Logarithm(C=C, e=e, weight=w), lambda z: -summed(cp.log(x(z, C, e))))
    return Term(po.Entropy(C=C, e=e, weight=w), lambda z: -summed(cp.entr(x(z, C, e))))


@dataclass(frozen=True)
class Limit:
    """A norm limit, its numbers, and the same of columns of CVXPY variables."""

    term: Any
    C: Dense
    e: Vector
    f: Vector
    g: float

    def plain(self, z: Any) -> Any:
        inner = self.C @ z + np.outer(self.e, np.ones(z.shape[1]))
        return cp.norm(inner, axis=0) <= self.f @ z + self.g


def limit(
    rng: np.random.Generator, n: int, rows: int, around: Vector, f: bool = False,
    room: tuple[float, float] = (0.05, 0.3),
) -> Limit:  # fmt: skip
    """||C z + e|| <= f'z + g, a little beyond a point that keeps it."""
    C, e = rng.normal(size=(rows, n)), rng.normal(size=rows)
    slope = 0.3 * rng.normal(size=n) if f else np.zeros(n)
    size = float(np.linalg.norm(C @ around + e))
    g = size + float(rng.uniform(*room)) * (1 + size) - float(slope @ around)
    return Limit(po.NormLimit(C=C, e=e, f=slope if f else None, g=g), C, e, slope, g)


@dataclass(frozen=True)
class Both:
    """A program, and its model in CVXPY over columns of the user's variables."""

    program: po.ConvexProgram
    costs: Callable[[Any], Any]
    kept: Callable[[Any], list[Any]]
    norms: tuple[Limit, ...]
    n: int
    G: Dense
    z0: Vector

    def cost(self, z: Any) -> Any:
        """The cost of one z."""
        return self.costs(cp.reshape(z, (self.n, 1), order="F"))

    def optimum(self, d: Vector, extra: Callable[[Any], list[Any]] = lambda _: []) -> float:
        """The least cost at d by CVXPY."""
        z: Any = cp.Variable((self.n, 1))
        rows = [self.G @ z == d[:, None], *self.kept(z), *extra(z[:, 0])]
        return solved(cp.Problem(cp.Minimize(cp.sum(self.costs(z))), rows))


def both(
    seed: int, kinds: tuple[str, ...], norms: tuple[int, ...] = (), n: int = 4, k: int = 2,
    room: tuple[float, float] = (0.05, 0.3), **more: Any,
) -> Both:  # fmt: skip
    """A program with some cost terms and norm limits around a known point."""
    rng = np.random.default_rng(seed)
    z0 = rng.uniform(-1, 1, n)
    G = rng.normal(size=(k, n))
    linear, square = 0.5 * rng.normal(size=n), rng.uniform(0, 0.5, n) * (seed % 2)
    terms = [term(kind, rng, n) for kind in kinds]
    limits = [limit(rng, n, rows, z0, i % 2 == 1, room) for i, rows in enumerate(norms)]
    program = po.ConvexProgram(
        linear=linear, quadratic=square, G=G, d=G @ z0, lower=-2.0, upper=2.0, constant=0.25,
        costs=[one.term for one in terms], cones=[one.term for one in limits], **more,
    )  # fmt: skip

    def costs(z: Any) -> Any:
        parts = [one.plain(z) for one in terms]
        return linear @ z + square @ cp.square(z) + 0.25 + sum(parts)

    def kept(z: Any) -> list[Any]:
        return [z >= -2, z <= 2, *(one.plain(z) for one in limits)]

    return Both(program, costs, kept, tuple(limits), n, G, z0)


def solved(model: Any) -> float:
    """The optimal value; of what the solver calls inaccurate, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return float(model.solve(solver=cp.CLARABEL))
