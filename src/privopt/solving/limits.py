"""What a solution must keep, in linear rows: the program without what only prices, cones inscribed.

    A z <= b,   domain rows,   -N_k C_k z <= N_k e_k          for every cone row k that is a limit

z are all variables but those auxiliary ones that only price (`pricing`), and { s : N_k s >= 0 }
lies inside the cone K_k (`polygons`). Every z that keeps these rows can be completed to a feasible
point of the program, by some heights of the epigraphs. So margins and certificates, which know
linear rows, hold for the curved program.

A program without curved limits and without variables that only price is its own `Limits`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.foreign import some
from privopt.solving.cone_rows import ConeRows
from privopt.solving.directions import Positions
from privopt.solving.equilibration import largest_of_rows
from privopt.solving.polygons import facets, proves, rays, refined
from privopt.solving.pricing import Pricing
from privopt.solving.program import Program, Rows
from privopt.solving.sparse import absolute, stacked

_UNIT = 2.0**-52  # twice what one operation on floats can be wrong by, relatively
_PRODUCTS = 16  # more than there are operations in three products and their sum
_SUMS = 4  # and in a sum of two that is made a little less

__all__ = ["Limits", "inscribed_rows", "limits_of"]


@dataclass(frozen=True, eq=False, repr=False)
class Limits:
    """The limits of a program as rows.

    Attributes
    ----------
    whole
        The program itself.
    pricing
        What of it only prices.
    polygons
        Facets N for each cone row that is a limit; none for a program of rows.
    around
        The rays that these were made of; none if that is not known.
    """

    whole: Program
    pricing: Pricing
    polygons: tuple[Dense, ...] = ()
    around: tuple[Dense, ...] = ()

    @classmethod
    def of(cls, program: Program, S: Sparse, solutions: Dense | None = None) -> Limits:
        """The limits of a program whose values S z are released; finer near some solutions."""
        pricing = Pricing.of(program, _held(program, S))
        curved = program.cones.taken(np.flatnonzero(~pricing.cones))
        points = None if solutions is None else curved.values(solutions)
        around = tuple(
            rays(cone, None if points is None else points[:, k])
            for k, cone in enumerate(curved.cones)
        )
        return cls._of_rays(program, pricing, curved, around)

    @classmethod
    def _of_rays(
        cls, program: Program, pricing: Pricing, curved: ConeRows, around: tuple[Dense, ...]
    ) -> Limits:
        pairs = zip(curved.cones, around, strict=True)
        return cls(program, pricing, tuple(facets(cone, rays) for cone, rays in pairs), around)

    @property
    def same(self) -> bool:
        """Whether the program has nothing but rows that are limits."""
        return self.pricing.nothing and not self.polygons

    @property
    def kept(self) -> Positions:
        """Positions of the variables that limits are about."""
        return self.pricing.limits

    @cached_property
    def equalities(self) -> Positions:
        """Positions of the equalities that are limits; the others say what a price is."""
        return np.flatnonzero(~self.pricing.equalities)

    @cached_property
    def curved(self) -> ConeRows:
        """The cone rows that are limits."""
        return self.whole.cones.taken(np.flatnonzero(~self.pricing.cones))

    @cached_property
    def straight(self) -> Rows:
        """The limits that are rows, over all variables of the program."""
        own = self.whole.rows.taken(np.flatnonzero(~self.pricing.rows))
        domain = self.pricing.domain
        if not len(domain):
            return own
        return Rows(
            stacked(own.matrix, domain.matrix),
            np.concatenate([own.bound, domain.bound]),
            own.names + domain.names,
        )

    @property
    def proven(self) -> bool:
        """Whether every polygon lies inside its cone, in exact fractions."""
        pairs = zip(self.curved.cones, self.polygons, strict=True)
        return all(proves(cone, N) for cone, N in pairs)

    @property
    def count(self) -> int:
        """How many limits there are: rows, and curved ones."""
        return int((self.owner < 0).sum()) + len(self.curved)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is taken for true of the limits and is not, by rounding."""
        names = self.whole.contradictions
        if not names:
            return ()
        told = some(names, count=True)
        return (f"rows that repeat others, up to rounding, say the same as these: {told}",)

    def rounding(self, reach: Vector) -> Vector:
        """How far floats may have moved each row, at solutions z with |z| <= `reach`.

        The rows of polygons are products N C, rounded, and rows of domains are sums of two rows;
        all others are as the program has them.
        """
        rows = self.program.rows
        size = np.asarray(absolute(rows.matrix) @ reach) + np.abs(rows.bound)
        first = int((~self.pricing.rows).sum())
        domain = np.arange(len(rows)) - first
        domain = (domain >= 0) & (domain < len(self.pricing.domain))
        wrong = np.where(domain, _UNIT * _SUMS * size, 0.0)
        if self.polygons:
            N = _diagonal([np.abs(one) for one in self.polygons])
            points = np.asarray(absolute(self.curved.matrix)[:, self.kept] @ reach)
            size = np.asarray(N @ (points + np.abs(self.curved.offset)))
            wrong[self.owner >= 0] = _UNIT * _PRODUCTS * size
        return wrong

    @cached_property
    def owner(self) -> Positions:
        """For each row of `program`, the cone row it belongs to; -1 for a row of its own."""
        straight = int((~self.pricing.rows).sum()) + len(self.pricing.domain)
        own = np.repeat(np.arange(len(self.polygons)), [len(N) for N in self.polygons])
        return np.concatenate([np.full(straight, -1), own]).astype(np.intp)

    @cached_property
    def program(self) -> Program:
        """The program of these rows, over the variables `kept`; the program itself if it is one."""
        if self.same:
            return self.whole
        whole, kept, straight = self.whole, self.kept, self.straight
        inscribed, limit, names = inscribed_rows(self.curved, self.polygons)
        rows = stacked(straight.matrix, inscribed)
        bound, labels = np.concatenate([straight.bound, limit]), straight.names + names
        program = Program()
        program.linear, program.names = whole.linear[kept], tuple(whole.names[int(j)] for j in kept)
        program.quadratic = sp.csr_array(whole.quadratic[kept][:, kept])
        program.lower, program.upper = whole.lower[kept], whole.upper[kept]
        program.A, program.b, program.row_names = _columns(rows, kept), bound, labels
        program.G, program.data_names = _columns(whole.G, kept), whole.data_names
        program.E, program.g = _columns(whole.E, kept), whole.g
        program.equality_names = whole.equality_names
        program.auxiliary = np.flatnonzero(np.isin(kept, whole.auxiliary))
        program.cones = ConeRows.none(len(kept))
        program.__dict__["_d"] = whole.__dict__.get("_d")
        # The rows as they are here: bounds are among them, and ties have been found.
        program.__dict__["rows"] = Rows(program.A, bound, labels, owner=self.owner)
        own = whole.equalities.taken(self.equalities)
        program.__dict__["equalities"] = replace(own, matrix=_columns(own.matrix, kept))
        _, equality, columns = whole.equilibration
        row = 1 / largest_of_rows(program.A, columns[kept])
        program.__dict__["equilibration"] = row, equality[self.equalities], columns[kept]
        return program

    def finer(self, tight: Positions) -> Limits:
        """The same with more facets beside those that are tight: positions of rows of `program`."""
        first, around = int((self.owner < 0).sum()), list(self.around)
        for k, N in enumerate(self.polygons):
            mask = np.isin(first + np.arange(len(N)), tight)
            around[k] = refined(self.curved.cones[k], around[k], mask)
            first += len(N)
        return self._of_rays(self.whole, self.pricing, self.curved, tuple(around))


