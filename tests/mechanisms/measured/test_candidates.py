"""What could be measured, and what it is guessed to be worth."""

from __future__ import annotations

import numpy as np
import pytest
from tests.mechanisms.measured.test_task import task

import privopt as po
from privopt.mechanisms.measured.candidates import NOTHING, Candidate, curvature, guess, proposed
from privopt.mechanisms.measured.task import DecisionTask


@pytest.fixture(scope="module")
def prepared() -> DecisionTask:
    one = po.experiments.instance("5_pjm", 1)
    return task(one.program, one.query, one.domain)


def test_candidates_are_different_cover_everything_and_begin_with_nothing(
    prepared: DecisionTask,
) -> None:
    H = curvature(prepared, 0.0)
    entries = prepared.program.private_names
    own = {"mine": Candidate("mine", np.ones((1, len(entries))), ("all",), own=True)}
    found = proposed(prepared, H, entries, own)
    assert found[0].name == NOTHING
    assert found[-1].name == "mine"  # though it is the total, too
    names = [one.name for one in found]
    assert len(set(names)) == len(names)
    assert {"total", "each"} <= set(names)
    for one in found:
        assert one.W.shape == (len(one.names), len(entries))
        if "zones" in one.name:
            np.testing.assert_array_equal(one.W.sum(axis=0), 1.0)


def test_a_guess_is_the_gaussian_posterior_covariance(prepared: DecisionTask) -> None:
    H = curvature(prepared, 1.0)
    np.testing.assert_allclose(H, H.T)
    assert np.linalg.eigvalsh(H).min() >= -1e-9 * np.abs(H).max()
    q = len(H)
    variance, W, sigma = prepared.data.variance, np.ones((1, q)), 0.1
    P = np.linalg.inv(np.diag(1 / variance) + W.T @ W / sigma**2)
    expected = 0.5 * float((H * P).sum()) / prepared.scale
    assert guess(prepared, H, W, sigma) == pytest.approx(expected)
    nothing = guess(prepared, H, np.zeros((0, q)), 0.0)
    assert nothing == pytest.approx(0.5 * float(np.diag(H) @ variance) / prepared.scale)
    assert guess(prepared, H, np.eye(q), 1e-6) < 1e-6 * nothing


def test_a_linear_cost_has_directions_all_the_same() -> None:
    one = po.ConvexProgram(
        linear=[1.0, 2, 3, 1], G=[[1.0, 1, 0, 1], [0, 1, 1, -1]], lower=0.0, upper=5.0
    )
    prepared = task(one, po.Identity([0]), po.Box(1.0, 2.0))
    H = curvature(prepared, 0.0)
    assert np.isfinite(H).all()
    assert len(proposed(prepared, H, prepared.program.private_names, {})) >= 3
