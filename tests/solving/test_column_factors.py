"""Factors of many columns, against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.solving.column_factors import ColumnFactors


@pytest.mark.parametrize(("r", "k", "w"), [(5, 4, 7), (3, 90, 20), (40, 6, 3)])
def test_sums_and_solves_are_those_of_dense_matrices(r: int, k: int, w: int) -> None:
    rng = np.random.default_rng(r)
    turned, X = rng.normal(size=(k, w)), rng.normal(size=(k, k))
    curve = X @ X.T + np.eye(k)
    weight, middle = rng.uniform(0.5, 2.0, r), rng.normal(size=r)
    h, pull = np.exp(rng.normal(size=(r, w))), rng.normal(size=(r, w))
    made = ColumnFactors(turned, curve, weight, h, pull, middle)
    right, known = rng.normal(size=(r, k)), np.zeros((3, w, w))
    for j in range(r):
        inverse = np.linalg.inv(weight[j] * curve + (turned * h[j]) @ turned.T)
        answers = turned.T @ inverse @ turned
        even = np.full(w, middle[j])
        ways = (pull[j], pull[j]), (pull[j], even), (even, even)
        known += np.array([np.outer(*both) * answers for both in ways])
        assert made.solve(right)[j] == pytest.approx(inverse @ right[j])
    for found, wanted in zip((made.gram, made.mixed, made.even), known, strict=True):
        assert found == pytest.approx(wanted, rel=1e-8, abs=1e-10)
    plain = ColumnFactors(turned, curve, weight, h, pull, None)
    assert plain.gram == pytest.approx(made.gram)
    assert not plain.mixed.any()


def test_columns_without_numbers_or_directions(capfd: pytest.CaptureFixture[str]) -> None:
    none = ColumnFactors(
        np.zeros((0, 3)), np.zeros((0, 0)), np.ones(2), np.ones((2, 3)), np.ones((2, 3)), None
    )
    assert not none.gram.any()
    assert none.solve(np.zeros((2, 0))).shape == (2, 0)
    still = ColumnFactors(
        np.ones((2, 0)), np.eye(2), np.full(1, 2.0), np.ones((1, 0)), np.ones((1, 0)), None
    )
    assert still.solve(np.array([[1.0, 0.0]]))[0] == pytest.approx([0.5, 0.0])
    assert capfd.readouterr() == ("", "")  # BLAS prints what it cannot do


def test_what_is_not_positive_definite_is_an_error() -> None:
    one = np.ones((1, 1))
    with pytest.raises(np.linalg.LinAlgError):
        ColumnFactors(one, -5 * one, np.ones(1), one, one, None)