def limits_of(program: Program, S: Sparse, polygons: tuple[Dense, ...]) -> Limits:
    """The limits with given polygons; whether these are inside their cones, `proven` tells."""
    return Limits(program, Pricing.of(program, _held(program, S)), polygons)


def _held(program: Program, S: Sparse) -> Positions:
    """The variables that count as they are: the user's own, and those that are released."""
    held = np.ones(program.n, dtype=bool)
    held[program.auxiliary] = False
    held[S.indices] = True
    return np.flatnonzero(held)


def inscribed_rows(
    curved: ConeRows, polygons: tuple[Dense, ...]
) -> tuple[Sparse, Vector, tuple[str, ...]]:
    """The rows -N (C z) <= N e of polygons inside cone rows, their limits and names."""
    if not polygons:
        return sp.csr_array((0, curved.matrix.shape[1]), dtype=float), np.zeros(0), ()
    N = _diagonal(polygons)
    rows: Any = sp.csr_array(-(N @ curved.matrix))
    names = tuple(
        f"{name}/{i}"
        for name, own in zip(curved.names, polygons, strict=True)
        for i in range(len(own))
    )
    return rows, np.asarray(N @ curved.offset), names


def _diagonal(polygons: Sequence[Dense]) -> Any:  # noqa: ANN401 -- a sparse matrix
    """The facets of all, each over the three rows of its own cone."""
    return sp.csr_array(sp.block_diag(polygons))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _columns(M: Sparse, kept: Positions) -> Sparse:
    return M if len(kept) == M.shape[1] else sp.csr_array(M[:, kept])
