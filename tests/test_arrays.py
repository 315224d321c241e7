"""Dense, sparse and pandas input mean the same; what is not a finite array is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from privopt import arrays
from privopt.errors import InputError

steady = settings(deadline=None, max_examples=50, derandomize=True)
M = np.array([[1.0, 0.0, -2.0], [0.0, 3.0, 0.5]])
ROWS, COLUMNS = ["r0", "r1"], ["x", "y", "w"]
small = hnp.arrays(
    float,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=4),
    elements=st.sampled_from([0.0, 1.0, -2.5, 1e-300, 1e300]),
)


@steady
@given(dense=small)
def test_dense_and_sparse_inputs_give_the_same_matrix(dense: Any) -> None:
    forms: list[Any] = [dense, dense.tolist(), np.asfortranarray(dense), sp.csc_matrix(dense)]
    forms += [sp.coo_array(dense), sp.csr_array(dense), sp.lil_array(dense), pd.DataFrame(dense)]
    for form in forms:
        found = arrays.matrix(form, "M")
        assert isinstance(found, sp.csr_array)
        assert found.dtype == np.float64
        assert np.array_equal(found.toarray(), dense)
        assert found.nnz == np.count_nonzero(dense)


def test_integers_and_booleans_become_floats() -> None:
    for form in ([[1, 0]], np.array([[True, False]]), sp.csr_array([[1, 0]])):
        found = arrays.matrix(form, "M")
        assert found.dtype == np.float64
        assert found.toarray().tolist() == [[1.0, 0.0]]
    assert arrays.vector([1, 2], 2, "v").dtype == np.float64


@steady
@given(rows=st.permutations(ROWS), columns=st.permutations(COLUMNS), seed=st.integers(0, 2**32 - 1))
def test_a_frame_is_aligned_by_label(rows: list[str], columns: list[str], seed: int) -> None:
    dense = np.random.default_rng(seed).normal(size=(2, 3))
    frame = pd.DataFrame(dense, index=ROWS, columns=COLUMNS).loc[rows, columns]
    found = arrays.matrix(frame, "M", rows=ROWS, columns=COLUMNS)
    assert np.array_equal(found.toarray(), dense)


@steady
@given(order=st.permutations(COLUMNS))
def test_a_series_is_aligned_by_label(order: list[str]) -> None:
    series = pd.Series([1.0, 2.0, 3.0], index=COLUMNS)[order]
    assert arrays.vector(series, 3, "v", labels=COLUMNS).tolist() == [1.0, 2.0, 3.0]
    assert arrays.vector(series, 3, "v").tolist() == series.tolist()


def test_labels_are_compared_as_strings() -> None:
    frame = pd.DataFrame([[1.0, 2.0]], columns=[7, 3])
    assert arrays.matrix(frame, "M", columns=["3", "7"]).toarray().tolist() == [[2.0, 1.0]]


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (["x", "y", "q"], "missing w, unknown q"),
        (["x", "y"], "missing w"),
        (["x", "y", "w", "q"], "unknown q"),
        (["x", "y", "w", "w"], "columns of M"),
    ],
)
def test_labels_that_do_not_match_are_named(columns: list[str], says: str) -> None:
    frame = pd.DataFrame(np.ones((1, len(columns))), columns=columns)
    with pytest.raises(InputError, match=says):
        arrays.matrix(frame, "M", columns=COLUMNS)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, pd.DataFrame])
def test_a_matrix_that_is_not_finite_is_refused(bad: float, form: Any) -> None:
    dense = M.copy()
    dense[1, 2] = bad
    with pytest.raises(InputError, match="M contains (NaN|infinity)"):
        arrays.matrix(form(dense), "M")


@pytest.mark.parametrize("value", [np.nan, np.inf, [1.0, np.nan], [-np.inf, 0.0], [None, 1.0]])
def test_a_vector_that_is_not_finite_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="v contains"):
        arrays.vector(value, 2, "v")


def test_infinity_is_allowed_where_it_means_no_bound_and_nan_never() -> None:
    assert arrays.vector([-np.inf, np.inf], 2, "v", infinite=True).tolist() == [-np.inf, np.inf]
    with pytest.raises(InputError, match="v contains NaN"):
        arrays.vector([np.nan, np.inf], 2, "v", infinite=True)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([1.5, np.nan], "positions 1"),
        ([np.inf, 1.5], "positions 0"),
        (pd.Series([1.5, 2.5], index=["x", "secret"]), "unknown secret"),
        (pd.Series([1.5, 2.5], index=["x", "x"]), "repeated x"),
    ],
)
def test_of_private_data_the_message_tells_nothing_and_the_curator_is_told(
    value: Any, told: str
) -> None:
    with pytest.raises(InputError) as caught:
        arrays.vector(value, 2, "d", labels=["x", "y"], private=True)
    error = caught.value
    assert error.private is not None
    assert told in error.private.reveal()
    assert not [word for word in ("secret", "positions", "repeated", "1.5") if word in str(error)]


def test_numpys_own_words_about_a_value_do_not_stay() -> None:
    with pytest.raises(InputError) as caught:
        arrays.vector(np.array(["1.5 MW", 2.0], dtype=object), 2, "d", private=True)
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    "value",
    [
        np.zeros((2, 2, 2)),
        [[1.0, 2.0], [3.0]],
        [["a", "b"]],
        "abc",
        {"a": 1},
        object(),
        None,
        pd.DataFrame([["a"]]),
        sp.coo_array(np.array([1.0, 2.0])).reshape((2,)),
    ],
    ids=["3-d", "ragged", "words", "string", "dict", "object", "None", "frame", "sparse 1-d"],
)
def test_what_is_not_a_matrix_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="M (could not be read|contains NaN|has shape)"):
        arrays.matrix(value, "M")


@pytest.mark.parametrize(
    "value", [[1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]], [[1.0], [2.0]], [], np.zeros((2, 2))]
)
def test_a_vector_of_another_shape_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="v has shape"):
        arrays.vector(value, 2, "v")


@pytest.mark.parametrize("value", ["abc", ["a", "b"], object(), [1.0, [2.0]]])
def test_what_is_not_a_vector_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="v could not be read"):
        arrays.vector(value, 2, "v")


@pytest.mark.parametrize(
    "read",
    [arrays.matrix, lambda v, w: arrays.vector(v, 2, w)],
    ids=["matrix", "vector"],
)
def test_complex_numbers_are_refused_not_cut(read: Any) -> None:
    with pytest.raises(InputError):
        read(np.array([1.0 + 2.0j, 0.0]), "M")


def test_one_number_stands_for_all() -> None:
    assert arrays.vector(2.5, 3, "v").tolist() == [2.5, 2.5, 2.5]


def test_a_vector_is_a_read_only_copy() -> None:
    given_array = np.array([1.0, 2.0])
    found = arrays.vector(given_array, 2, "v")
    given_array[0] = 9.0
    assert found.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 9.0


def messy() -> sp.csr_array[Any, Any]:
    """[[1, 0], [0, 5]] with an explicit zero and 5 = 2 + 3 stored twice."""
    parts = np.array([1.0, 0.0, 2.0, 3.0]), np.array([0, 1, 1, 1]), np.array([0, 2, 4])
    return sp.csr_array(parts, shape=(2, 2))


def test_duplicates_are_added_and_explicit_zeros_dropped() -> None:
    found = arrays.matrix(messy(), "M")
    assert found.toarray().tolist() == [[1.0, 0.0], [0.0, 5.0]]
    assert found.nnz == 2


def test_the_callers_sparse_matrix_stays_as_it_was() -> None:
    given_matrix = messy()
    arrays.matrix(given_matrix, "M")
    untouched = messy()
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(given_matrix, part), getattr(untouched, part))


def test_later_changes_of_the_callers_matrix_do_not_reach_the_result() -> None:
    dense = M.copy()
    sparse = sp.csr_array(M)
    found = [arrays.matrix(dense, "M"), arrays.matrix(sparse, "M")]
    dense[:] = np.nan
    sparse.data[:] = np.nan
    for matrix in found:
        assert np.array_equal(matrix.toarray(), M)


def test_a_read_only_sparse_matrix_is_accepted() -> None:
    """As joblib hands large arrays to its workers."""
    given_matrix = messy()
    for part in (given_matrix.data, given_matrix.indices, given_matrix.indptr):
        part.setflags(write=False)
    assert arrays.matrix(given_matrix, "M").toarray().tolist() == [[1.0, 0.0], [0.0, 5.0]]
