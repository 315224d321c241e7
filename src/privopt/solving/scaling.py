"""Scaling: units must not matter.

Variables z = E y, rows divided by their size. E comes from the rows of [A; G] with more than one
entry (a bound can always be scaled by itself): factors that make the logarithms of their entries as
small as they get (`balanced`), whatever units they came in, times the size of the right-hand sides.
Where a first solution shows that some variables are far smaller than that (`refined`), E is their
own size (but not of free ones, such as angles, whose values depend on where zero is), and limits
that lie far beyond are brought nearer. The solver then sees numbers around one, and its tolerances
mean the same whether the data came in watts or gigawatts.

The cost is divided by its size at the solution, sum |c_j z_j| + |z|'|C2||z|, not by the largest
price: a shortage at a price of 1e8 that nobody pays must not cost the others their digits. For the
same reason a variable is no larger than what would cost as much as the whole solution: E_j is at
most cost / |c_j|.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from privopt.arrays import Sparse, Vector
from privopt.solving.cone_rows import ConeRows
from privopt.solving.equilibration import largest_of_rows, scaled
from privopt.solving.program import Program
from privopt.solving.projector import Projector
from privopt.solving.sparse import absolute, taken

FAR = 1e3  # a limit beyond this many sizes is far away
NOTHING = 1e-9  # an equality that moves less than this part of its scale is at rest
SMALL = 1e-3  # a variable below this part of its scale is badly scaled
LEAST = 1e-3  # of what the cheapest variable costs at its size: a cost below it is none
EXPENSIVE = 10.0  # a variable whose size costs more than so many solutions is badly scaled,
CHEAP = 0.05  # and so is a cost below this
TOLERANCE = 1e-8  # a row exceeded by less than this part of its size is kept, up to rounding


@dataclass(frozen=True, repr=False)
class Scaling:
    """Sizes E of the variables, factors of the rows, and the factor of the cost."""

    columns: Vector
    row_factors: Vector
    equality_factors: Vector
    kappa: float
    own: bool = False  # not a multiple of the program's equilibration

    @classmethod
    def of(cls, program: Program, target: Vector, noise: float = 0.0) -> Scaling:
        """Scaling of a program at a right-hand side; `noise` is the size of the noise."""
        r, g, E = program.equilibration
        bounds = np.abs(r * program.rows.bound)
        data = float(np.abs(g * target).max(initial=0.0))
        limit = float(np.median(bounds[bounds > 0])) if (bounds > 0).any() else 0.0
        rho = max(data or limit, noise / float(np.median(E))) or 1.0
        sizes = _apart(program, np.abs(target))
        return cls._at(program, np.where(sizes > 0, sizes, rho) * E)

    @classmethod
    def _at(cls, program: Program, columns: Vector, cost: float | None = None) -> Scaling:
        """Scaling with given sizes of the variables, and of the cost (of its largest part)."""
        row = largest_of_rows(program.rows.matrix, columns)
        equality = largest_of_rows(program.equalities.matrix, columns)
        linear = np.abs(columns * program.linear).max(initial=0.0)
        quadratic = np.abs(scaled(program.quadratic, columns, columns).data).max(initial=0.0)
        kappa = 1.0 / (cost or max(linear, quadratic) or 1.0)
        return cls(columns, 1 / row, 1 / equality, kappa)

    def refined(
        self,
        program: Program,
        target: Vector,
        z: Vector,
        more: float = 0.0,
        spread: Vector | float = 0.0,
    ) -> Scaling | None:
        """Scaling at the size of a solution, or None if this one suits it already.

        The size of a variable is its value or, where that is next to nothing beside what its
        equalities move and its bounds allow, the latter; and no less than its `spread` under the
        noise. `more` is what noise adds to the cost.
        """
        A, G = program.rows, program.equalities.matrix
        activity = np.maximum(np.abs(target), np.asarray(absolute(G) @ np.abs(z)))
        # A row at rest, such as a variable fixed at zero, tells nothing about sizes.
        activity[activity * self.equality_factors < NOTHING] = np.inf
        share = _share(G, activity)
        if not np.isfinite(share).all():
            # What no equality ties, limits of rows may; not what they move, which may be rounding.
            limit = np.where(np.diff(A.matrix.indptr) > 1, np.abs(A.bound), 0.0)
            limit[limit == 0] = np.inf
            share = np.where(np.isfinite(share), share, _share(A.matrix, limit))
        reach = np.abs(program.box).max(axis=0)
        reach[reach == 0] = np.inf
        room = np.minimum(share, np.minimum(self.columns, reach))
        size = np.maximum(np.where(np.abs(z) > SMALL * room, np.abs(z), room), spread)
        cost, most = _affordable(program, worth(program, z) + more, size)
        # Of what has no bound and no cost, such as an angle, any point may be zero: its value says
        # little of its size, and neighbours must not be torn apart. So its first size is changed by
        # the mean factor of all that rows tie it to.
        free, groups = np.isinf(reach) & np.isinf(most), program.groups
        change = np.bincount(groups, np.log(size / self.columns)) / np.bincount(groups)
        size[free] = (self.columns * np.exp(change)[groups])[free]
        suits = (size > SMALL * self.columns) & (size < self.columns / SMALL)
        suits &= self.columns <= EXPENSIVE * most
        paid = self.kappa * cost
        if suits.all() and (cost == 0 or CHEAP <= paid <= 1 / SMALL):
            return None
        return replace(self._at(program, np.minimum(size, most), cost), own=True)

    def differs(self, other: Scaling) -> bool:
        """Whether the cost is of another size there."""
        return not CHEAP <= self.kappa / other.kappa <= 1 / SMALL

    def projector(self, program: Program) -> Projector:
        """Points on `independent` in these units; one for all units that differ by a factor."""
        if self.own:
            return Projector(self.independent(program))
        return program.projector

    def rows(self, A: Sparse) -> Sparse:
        """Inequality rows in scaled variables."""
        return scaled(A, self.columns, self.row_factors)

    def bounds(self, b: Vector) -> Vector:
        """Right-hand sides of the inequality rows."""
        return self.row_factors * b

    def equalities(self, G: Sparse) -> Sparse:
        """Equality rows in scaled variables."""
        return scaled(G, self.columns, self.equality_factors)

    def independent(self, program: Program) -> Sparse:
        """The equalities from which the others follow, in scaled variables."""
        every = self.equalities(program.equalities.matrix)
        rows = program.independent
        return every if len(rows) == every.shape[0] else taken(every, rows)

    def cones(self, cones: ConeRows) -> tuple[Sparse, Vector]:
        """Cone rows in scaled variables, and what is added to them: one factor for each cone."""
        factors = self.cone_factors(cones)
        return scaled(cones.matrix, self.columns, factors), factors * cones.offset

    def cone_sizes(self, cones: ConeRows) -> Vector:
        """Size of the variables of each cone, in its rows; zero of a cone without variables."""
        return _cone_sizes(cones, self.columns)

    def cone_factors(self, cones: ConeRows) -> Vector:
        """What cone rows are multiplied by: three times the same number for each cone."""
        return np.repeat(_cone_factors(cones, self.columns), 3)

    def targets(self, d: Vector) -> Vector:
        """Right-hand sides of the equality rows."""
        return self.equality_factors * d

    def query_factors(self, S: Sparse) -> Vector:
        """What the rows of a query are multiplied by."""
        return 1 / largest_of_rows(S, self.columns)

    def linear(self, c1: Vector) -> Vector:
        """Linear cost."""
        return self.kappa * self.columns * c1

    def quadratic(self, C2: Sparse) -> Sparse:
        """Quadratic cost."""
        return scaled(C2, self.columns, self.kappa * self.columns)

    def cost_map(self, L: Sparse) -> Sparse:
        """A linear map of the recourse whose size is measured in units of cost."""
        return self.kappa * scaled(L, self.columns)

    def variables(self, y: Any) -> Any:  # noqa: ANN401 -- vector or matrix, the same back
        """Back to the user's units: z = E y (for each column of a matrix)."""
        return (self.columns * y.T).T


