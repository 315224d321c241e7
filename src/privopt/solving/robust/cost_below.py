"""No optimal cost in a region is smaller: one convex program over z and u, and its multipliers.

    minimise c(z)   subject to   A z <= b,   G z = t(u),   C z + e in K,   u in U

For multipliers l >= 0 of rows, n of equalities, y of cones (in their dual cones) and any tangents
a_k of the squares, every such z and u have

    c(z) >= c0 + c1'z + sum_k w_k (2 a_k g_k'z - a_k^2) + l'(A z - b) + n'(t(u) - G z) - y'(C z + e)
          = constant + r'z + n'F (u - middle)

`lower_end` evaluates the right-hand side in exact fractions. r is zero up to the tolerance of the
solver; what is left of it is bounded over a box that holds every solution of at most the cost that
the upper end allows (`enclosing`): dearer ones are no optimum. The part in u is a worst case over
the region.

Only independent equalities have multipliers: the others hold up to rounding, which a large one
would show. An equality that stands for two rows with room between them (`Program.slabs`) is used as
that row which the sign of its multiplier asks for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse, Vector
from privopt.solving.dual_cones import in_dual, into_dual
from privopt.solving.problem import Cone, ConicAnswer, ConicProblem, Outcome
from privopt.solving.program import Program
from privopt.solving.robust.checking import upwards
from privopt.solving.robust.enclosing import enclosed
from privopt.solving.robust.exact_sums import dot, transposed, worst_case
from privopt.solving.robust.region import Region
from privopt.solving.robust.squares import Squares
from privopt.solving.scaling import Scaling, binds, levels
from privopt.solving.solver import Settings, solve_conic
from privopt.solving.sparse import absolute

__all__ = ["Multipliers", "lower_end", "multipliers"]

_UNIT = 2.0**-52  # twice what one operation on floats can be wrong by, relatively


@dataclass(frozen=True, repr=False, eq=False)
class Multipliers:
    """What bounds the optimal cost from below.

    Attributes
    ----------
    rows, equalities, cones
        l, n and y (three for each cone row).
    tangents
        a, where each square is touched.
    slabs
        Of the region, for the part in u.
    """

    rows: Vector
    equalities: Vector
    cones: Vector
    tangents: Vector
    slabs: Vector

    @property
    def parts(self) -> tuple[Vector, ...]:
        """All of them."""
        return self.rows, self.equalities, self.cones, self.tangents, self.slabs


def multipliers(
    program: Program,
    squares: Squares,
    scaling: Scaling,
    target: Vector,
    F: Sparse,
    region: Region,
    settings: Settings,
) -> Multipliers | Outcome:
    """The multipliers of the least cost over the region, moved to where they prove something."""
    at, n = program.independent, program.n
    G, A = scaling.independent(program), scaling.rows(program.rows.matrix)
    C, e = scaling.cones(program.cones)
    factors = scaling.equality_factors[at]
    moving = np.flatnonzero(region.half > 0)
    follows = factors[:, None] * F.toarray()[at][:, moving] * region.half[moving]
    reach = np.abs(region.W) @ region.half
    reach = np.where(reach > 0, reach, 1.0)
    slabs = sp.csr_array(region.W[:, moving] * region.half[moving] / reach[:, None])
    unit, count = sp.eye_array(len(moving)), len(moving)
    t, b = factors * target[at], scaling.bounds(program.rows.bound)
    sides = np.concatenate([region.high / reach, -region.low / reach, np.ones(2 * count)])
    answer: ConicAnswer | None = None
    for level in levels(b):
        problem = ConicProblem(
            P=sp.csc_array(
                sp.block_diag(
                    [2 * scaling.quadratic(program.quadratic), sp.csc_array((count, count))]
                )
            ),
            q=np.concatenate([scaling.linear(program.linear), np.zeros(count)]),
            A=sp.block_array(
                [
                    [G, sp.csr_array(-follows)],
                    [A, None],
                    [None, slabs],
                    [None, -slabs],
                    [None, unit],
                    [None, -unit],
                    [-C, None],
                ],
                format="csc",
            ),
            b=np.concatenate([t, level, sides, e]),
            cones=(Cone.zero(len(t)), Cone.nonnegative(len(b) + len(sides)), *program.cones.cones),
        )
        answer = solve_conic(problem, settings)
        if answer.outcome is not Outcome.OPTIMAL:
            return answer.outcome
        if not binds(level, b, np.asarray(A @ answer.x[:n])):
            break
    if answer is None or answer.dual is None:
        return Outcome.STALLED
    return _unscaled(program, squares, scaling, F, region, answer.x, answer.dual)


def _unscaled(
    program: Program,
    squares: Squares,
    scaling: Scaling,
    F: Sparse,
    region: Region,
    x: Vector,
    dual: Vector,
) -> Multipliers:
    """The multipliers in the program's units: rows not below zero, cones in their dual cones."""
    at, n, rows = program.independent, program.n, len(program.rows)
    end = len(dual) - 3 * len(program.cones)
    equalities = np.zeros(len(program.equalities))
    equalities[at] = -scaling.equality_factors[at] * dual[: len(at)] / scaling.kappa
    own = scaling.row_factors * dual[len(at) : len(at) + rows] / scaling.kappa
    y = dual[end:] * scaling.cone_factors(program.cones) / scaling.kappa
    curved = np.zeros(len(y))
    for k, cone in enumerate(program.cones.cones):
        found = into_dual(cone, y[3 * k : 3 * k + 3])
        curved[3 * k : 3 * k + 3] = 0.0 if found is None else found
    z = scaling.variables(x[:n])
    _, slabs = region.exact(-np.asarray(F.T @ equalities))
    return Multipliers(np.maximum(own, 0.0), equalities, curved, squares.values(z), slabs)


