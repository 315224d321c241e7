"""Equalities that hold in their own size, whatever else is large."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from privopt.mechanisms.measured.balancing import balanced, cleaned

G = sp.csr_array(np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]]))


def test_a_small_equality_is_corrected_by_its_own_variables() -> None:
    wanted = np.array([[90.0, 1.0], [0.0, 0.0]])
    found = np.array([[40.0, 1.0], [50.0, 0.0], [1e-5, 0.0], [1e-5 + 1e-12, 0.0]])
    better = balanced(G, wanted, found, np.array([1.0, 7.0]))
    small = abs(better[2, 0] - better[3, 0])
    assert small <= 1e-10 * 2e-5  # it was 1e-7 of its size
    np.testing.assert_array_equal(better[:2], found[:2])
    np.testing.assert_allclose(better[2:, 0], 1e-5, rtol=1e-6)


def test_a_gain_is_corrected_where_its_column_is_off() -> None:
    wanted = np.array([[90.0, 1.0], [0.0, 0.0]])
    found = np.array([[40.0, 1.0], [50.0, 0.0], [1e-5, 3e-13], [1e-5, 0.0]])
    better = balanced(G, wanted, found, np.array([1.0, 7.0]))
    assert abs(better[2, 1] - better[3, 1]) * 7 <= 1e-10 * 2e-5
    np.testing.assert_array_equal(better[:, 0], found[:, 0])


def test_what_holds_is_left_as_it_is() -> None:
    wanted, found = np.array([[3.0], [0.0]]), np.array([[1.0], [2.0], [5.0], [5.0]])
    assert balanced(G, wanted, found, np.ones(1)) is found


def test_next_to_nothing_is_zero_by_how_far_it_moves() -> None:
    gain = np.array([[1e-14, 0.5], [2e-12, 1e-14]])
    moves = np.array([1.0, 1e3])
    assert cleaned(gain, moves).tolist() == [[0.0, 0.5], [2e-12, 1e-14]]