def _cone_sizes(cones: ConeRows, columns: Vector) -> Vector:
    """Size of the variables of each cone, in its rows; zero of a cone without variables."""
    sizes = largest_of_rows(cones.matrix, columns).reshape(-1, 3)
    empty = (np.diff(cones.matrix.indptr) == 0).reshape(-1, 3)
    return np.where(empty, 0.0, sizes).max(axis=1, initial=0.0)


def _cone_factors(cones: ConeRows, columns: Vector) -> Vector:
    """What cone rows are multiplied by in scaled variables."""
    sizes = _cone_sizes(cones, columns)
    return 1 / np.where(sizes > 0, sizes, 1.0)


def worth(program: Program, z: Vector) -> float:
    """Sum |c_j z_j| + |z|'|C2||z|: what errors of the cost are measured by."""
    size = np.abs(z)
    return float(np.abs(program.linear) @ size + size @ (absolute(program.quadratic) @ size))


def _affordable(program: Program, cost: float, size: Vector) -> tuple[float, Vector]:
    """The size of the cost, and of each variable at that cost alone.

    A cost next to nothing is a part of that of the cheapest variable at its size.
    """
    linear, curve = np.abs(program.linear), np.abs(program.quadratic.diagonal())
    alone = linear * size + curve * np.square(size)
    cost = max(cost, LEAST * float(alone[alone > 0].min(initial=np.inf)))
    if not np.isfinite(cost):  # nothing costs anything
        return 0.0, np.full(len(size), np.inf)
    with np.errstate(divide="ignore"):
        return cost, np.minimum(cost / linear, np.sqrt(cost / curve))


