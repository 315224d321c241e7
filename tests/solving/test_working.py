"""The working set: what comes in, what goes, what is held."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from privopt.solving.directions import Directions
from privopt.solving.working import WorkingSet


def ways(coupling: int, single: int) -> Directions:
    """Coupling rows x_j + x_(j+1), then single ones."""
    n = coupling + 1
    rows = [np.eye(n)[j] + np.eye(n)[j + 1] for j in range(coupling)]
    rows += [np.eye(n)[j] for j in range(single)]
    return Directions.of(sp.csr_array(np.array(rows)))


def test_single_rows_all_come_and_of_the_others_the_worst() -> None:
    chosen = WorkingSet(ways(20, 5), np.ones(25, dtype=bool))
    excess = np.concatenate([np.linspace(0.1, 2.0, 20), np.full(5, 0.01)])
    assert chosen.add(excess)
    assert chosen.positions.tolist() == [*range(12, 20), *range(20, 25)]
    assert chosen.add(excess)
    assert not chosen.add(np.full(25, -1.0))


def test_all_at_once() -> None:
    chosen = WorkingSet(ways(20, 5), np.ones(25, dtype=bool), all_at_once=True)
    assert chosen.add(np.ones(25))
    assert len(chosen.positions) == 25


def test_rows_that_cannot_move_stay_out() -> None:
    chosen = WorkingSet(ways(3, 2), np.array([False, True, True, False, True]))
    chosen.add(np.ones(5))
    assert chosen.positions.tolist() == [1, 2, 4]


def test_slack_rows_go_once_when_they_are_many_and_the_value_rose() -> None:
    chosen = WorkingSet(ways(4, 1), np.ones(5, dtype=bool))
    chosen.add(np.ones(5))
    slack = np.array([-1.0, -1.0, 0.0, 0.0, -1.0])
    chosen.drop(slack, 1.0)
    assert chosen.positions.tolist() == [2, 3, 4]
    chosen.add(np.ones(5))
    chosen.drop(slack, 1.0)  # the value has not risen
    assert len(chosen.positions) == 5
    chosen.drop(slack, 2.0)  # and these were dropped before
    assert len(chosen.positions) == 5


def test_held_rows_are_freed_for_good() -> None:
    chosen = WorkingSet(ways(2, 3), np.ones(5, dtype=bool))
    chosen.add(np.ones(5))
    chosen.hold(np.ones(5, dtype=bool))
    assert chosen.held.tolist() == [2, 3, 4]  # single rows only
    assert chosen.positions.tolist() == [0, 1]
    chosen.free(np.array([3]))
    chosen.hold(np.ones(5, dtype=bool))
    assert chosen.held.tolist() == [2, 4]
    assert chosen.positions.tolist() == [0, 1, 3]


def test_marks_carry_over_to_another_working_set() -> None:
    movable = np.ones(8, dtype=bool)
    first = WorkingSet(ways(4, 4), movable)
    first.add(np.array([1.0, -1, -1, -1, 1, 1, -1, -1]))
    first.hold(np.arange(8) == 5)
    second = WorkingSet(ways(4, 4), np.arange(8) != 4)
    second.put(first.marks)
    assert second.positions.tolist() == [0]  # row 4 cannot move here
    assert second.held.tolist() == [5]


def test_rows_near_their_limit_come_along() -> None:
    chosen = WorkingSet(ways(3, 2), np.ones(5, dtype=bool))
    near = np.array([1.0, -1e-4, -1.0, -1e-4, -1.0])
    assert chosen.add(near)
    assert chosen.positions.tolist() == [0, 1, 3]
    assert not WorkingSet(ways(3, 2), np.ones(5, dtype=bool)).add(near - 1.5)