def lower_end(
    program: Program, constant: float, squares: Squares, target: Vector, F: Sparse, region: Region,
    found: Multipliers, cap: float,
) -> float:  # fmt: skip
    """What the optimal cost is at least, for every u of the region; minus infinity if not shown.

    Parameters
    ----------
    cap
        What it is at most, shown before (`cost_above`); infinite if that is not known.
    """
    cones = program.cones
    if region.empty or not all(np.isfinite(part).all() for part in found.parts):
        return -math.inf
    inside = all(
        in_dual(cone, found.cones[3 * k : 3 * k + 3]) for k, cone in enumerate(cones.cones)
    )
    if not inside or (found.rows < 0).any() or (squares.weights < 0).any():
        return -math.inf
    follow = np.setdiff1d(np.arange(len(found.equalities)), program.independent)
    if found.equalities[follow].any():  # these hold up to rounding: a large multiplier shows that
        return -math.inf
    n, below = _sides(program, found.equalities)
    if not np.isfinite(below).all():
        return -math.inf
    a, w, g = found.tangents, squares.weights, squares.vectors
    half = np.asarray(absolute(F) @ region.half)
    half = half * (1 + (len(region.half) + 8) * _UNIT) + 4 * _UNIT * np.abs(target)
    lower, upper = enclosed(program, constant, squares, (target - half, target + half), cap)
    rest = squares.remainder(program.quadratic, np.maximum(np.abs(lower), np.abs(upper)))
    if not math.isfinite(rest):
        return -math.inf
    total = Fraction(constant) - Fraction(rest)
    total += dot(n, target) - dot(found.rows, program.rows.bound)
    total -= dot(found.cones, cones.offset) + dot(below, program.slabs[2].bound)
    gradient = [Fraction(float(c)) for c in program.linear]
    for k, (one, weight) in enumerate(zip(a, w, strict=True)):
        factor = Fraction(float(weight)) * Fraction(float(one))
        total -= factor * Fraction(float(one))
        for place in range(g.indptr[k], g.indptr[k + 1]):
            gradient[g.indices[place]] += 2 * factor * Fraction(float(g.data[place]))
    for sign, M, y in (
        (1, program.rows.matrix, found.rows),
        (1, program.slabs[2].matrix, below),
        (-1, program.equalities.matrix, n),
        (-1, cones.matrix, found.cones),
    ):
        for j, value in enumerate(transposed(M, y)):
            gradient[j] += sign * value
    for r, low, high in zip(gradient, lower, upper, strict=True):
        end = float(low if r > 0 else high)
        if r and math.isinf(end):
            return -math.inf
        total += r * Fraction(end) if r else 0
    follows = [-s for s in transposed(F, n)]
    total -= worst_case(follows, found.slabs, region)
    return -upwards(-total)


def _sides(program: Program, equalities: Vector) -> tuple[Vector, Vector]:
    """The multipliers of equalities, and of second rows of slabs: n (t - a z) <= 0 for n > 0."""
    at, factor, _ = program.slabs
    n = equalities.copy()
    n[at] = np.minimum(n[at], 0.0)
    with np.errstate(over="ignore"):
        return n, np.maximum(equalities[at], 0.0) / factor