def levels(b: Vector) -> list[Vector]:
    """Scaled limits with the far ones brought nearer, step by step out to where they are.

    A limit that does not bind at the solution could be anywhere beyond; a huge one only spoils the
    solver's idea of accuracy.
    """
    steps = [FAR, FAR**2, np.inf]
    return [np.minimum(b, step) for step in steps if (b > step).any() or step == np.inf]


def binds(level: Vector, b: Vector, activity: Vector) -> bool:
    """Whether a limit that was brought nearer is in the way."""
    return bool((level - activity < 0.5 * level)[level < b].any())


def row_sizes(A: Sparse, b: Vector, z: Vector, spread: Vector, scaling: Scaling) -> Vector:
    """Size of each row at a solution: |b_i| + |A_i| |z| + |A_i| spread, and that of its variables.

    `spread` is the deviation of each variable.
    """
    size = np.abs(b) + np.asarray(absolute(A) @ (np.abs(z) + spread))
    return np.maximum(size, largest_of_rows(A, scaling.columns))


def _apart(program: Program, target: Vector) -> Vector:
    """Sizes of variables that no row ties to any part of d but zeros, in units of their own.

    The smallest limit of those tied to each other tells, if it is not nothing beside the largest
    (rounding, then); zero where there is none, and for others.
    """
    r, _, E = program.equilibration
    group = program.groups
    count = int(group.max()) + 1
    if count == 1:
        return np.zeros(program.n)
    A, G = program.rows.matrix, program.equalities.matrix
    tied = np.zeros(count, dtype=bool)
    nonzero = np.repeat(target, np.diff(G.indptr)) > 0
    tied[group[G.indices[nonzero]]] = True
    bound = np.abs(r * program.rows.bound)
    own, whose = np.repeat(bound, np.diff(A.indptr)), group[A.indices]
    if len(program.cones):
        offset = np.abs(program.cones.offset).reshape(-1, 3).max(axis=1)
        blocks = program.cones.blocks
        curved = np.repeat(_cone_factors(program.cones, E) * offset, np.diff(blocks.indptr))
        own, whose = np.concatenate([own, curved]), np.concatenate([whose, group[blocks.indices]])
    least, most = np.full(count, np.inf), np.zeros(count)
    np.maximum.at(most, whose, own)
    told = own > NOTHING * most[whose]
    np.minimum.at(least, whose[told], own[told])
    return np.where(tied | ~np.isfinite(least), 0.0, least)[group]


def _share(M: Sparse, activity: Vector) -> Vector:
    """For each column: the smallest activity_i / |M_ij| over its rows; infinite if it has none."""
    result = np.full(M.shape[1], np.inf)
    np.minimum.at(result, M.indices, np.repeat(activity, np.diff(M.indptr)) / np.abs(M.data))
    return result
