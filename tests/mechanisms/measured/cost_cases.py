"""The optimal cost over a region in plain CVXPY: its least value, and its values at the corners.

V is convex in the data, so over a polytope it is largest at a corner: both ends are known.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np

import privopt as po
from privopt.arrays import Dense, Vector
from privopt.solving.robust.region import Region

_FLAT = 1e-9


@dataclass(frozen=True)
class Plain:
    """A program in CVXPY over columns of its variables: costs, one for each, and what they keep."""

    n: int
    costs: Callable[[Any], Any]
    kept: Callable[[Any], list[Any]]

    @classmethod
    def of(cls, program: po.ConvexProgram) -> Plain:
        """Of a program with linear rows and a linear or quadratic cost."""
        values, vectors = np.linalg.eigh(program.quadratic.toarray())
        half = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
        A, b, E, g = program.A.toarray(), program.b, program.E.toarray(), program.g
        low, high = np.isfinite(program.lower), np.isfinite(program.upper)

        def costs(z: Any) -> Any:
            found = program.constant + program.linear @ z
            return found + cp.sum(cp.square(half @ z), axis=0) if half.any() else found

        def kept(z: Any) -> list[Any]:
            rows = [A @ z <= b[:, None]] if len(b) else []
            rows += [E @ z == g[:, None]] if len(g) else []
            rows += [z[low] >= program.lower[low][:, None]] if low.any() else []
            return rows + ([z[high] <= program.upper[high][:, None]] if high.any() else [])

        return cls(program.n, costs, kept)

    def least(self, program: po.ConvexProgram, region: Region, **solver: Any) -> float:
        """The least cost over z and u together."""
        z, u = cp.Variable((self.n, 1)), cp.Variable(len(region.half))
        d = _selects(program) @ u + _public(program)
        off = u - region.middle
        rows = [program.G.toarray()[:, : self.n] @ z[:, 0] == d, cp.abs(off) <= region.half]
        if len(region.W):
            rows += [region.W @ off <= region.high, region.W @ off >= region.low]
        model = cp.Problem(cp.Minimize(cp.sum(self.costs(z))), [*rows, *self.kept(z)])
        return solved(model, **solver)

    def values(self, program: po.ConvexProgram, u: Dense, **solver: Any) -> Vector:
        """V at each row of u, all of them in one program."""
        z = cp.Variable((self.n, len(u)))
        d = (_selects(program) @ u.T).T + _public(program)
        rows = [program.G.toarray()[:, : self.n] @ z == d.T, *self.kept(z)]
        costs = self.costs(z)
        solved(cp.Problem(cp.Minimize(cp.sum(costs)), rows), **solver)
        return np.asarray(costs.value, dtype=float)


def _selects(program: po.ConvexProgram) -> Dense:
    return np.eye(program.G.shape[0])[:, program.private]


def _public(program: po.ConvexProgram) -> Vector:
    """The public entries of d, zeros in the places of the private ones."""
    d = np.zeros(program.G.shape[0])
    public = np.setdiff1d(np.arange(len(d)), program.private)
    if len(public):
        d[public] = program.d[public]
    return d


def corners(region: Region) -> Dense:
    """The corners of a region: every choice of as many facets as there are entries that move."""
    moving = np.flatnonzero(region.half > 0)
    q = len(moving)
    if not q:
        return region.middle[None].copy()
    half, W = region.half[moving], region.W[:, moving]
    normals = np.vstack([np.eye(q), -np.eye(q), W, -W])
    limits = np.concatenate([half, half, region.high, -region.low])
    chosen = np.array(list(itertools.combinations(range(len(limits)), q)))
    with np.errstate(invalid="ignore"):
        regular = np.abs(np.linalg.det(normals[chosen] * half)) > _FLAT * np.prod(half)
    chosen = chosen[regular]
    points = np.linalg.solve(normals[chosen], limits[chosen][..., None])[..., 0]
    sizes = np.abs(normals) @ half
    inside = (points @ normals.T <= limits + _FLAT * sizes).all(axis=1)
    found = np.unique(np.round(points[inside] / half, 9), axis=0) * half
    whole = np.tile(region.middle, (len(found), 1))
    whole[:, moving] += found
    return whole


def solved(model: Any, **solver: Any) -> float:
    """The optimal value; of what the solver calls inaccurate, too."""
    # CVXPY multiplies zeros with the bounds of variables that have none.
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.simplefilter("ignore", UserWarning)
        return float(model.solve(**(solver or {"solver": cp.CLARABEL})))
