"""Bases of an affine rule: whatever the numbers are, S K = S Y W; and their cost is the cost."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solving.test_column_program import design_program

from privopt.solving.rule_space import RuleSpace
from privopt.solving.scaled import Point

ZONES = np.array([[1.0, 0.0] * 7, [0.0, 1.0] * 7])


@pytest.mark.parametrize("fidelity", [0.0, 3.0])
def test_every_number_gives_a_rule_and_its_cost(fidelity: float) -> None:
    data = design_program("14_ieee", fidelity=fidelity, measure=ZONES).scaled
    gain, rng = data.gain, np.random.default_rng(0)
    assert gain is not None
    W = gain.measure
    assert W is not None
    space = RuleSpace.of(data, gain, W)
    assert space is not None
    k, m = space.gain.basis.shape[1], space.lead.shape[1]
    assert m == gain.query.shape[0]

    def at(scale: float) -> tuple[Point, float]:
        """A point, and its cost by the forms."""
        N, M = scale * rng.normal(size=(k, gain.columns)), scale * rng.normal(size=(k, len(W)))
        T = scale * rng.normal(size=(m, len(W)))
        K = space.gain.start + space.lead @ T @ W + space.gain.basis @ N
        Y = space.lead @ T + space.noise.basis @ M
        t, weight = T.ravel(), 2 * gain.weights
        cost = 0.5 * t @ space.curve @ t + (space.pull * T).sum()
        cost += 0.5 * np.einsum("kj,kl,lj,j", N, space.gain.curve, N, weight)
        cost += 0.5 * data.spread * np.einsum("kj,kl,lj", M, space.noise.curve, M)
        return Point(np.zeros(len(data.linear)), Y, None, 1.0, K), float(cost)

    start, none = at(0.0)
    assert none == 0.0
    for _ in range(3):
        point, cost = at(1.0)
        assert np.abs(data.G @ (point.K - gain.start)).max() <= 1e-9
        assert np.abs(data.G @ point.Y).max() <= 1e-9
        off = np.asarray(gain.query @ (point.K - point.Y @ W))
        assert np.abs(off).max() <= 1e-9
        assert data.value(point) - data.value(start) == pytest.approx(cost, rel=1e-6)


def test_the_answer_of_a_recourse() -> None:
    data = design_program("14_ieee", measure=ZONES).scaled
    gain = data.gain
    assert gain is not None
    assert gain.measure is not None
    space = RuleSpace.of(data, gain, gain.measure)
    assert space is not None
    T = np.random.default_rng(0).normal(size=(space.lead.shape[1], 2))
    M = np.random.default_rng(1).normal(size=(space.noise.basis.shape[1], 2))
    found = space.answer(gain, space.lead @ T + space.noise.basis @ M)
    np.testing.assert_allclose(found, T, atol=1e-9)
