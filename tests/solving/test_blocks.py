"""Blocks put together are the rows, costs and cones that were added, in that order."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.solving.blocks import Blocks
from privopt.solving.problem import Cone


def test_rows_columns_and_cones_stand_where_they_were_put() -> None:
    blocks = Blocks(3)
    t = blocks.variables(2)
    u = blocks.variables(1)
    assert (t, u) == (3, 5)
    first = np.array([[1.0, 2.0, 3.0]])
    blocks.add(Cone.zero(1), [(0, sp.csr_array(first))], np.array([7.0]))
    blocks.add(
        [Cone.nonnegative(1), Cone.second_order(2)],
        [(t, sp.csc_array(np.array([[1.0, 0.0], [0.0, 4.0], [5.0, 0.0]]))), (u, np.ones((3, 1)))],
        np.array([1.0, 2.0, 3.0]),
    )
    blocks.cost(u, 2.5)
    blocks.cost(0, 10.0)
    built = blocks.problem(sp.csr_array(np.diag([1.0, 2.0, 0.0])), np.array([1.0, 1.0, 1.0]))
    assert built.A.toarray().tolist() == [
        [1.0, 2.0, 3.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, 0.0, 1.0],
        [0.0, 0.0, 0.0, 0.0, 4.0, 1.0],
        [0.0, 0.0, 0.0, 5.0, 0.0, 1.0],
    ]
    assert built.b.tolist() == [7.0, 1.0, 2.0, 3.0]
    assert built.q.tolist() == [11.0, 1.0, 1.0, 0.0, 0.0, 2.5]
    assert built.P.toarray().tolist() == np.diag([1.0, 2.0, 0.0, 0.0, 0.0, 0.0]).tolist()
    assert built.cones == (Cone.zero(1), Cone.nonnegative(1), Cone.second_order(2))


def test_terms_on_the_same_variables_add_up() -> None:
    blocks = Blocks(2)
    blocks.add(Cone.zero(2), [(0, sp.eye_array(2)), (0, 2 * sp.eye_array(2))], np.zeros(2))
    built = blocks.problem(sp.csr_array((2, 2)), np.zeros(2))
    assert built.A.toarray().tolist() == [[3.0, 0.0], [0.0, 3.0]]


def test_the_data_that_come_in_are_not_changed() -> None:
    q, right, blocks = np.ones(1), np.ones(1), Blocks(1)
    blocks.add(Cone.zero(1), [(0, sp.csr_array([[1.0]]))], right)
    blocks.cost(0, 5.0)
    built = blocks.problem(sp.csr_array((1, 1)), q)
    assert built.q.tolist() == [6.0]
    assert q.tolist() == right.tolist() == [1.0]


def test_random_blocks_agree_with_a_dense_sum() -> None:
    rng = np.random.default_rng(0)
    blocks, x = Blocks(4), rng.normal(size=9)
    start = blocks.variables(5)
    wanted = []
    for size in (1, 3, 2):
        left, right = rng.normal(size=(size, 4)), rng.normal(size=(size, 5))
        blocks.add(Cone.nonnegative(size), [(0, left), (start, right)], np.zeros(size))
        wanted.append(left @ x[:4] + right @ x[4:])
    built = blocks.problem(sp.csr_array((4, 4)), np.zeros(4))
    assert built.A @ x == pytest.approx(np.concatenate(wanted))
