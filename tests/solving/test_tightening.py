"""Rows tightened, tightened more, or left as they are: what is tried after what, and believed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from privopt.arrays import Vector
from privopt.solving.problem import Outcome
from privopt.solving.solved import Solved
from privopt.solving.tightening import RESIDUAL, solve_tightened

GOOD, BAD, OFF = 0.5 * RESIDUAL, 2 * RESIDUAL, None
T, X = np.full(2, 4e-9), np.ones(2)


def solved(residual: float | None) -> Any:
    none: Any = None
    kept = GOOD if residual is None else residual
    return Solved(np.zeros(1), none, kept, residual is not None, np.zeros((1, 0)))


@pytest.mark.parametrize("sure", [False, True])
@pytest.mark.parametrize(
    ("ends", "result"),
    [
        ([GOOD], GOOD),
        ([BAD, GOOD], GOOD),
        ([OFF, GOOD], GOOD),
        ([BAD, BAD, GOOD], GOOD),
        ([Outcome.STALLED, GOOD], GOOD),
        ([Outcome.STALLED, BAD], Outcome.STALLED),
        ([Outcome.STALLED, Outcome.INFEASIBLE], Outcome.INFEASIBLE),
        ([Outcome.TIME], Outcome.TIME),
        ([Outcome.UNBOUNDED], Outcome.UNBOUNDED),
        ([BAD, Outcome.TIME], Outcome.TIME),
    ],
)
def test_one_after_the_other(ends: list[Any], result: Any, sure: bool) -> None:
    told = iter(ends)
    calls: list[tuple[float, bool]] = []

    def solve(by: Vector, allowed: Vector, on_face: bool) -> Any:
        calls.append((float(by[0]), on_face))
        assert (by + allowed <= 10 * T + RESIDUAL).all()
        end = next(told)
        return end if isinstance(end, Outcome) else solved(end)

    found: Any = solve_tightened(solve, T, X, sure=sure)
    assert found is result if isinstance(result, Outcome) else found.residual == result
    assert next(told, None) is None, "not all was tried"
    assert [on_face for _, on_face in calls] == [by == 0 for by, _ in calls]


def test_infeasible_is_looked_at_without_tightening_unless_it_is_sure() -> None:
    for sure, wanted in ((True, [Outcome.INFEASIBLE]), (False, GOOD)):
        told = iter([Outcome.INFEASIBLE, solved(GOOD)])
        found: Any = solve_tightened(lambda *_, told=told: next(told), T, X, sure=sure)
        assert found in wanted if sure else found.residual == wanted
