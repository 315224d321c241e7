"""Rows a little tightened, so that they are kept in spite of the solver's tolerance.

Where a solution does not keep its rows after all, they are tightened more. Where tightened rows
leave no solution, or none inside, the feasible set may be thinner than that: a row that the
equalities, or the domain of the data, hold at its limit has no room to give up. Rows are then left
as they are, and the program is solved on the face that holds it (`faces`); what comes of it is
looked at like any other solution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from privopt.arrays import Vector
from privopt.solving.problem import Outcome
from privopt.solving.scaling import TOLERANCE
from privopt.solving.solved import Solved

__all__ = ["RESIDUAL", "solve_tightened"]

RESIDUAL = 0.5 * TOLERANCE  # largest excess of a row, relative to 1 + |b|: that is two sizes

Found = TypeVar("Found", bound=Solved)


def solve_tightened(
    solve: Callable[[Vector, Vector, bool], Found | Outcome],
    tightening: Vector,
    sizes: Vector,
    *,
    sure: bool = False,
) -> Found | Outcome:
    """A solution that keeps its rows up to rounding, or how the solver ended without one.

    Parameters
    ----------
    solve
        From what rows are tightened by, the excess over tightened rows that may stay, and whether
        to solve on the face.
    tightening
        What rows give up for the solver's tolerance.
    sizes
        Of the rows.
    sure
        Whether what `solve` calls infeasible is so without tightening, too.
    """
    found = _believed(solve(tightening, 0.75 * tightening, False))
    if found is Outcome.OPTIMAL:
        found = _believed(solve(10 * tightening, 0.75 * tightening, False))
    ended = found is Outcome.INFEASIBLE and sure
    if ended or found not in {Outcome.OPTIMAL, Outcome.INFEASIBLE, Outcome.STALLED}:
        return found
    on_face = _believed(solve(np.zeros_like(sizes), 0.5 * RESIDUAL * sizes, True))
    if on_face is not Outcome.OPTIMAL:
        return on_face
    return Outcome.INFEASIBLE if found is Outcome.INFEASIBLE else Outcome.STALLED


def _believed(found: Found | Outcome) -> Found | Outcome:
    """OPTIMAL alone, without a solution, where the solution breaks rows or equalities."""
    if isinstance(found, Outcome) or (found.residual <= RESIDUAL and found.exact):
        return found
    return Outcome.OPTIMAL
