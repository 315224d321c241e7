"""The certificate of a decision: a solution for every u of a region, and what bounds its rows.

    z(u) = z0 + K (u - middle),     A_i z(u) <= b_i for every u, by the multipliers m_i of the slabs

It is found by solvers and holds by arithmetic: `solving.robust.checking` looks at it in exact
fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.arrays import Dense, Sparse, Vector
from privopt.model.matrix_file import matrix, read_matrix
from privopt.model.program import ConvexProgram
from privopt.plain import floats, listed, number
from privopt.solving.limits import limits_of
from privopt.solving.robust.region import Region

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
        The solution at the middle of the region, and how it follows u.
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
    K: Dense
    m: Dense
    polygons: tuple[Dense, ...] = ()
    gap: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        region = self.region
        return {
            "middle": region.middle.tolist(),
            "half": region.half.tolist(),
            "slabs": region.W.tolist(),
            "low": region.low.tolist(),
            "high": region.high.tolist(),
            "target": self.target.tolist(),
            "follows": matrix(self.F),
            "solution": self.z0.tolist(),
            "gain": self.K.tolist(),
            "multipliers": self.m.tolist(),
            **({"polygons": [N.tolist() for N in self.polygons]} if self.polygons else {}),
            **({"gap": self.gap} if self.gap else {}),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any], program: ConvexProgram, S: Sparse) -> Certificate:
        """What `to_dict` wrote; ValueError if it does not fit the program and the query S."""
        q, r = len(program.private), len(listed(data["low"]))
        region = Region(
            floats(data["middle"], q),
            floats(data["half"], q),
            table(data["slabs"], r, q),
            floats(data["low"], r),
            floats(data["high"], r),
        )
        size = len(program.equalities)
        polygons = tuple(
            floats(one, len(listed(one)), 3) for one in listed(data.get("polygons", []))
        )
        limits = limits_of(program, S, polygons)
        if len(polygons) != len(limits.curved):
            raise ValueError
        kept, own, n = limits.kept, np.flatnonzero(~limits.pricing.rows), program.n
        rows = len(limits.program.rows)
        if len(listed(data["solution"])) == n and not limits.same and not len(program.cones):
            # Of a version that certified what only prices, too.
            z0, K = floats(data["solution"], n)[kept], floats(data["gain"], n, q)[kept]
            m = table(data["multipliers"], len(program.rows), r)[own]
        else:
            n = len(kept)
            z0, K = floats(data["solution"], n), floats(data["gain"], n, q)
            m = table(data["multipliers"], rows, r)
        return cls(
            region,
            floats(data["target"], size),
            read_matrix(data["follows"], size, q),
            z0,
            K,
            m,
            polygons,
            number(data.get("gap", 0.0)),
        )

    def of(self, program: ConvexProgram) -> bool:
        """Whether it speaks of the data of this program: G z = d with the private entries u.

        Public entries of d are what the certificate says: they are not part of a decision. One over
        an empty region proves nothing: there every bound falls without end.
        """
        private, size = program.private, program.G.shape[0]
        F = self.F.toarray()
        return (
            np.array_equal(self.target[private], self.region.middle)
            and np.array_equal(F[private], np.eye(len(private)))
            and np.array_equal(self.target[size:], program.equalities.bound[size:])
            and not F[size:].any()
            and not self.region.empty
        )


def table(data: object, rows: int, columns: int) -> Dense:
    """A matrix from plain data, which cannot say how wide one without rows or columns is."""
    if rows and columns:
        return floats(data, rows, columns)
    if data != [[]] * rows:
        raise ValueError
    return np.zeros((rows, columns))
