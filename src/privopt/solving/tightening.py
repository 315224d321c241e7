"""Rows a little tightened, so that they are kept in spite of the solver's tolerance.

If a solution does not keep its rows after all, they are tightened more. If tightened rows leave no
solution, or none inside, the feasible set may be thinner than that: a row that the equalities, or
the domain of the data, hold at its limit has no room to give up. Rows are then left as they are,
and the program is solved on the face that contains its feasible set (`faces`); that solution is
checked like any other.
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

Solution = TypeVar("Solution", bound=Solved)


def solve_tightened(
    solve: Callable[[Vector, Vector, bool], Solution | Outcome],
    tightening: Vector,
    sizes: Vector,
    *,
    sure: bool = False,
) -> Solution | Outcome:
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
    answer = _believed(solve(tightening, 0.75 * tightening, False))
    if answer is Outcome.OPTIMAL:
        answer = _believed(solve(10 * tightening, 0.75 * tightening, False))
    ended = answer is Outcome.INFEASIBLE and sure
    if ended or answer not in {Outcome.OPTIMAL, Outcome.INFEASIBLE, Outcome.STALLED}:
        return answer
    on_face = _believed(solve(np.zeros_like(sizes), 0.5 * RESIDUAL * sizes, True))
    if on_face is not Outcome.OPTIMAL:
        return on_face
    return Outcome.INFEASIBLE if answer is Outcome.INFEASIBLE else Outcome.STALLED


def _believed(answer: Solution | Outcome) -> Solution | Outcome:
    """The answer; OPTIMAL, without the solution, if it breaks rows or equalities."""
    if isinstance(answer, Outcome) or (answer.residual <= RESIDUAL and answer.exact):
        return answer
    return Outcome.OPTIMAL
