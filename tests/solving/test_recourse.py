"""The recourse as an operator is the matrix."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solving.test_particular import case

from privopt.solving import particular as module
from privopt.solving.particular import Particular
from privopt.solving.recourse import LowRankRecourse, Recourse


def test_the_low_rank_recourse_is_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DENSE", 0)
    program, query = case()
    base = Particular(program, query.matrix(program))
    rng = np.random.default_rng(1)
    Y, R = rng.normal(size=(12, 2)), np.linalg.qr(rng.normal(size=(4, 2)))[0].T
    ours, plain = LowRankRecourse(base, Y, R), Recourse(base.dense() + Y @ R)
    A, C2 = program.rows.matrix, program.quadratic
    assert ours.shape == plain.shape
    for x in (rng.normal(size=4), rng.normal(size=(4, 3))):
        np.testing.assert_allclose(ours @ x, plain @ x, atol=1e-9)
    np.testing.assert_allclose(ours.under(A), plain.under(A), atol=1e-9)
    np.testing.assert_allclose(ours.norms(A), plain.norms(A), atol=1e-7)
    np.testing.assert_allclose(ours.sizes, plain.sizes, atol=1e-7)
    assert ours.energy(C2) == pytest.approx(plain.energy(C2), rel=1e-9)
    np.testing.assert_allclose(np.asarray(ours), np.asarray(plain), atol=1e-9)
    assert "private" in repr(ours)
