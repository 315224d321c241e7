"""Certificates of one program and query over any region: what no region changes is found once.

    G z0 = d(middle),  G K = F,  S z0 = q,  S K = 0,   A (z0 + K (u - middle)) <= b for every u

The rows are those of `solving.limits`: what only prices needs no certificate, and curved limits
have polygons inside of them. The solver finds certificates in scaled units, of the program without
the variables that follow; here they are brought back to the user's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.mechanisms.measured.certificate import Certificate
from privopt.mechanisms.private_data import PrivateData
from privopt.solving.equilibration import largest_of_rows, scaled
from privopt.solving.limits import Limits
from privopt.solving.robust.certifying import Certifier, Warrant
from privopt.solving.robust.completing import Completing
from privopt.solving.robust.condensed import Condensed
from privopt.solving.robust.local import local_gain
from privopt.solving.robust.region import Region
from privopt.solving.scaling import Scaling
from privopt.solving.solver import Settings

__all__ = ["Certifying"]

_NOTHING = 1e-13  # of a variable in scaled units: a smaller value is made zero
_TIGHT = 1e-5  # of the size of a row: what a facet leaves free that is in the way


@dataclass(frozen=True, eq=False, repr=False)
class Certifying:
    """The limits of a program, a query, and units that suit both.

    Attributes
    ----------
    limits, S
        The limits, and the query over all variables of the program.
    scaling, factors
        Units of the program, and what released values are multiplied by in them.
    data, near
        The private data, and a solution: where templates begin.
    """

    limits: Limits
    S: Sparse
    scaling: Scaling
    factors: Vector
    data: PrivateData
    near: Vector
    settings: Settings

    @cached_property
    def units(self) -> Scaling:
        """The units of the variables that limits are about."""
        if self.limits.same:
            return self.scaling
        columns = self.scaling.columns[self.limits.kept]
        rows = 1 / largest_of_rows(self.limits.program.rows.matrix, columns)
        factors = self.scaling.equality_factors[self.limits.equalities]
        return Scaling(columns, rows, factors, self.scaling.kappa, own=True)

    @cached_property
    def small(self) -> Condensed:
        """The limits without the variables that follow."""
        return Condensed(self.limits.program, self.units)

    @cached_property
    def own(self) -> Sparse:
        """The query over the variables that limits are about."""
        kept = self.limits.kept
        return self.S if len(kept) == self.S.shape[1] else sp.csr_array(self.S[:, kept])

    @cached_property
    def query(self) -> Sparse:
        """The same in scaled units."""
        return scaled(self.own, self.units.columns, self.factors)

    @cached_property
    def parts(self) -> Completing:
        """What the released values leave free."""
        return Completing(self.small, self.query)

    @cached_property
    def F(self) -> Dense:
        """How the scaled right-hand side follows the private data."""
        F = self.data.F[self.limits.equalities].toarray()
        return (self.units.equality_factors[:, None] * F)[self.limits.program.independent]

    def target(self, u: Vector) -> Vector:
        """Right-hand side of the equalities that are limits, at some private data."""
        return self.data.target(u)[self.limits.equalities]

    @cached_property
    def template(self) -> Dense:
        """A gain K to begin with, condensed: any K will do for a certificate."""
        return local_gain(self.parts, self.F)

    def certifier(self, region: Region) -> Certifier:
        """What certifies values over a region."""
        target = self.small.targets(self.target(region.middle))
        return Certifier(self.small, self.query, region, target, self.F, self.template, self.parts)

    def certificate(self, region: Region, warrant: Warrant) -> Certificate:
        """A certificate in the units of the program."""
        small, columns, program = self.small, self.units.columns, self.limits.program
        target, own = self.data.target(region.middle), self.limits.equalities
        t = small.targets(target[own])
        z0 = columns * _cleaned(small.lift(warrant.x[None], t[None])[0], np.ones(1))
        lifted = small.lift(warrant.K.T, self.F.T).T
        K = columns[:, None] * _cleaned(lifted, region.half)
        fixed = program.fixed  # often at zero, beside which nothing is small
        z0[fixed], K[fixed] = program.lower[fixed], 0.0
        rows = program.rows
        _, m = region.support(np.asarray(rows.matrix @ K))
        polygons = self.limits.polygons
        return Certificate(region, target, self.data.F, z0, K, m, polygons)

    def tight(self, certificate: Certificate) -> NDArray[np.intp]:
        """The facets of curved limits that are in the way."""
        rows, region = self.limits.program.rows, certificate.region
        slopes = np.asarray(rows.matrix @ certificate.K)
        worst = np.asarray(rows.matrix @ certificate.z0) + region.bound(slopes, certificate.m)
        free = self.units.row_factors * (rows.bound - worst) / self.small.sizes
        return np.flatnonzero((free <= _TIGHT) & (self.limits.owner >= 0))

    def finer(self, tight: NDArray[np.intp]) -> Certifying:
        """The same with finer polygons beside some facets."""
        return Certifying(
            self.limits.finer(tight), self.S, self.scaling, self.factors, self.data, self.near,
            self.settings,
        )  # fmt: skip


def _cleaned(scaled: Dense, moves: Vector) -> Dense:
    """Without what is rounding: a fixed variable is fixed, a value that K keeps is kept exactly."""
    return np.where(np.abs(scaled) * np.where(moves > 0, moves, 1.0) <= _NOTHING, 0.0, scaled)
