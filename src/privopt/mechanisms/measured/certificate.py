"""The certificate of a decision: a solution for every u of a region, and what bounds its rows.

    z(u) = z0 + K (u - middle),     A_i z(u) <= b_i for every u, by the multipliers m_i of the slabs

It is found by solvers and holds by arithmetic: `solving.robust.checking` looks at it in exact
fractions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.model.matrix_file import matrix, read_matrix
from privopt.model.program import ConvexProgram
from privopt.plain import floats, listed, number
from privopt.solving.limits import Limits, limits_of
from privopt.solving.robust.checking import Checked, Equalities, check, powers
from privopt.solving.robust.region import Region
from privopt.solving.sparse import stacked

__all__ = ["Certificate", "table"]


@dataclass(frozen=True, repr=False, eq=False)
class Certificate:
    """Why every u of a region can be completed: a solution z0 + K (u - middle) for each.

    Attributes
    ----------
    region
        Where u can lie.
    target, F
        Right-hand side of the equalities at the middle of the region, and how it follows u.
    z0, K
        The solution at the middle of the region, and how it follows u; a sparse K over a horizon.
    m
        For each row of the limits, multipliers of the slabs that bound what K adds to it.
    polygons
        For each curved limit, facets N of a polyhedral cone inside of its cone: the limits hold
        N (C z + e) >= 0 (`solving.limits`).
    gap
        What finer polygons could save at most, as a fraction of the mean optimal cost.
    """

    region: Region
    target: Vector
    F: Sparse
    z0: Vector
    K: Dense | Sparse
    m: Dense
    polygons: tuple[Dense, ...] = ()
    gap: float = 0.0

    @property
    def dense(self) -> Dense:
        """K with all its zeros."""
        return self.K if isinstance(self.K, np.ndarray) else self.K.toarray()

    @property
    def moved(self) -> Vector:
        """How far each variable can be from z0: |K| half."""
        return np.asarray(abs(self.K) @ self.region.half)

    def solutions(self, u: Dense) -> Dense:
        """The solution at each row u."""
        return self.z0 + np.asarray(self.K @ (u - self.region.middle).T).T

    def check(self, limits: Limits, S: Sparse, values: Vector) -> Checked:
        """Prove every limit and equality, released values among them, without a solver.

        Polygons are looked at first: rows of one that is not inside its cone prove nothing.
        """
        if not limits.proven:
            return Checked(np.inf, np.inf)
        program, own = limits.program, limits.equalities
        query = sp.csr_array(S[:, limits.kept])
        still = sp.csr_array((len(values), self.F.shape[1]))
        equalities = Equalities(
            stacked(program.equalities.matrix, query),
            np.concatenate([self.target[own], values]),
            stacked(sp.csr_array(sp.csr_array(self.F)[own]), still),
            powers(program.equilibration[2]),
        )
        rows = program.rows
        return check(
            rows.matrix, rows.bound, equalities, self.z0, sp.csr_array(self.K), self.m, self.region,
            limits.rounding,
        )  # fmt: skip

    def without_prices(self, limits: Limits) -> Certificate:
        """One over all variables and rows of a program, without those that only price."""
        own = np.flatnonzero(~limits.pricing.rows)
        kept = limits.kept
        return replace(self, z0=self.z0[kept], K=self.K[kept], m=self.m[own])

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        region = self.region
        return {
            "middle": region.middle.tolist(),
            "half": region.half.tolist(),
            "slabs": region.W.tolist(),
            "low": region.low.tolist(),
            "high": region.high.tolist(),
            "solution": self.z0.tolist(),
            "gain": self.K.tolist() if isinstance(self.K, np.ndarray) else matrix(self.K),
            "multipliers": self.m.tolist(),
            **({"polygons": [N.tolist() for N in self.polygons]} if self.polygons else {}),
            **({"gap": self.gap} if self.gap else {}),
        }

    @classmethod
    def from_dict(
        cls, data: dict[str, Any], program: ConvexProgram, S: Sparse, start: Vector, F: Sparse
    ) -> Certificate:
        """What `to_dict` wrote; ValueError if it does not fit the program and the query S.

        How the equalities follow the private entries, start + F u, is no word of the file.
        """
        q, r = len(program.private), len(listed(data["low"]))
        region = Region(
            floats(data["middle"], q),
            floats(data["half"], q),
            table(data["slabs"], r, q),
            floats(data["low"], r),
            floats(data["high"], r),
        )
        polygons = tuple(
            floats(one, len(listed(one)), 3) for one in listed(data.get("polygons", []))
        )
        limits = limits_of(program, S, polygons)
        if len(polygons) != len(limits.curved):
            raise ValueError
        n, rows = len(limits.kept), len(limits.program.rows)
        return cls(
            region,
            start + np.asarray(F @ region.middle),
            F,
            floats(data["solution"], n),
            _gain(data["gain"], n, q),
            table(data["multipliers"], rows, r),
            polygons,
            number(data.get("gap", 0.0)),
        )

    def fits(self, limits: Limits) -> bool:
        """Whether it has as many numbers as there are limits, variables and private entries."""
        if len(self.polygons) != len(limits.curved):
            return False
        n, rows = len(limits.kept), len(limits.program.rows)
        q, r = len(self.region.half), len(self.region.W)
        shapes = self.z0.shape, self.K.shape, self.m.shape
        return shapes == ((n,), (n, q), (rows, r))

    def about(self, start: Vector, F: Sparse) -> bool:
        """Whether its equalities are those of these data: start + F u at every u of its region."""
        target = start + np.asarray(F @ self.region.middle)
        return np.array_equal(self.target, target) and not abs(self.F - F).sum()


def _gain(data: Any, n: int, q: int) -> Dense | Sparse:  # noqa: ANN401 -- what a file holds
    """A gain as rows of numbers, or as a sparse matrix."""
    if isinstance(data, dict):
        return read_matrix(cast("dict[str, Any]", data), n, q)
    return floats(data, n, q)


def table(data: object, rows: int, columns: int) -> Dense:
    """A matrix from plain data, which cannot say how wide one without rows or columns is."""
    if rows and columns:
        return floats(data, rows, columns)
    if data != [[]] * rows:
        raise ValueError
    return np.zeros((rows, columns))
