"""Row i of A is factor[i] times direction group[i], and equal directions are found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from privopt.solving.directions import Directions

steady = settings(deadline=None, max_examples=60, derandomize=True)
matrices = hnp.arrays(
    float,
    st.tuples(st.integers(0, 8), st.integers(1, 3)),
    elements=st.sampled_from([0.0, 0.0, 1.0, -1.0, 2.0, 0.3]),
)


@steady
@given(A=matrices)
def test_rows_are_factors_times_directions(A: Any) -> None:
    found = Directions.of(sp.csr_array(A))
    assert (found.factor[:, None] * found.D.toarray()[found.group]) == pytest.approx(A, rel=1e-14)
    assert (found.factor != 0).all()


@steady
@given(
    base=hnp.arrays(float, (3, 4), elements=st.sampled_from([0.0, 1.0, -2.0, 0.3, 0.7])),
    factors=st.lists(st.sampled_from([1.0, -1.0, 2.0, -0.5]), min_size=3, max_size=9),
)
def test_exact_multiples_share_a_direction(base: Any, factors: list[float]) -> None:
    which = np.arange(len(factors)) % 3
    A = np.array(factors)[:, None] * base[which]
    found = Directions.of(sp.csr_array(A))
    for i, j in np.ndindex(len(A), len(A)):
        if which[i] == which[j]:
            assert found.group[i] == found.group[j]


def test_both_bounds_of_a_variable_are_one_direction() -> None:
    A = np.vstack([np.eye(4), -np.eye(4), [[1.0, 1.0, 0.0, 0.0]], [[-3.0, -3.0, 0.0, 0.0]]])
    found = Directions.of(sp.csr_array(A))
    assert found.D.shape == (5, 4)
    assert found.factor.tolist() == [1.0] * 4 + [-1.0] * 4 + [1.0, -3.0]


def test_rows_that_only_look_alike_stay_apart() -> None:
    """The same pattern with other numbers, or the same numbers in other places."""
    A = sp.csr_array([[1.0, 2.0, 0.0], [1.0, 2.1, 0.0], [0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])
    assert len(set(Directions.of(A).group.tolist())) == 4


def test_the_order_in_which_entries_are_stored_does_not_matter() -> None:
    stored = (
        np.array([1.0, 2.0, 4.0, 2.0]),
        np.array([0, 1, 1, 0]),
        np.array([0, 2, 4]),
    )
    A = sp.csr_array(stored, shape=(2, 2))
    found = Directions.of(A)
    assert found.D.shape[0] == 1
    assert found.factor.tolist() == [1.0, 2.0]
    assert A.indices.tolist() == [0, 1, 1, 0], "the caller's matrix was sorted in place"


def test_zero_rows_are_one_direction_of_zeros() -> None:
    found = Directions.of(sp.csr_array(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])))
    assert found.group.tolist() == [0, 1, 0]
    assert found.D.toarray().tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert np.isfinite(found.factor).all()


@pytest.mark.parametrize("seed", range(20))
def test_multiples_share_a_direction_in_spite_of_rounding(seed: int) -> None:
    """Factors that round, columns in units that round, largest entries of either sign."""
    rng = np.random.default_rng(seed)
    row = rng.choice([-1.0, 1.0, 0.3, 7.1], 5)
    units = 10.0 ** rng.uniform(-8, 8, 5)
    factors = rng.choice([1.0, -1.0, 0.7, -0.1, 1 / 3, 3.0, 7.0, 1.3], 6)
    A = (factors[:, None] * row) * units * 10.0 ** rng.uniform(-8, 8, (6, 1))
    found = Directions.of(sp.csr_array(A))
    assert found.D.shape[0] == 1
    assert (found.factor > 0).tolist() == (factors * factors[0] > 0).tolist()
    assert found.factor[:, None] * A[0] == pytest.approx(A, rel=1e-13)


def test_rows_with_the_same_sums_may_differ() -> None:
    """Rows alike are looked for by weighted sums: here two columns have the same weight."""
    weights = np.random.default_rng(5).uniform(1.0, 2.0, 3)
    ratio = weights[0] / weights[1]
    A = np.array([[0.5, 0, 1.0], [0, 0.5 * ratio, 1.0], [1.0, 0, 2.0], [0, ratio, 2.0]])
    assert Directions.of(sp.csr_array(A)).group.tolist() == [0, 1, 0, 1]
