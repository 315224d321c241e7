"""Solving the program itself, without noise, in whatever units it comes.

Solve, look at the size of the solution and of its cost, scale again by them if they differ much,
solve again. If the multipliers do not prove the cost to be the least, to seven digits of the size
of its terms, the tolerance is sharpened. The answer is projected on G z = d and checked against
every row before it is believed. Equalities that follow from others (`rank`) are left out, and only
checked in the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privopt.arrays import Vector
from privopt.solving.problem import Cone, ConicProblem, Outcome
from privopt.solving.program import Program
from privopt.solving.scaling import TOLERANCE, Scaling, binds, levels, row_sizes, worth
from privopt.solving.solver import Settings, solve_conic
from privopt.solving.sparse import like, stacked

_PASSES = 5
_GAP = 1e-7  # relative gap above which the program is solved once more,
_SHARPER = 1e-2  # to this part of the tolerance


@dataclass(frozen=True, repr=False, eq=False)
class Ended:
    """Where a solve ended: z, the units it was made in, and there the multipliers of the rows.

    `gap` is how far its cost may lie above the least one, in these units.
    """

    z: Vector
    scaling: Scaling
    multipliers: Vector
    gap: float


def optimum(program: Program, target: Vector, settings: Settings) -> Ended | Outcome:
    """An optimum of the program at a right-hand side, or how the solver ended without one."""
    ended = _solve(program, target, Scaling.of(program, target), settings)
    if isinstance(ended, Outcome):
        return ended
    for _ in range(_PASSES - 1):
        finer = ended.scaling.refined(program, target, ended.z)
        if finer is None:
            break
        again = _solve(program, target, finer, settings)
        if again is Outcome.TIME:
            return again
        if isinstance(again, Outcome):  # units that do not suit it after all
            break
        before, ended = ended, again
        if _loose(program, ended) and not _loose(program, before):  # nor do these
            ended = before
            break
    if _loose(program, ended):
        sharper = settings.easier(max(_SHARPER * settings.tolerance, 1e-12))
        again = _solve(program, target, ended.scaling, sharper)
        if not isinstance(again, Outcome) and again.gap < ended.gap:
            ended = again
    over, off = _residuals(program, target, ended.z, ended.scaling)
    if (np.delete(off, program.independent) > TOLERANCE).any():
        return Outcome.INFEASIBLE  # an equality that follows from the others has another d
    feasible = (over <= 10 * TOLERANCE).all() and (off <= TOLERANCE).all()
    feasible = feasible and (_curved(program, ended.z, ended.scaling) <= 10 * TOLERANCE).all()
    return ended if feasible else Outcome.STALLED


def _loose(program: Program, ended: Ended) -> bool:
    """Whether the cost may lie above the least one by more than seven digits show."""
    return ended.gap > _GAP * ended.scaling.kappa * worth(program, ended.z)


def _solve(
    program: Program, target: Vector, scaling: Scaling, settings: Settings
) -> Ended | Outcome:
    """One solve in given units; limits far away are approached step by step."""
    G, A = scaling.independent(program), scaling.rows(program.rows.matrix)
    d, b = scaling.targets(target)[program.independent], scaling.bounds(program.rows.bound)
    C, e = scaling.cones(program.cones)
    outcome = Outcome.STALLED
    for level in levels(b):
        problem = ConicProblem(
            P=2.0 * scaling.quadratic(program.quadratic),
            q=scaling.linear(program.linear),
            A=stacked(G, A, like(C, -C.data)).tocsc(),
            b=np.concatenate([d, level, e]),
            cones=(Cone.zero(len(d)), Cone.nonnegative(len(b)), *program.cones.cones),
        )
        answer = solve_conic(problem, settings)
        outcome = answer.outcome
        if outcome is Outcome.OPTIMAL and not binds(level, b, np.asarray(A @ answer.x)):
            y = answer.x + scaling.projector(program).correction(d - np.asarray(G @ answer.x))
            dual = np.zeros(len(d) + len(b)) if answer.dual is None else answer.dual
            z = scaling.variables(y)
            return Ended(z, scaling, dual[len(d) : len(d) + len(b)], answer.gap(problem))
    return outcome


def _curved(program: Program, z: Vector, scaling: Scaling) -> Vector:
    """How far the points of the cone rows are outside their cones, relative to their sizes.

    A point near the apex, where everything is next to nothing, has the size of its variables.
    """
    sizes = np.maximum(program.cones.sizes(z[None])[0], scaling.cone_sizes(program.cones))
    return program.cones.outside(z[None])[0] / np.where(sizes > 0, sizes, 1.0)


def _residuals(
    program: Program, target: Vector, z: Vector, scaling: Scaling
) -> tuple[Vector, Vector]:
    """How far each row is over its limit and each equality off its target, relative to its size."""
    none = np.zeros(program.n)
    A, b = program.rows.matrix, program.rows.bound
    G = program.equalities.matrix
    over = (np.asarray(A @ z) - b) / row_sizes(A, b, z, none, scaling)
    off = np.abs(np.asarray(G @ z) - target) / row_sizes(G, target, z, none, scaling)
    return over, off
