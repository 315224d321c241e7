"""z(xi) = offset + recourse xi, for one noise vector and for many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from privopt.solving.affine import Affine, Recourse

steady = settings(deadline=None, max_examples=30, derandomize=True)
shapes = {"n": st.integers(1, 4), "p": st.integers(1, 3), "seed": st.integers(0, 1000)}


@steady
@given(**shapes, draws=st.integers(0, 5))
def test_many_noise_vectors_are_answered_one_by_one(n: int, p: int, seed: int, draws: int) -> None:
    rng = np.random.default_rng(seed)
    offset, Z, xi = rng.normal(size=n), rng.normal(size=(n, p)), rng.normal(size=(p, draws))
    plan = Affine(offset, Recourse(Z))
    assert plan.at(xi).shape == (n, draws)
    for k in range(draws):
        single = [sum(Z[i, j] * xi[j, k] for j in range(p)) for i in range(n)]
        assert plan.at(xi)[:, k] == pytest.approx(offset + single)
        assert plan.at(xi[:, k]) == pytest.approx(offset + single)


@steady
@given(**shapes)
def test_the_recourse_multiplies_like_its_matrix(n: int, p: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, p))
    A: Any = sp.random_array((5, n), density=0.5, rng=rng, format="csr")
    recourse = Recourse(Z.copy())
    assert recourse.shape == (n, p)
    assert np.array_equal(np.asarray(recourse), Z)
    assert recourse.under(A) == pytest.approx(A.toarray() @ Z)
    assert recourse @ np.eye(p) == pytest.approx(Z)


def test_no_value_shows_in_a_repr() -> None:
    recourse = Recourse(np.full((2, 1), 123.456))
    affine = Affine(np.full(2, 654.321), recourse)
    assert "2 x 1" in repr(recourse)
    for text in (repr(recourse), repr(affine), str(recourse), str(affine)):
        assert "123.4" not in text
        assert "654.3" not in text
