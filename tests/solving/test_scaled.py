"""The affine model in scaled variables: its objective and its worst cases, written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.cases import network_chance
from tests.solving.test_column_program import design_program

from privopt.solving.scaled import Point


def test_the_objective_of_a_plan_is_that_of_the_program() -> None:
    made = network_chance("14_ieee")
    data, rng = made.scaled, np.random.default_rng(0)
    n, p = len(data.linear), data.noise_dimensions
    z, Y = rng.normal(size=n), rng.normal(size=(n, p))
    Z = data.nu * (data.base + Y)
    C2 = data.quadratic.toarray()
    wanted = data.linear @ z + z @ C2 @ z + data.variance * np.trace(Z.T @ C2 @ Z)
    assert data.value(Point(z, Y, None, 1.0, np.zeros((n, 0)))) == pytest.approx(wanted)


@pytest.mark.parametrize("fidelity", [0.0, 3.0])
def test_the_objective_of_a_policy_is_the_expected_cost(fidelity: float) -> None:
    """With a fidelity, differences of the objective are those of the cost and of the misses."""
    made = design_program("14_ieee", fidelity=fidelity)
    data, asked, rng = made.scaled, made.asked, np.random.default_rng(1)
    gain = data.gain
    assert gain is not None
    assert asked is not None
    n, p = len(data.linear), data.noise_dimensions
    program, S, scale = made.program, made.S, made.calibration.scale
    half = 0.5 * (asked.high - asked.low)
    columns = 1.0 / (data.units * data.nu / (data.unit * scale))
    values: list[tuple[float, float]] = []
    for _ in range(3):
        Y = rng.normal(size=(n, p))
        Y = Y - np.linalg.lstsq(data.C.toarray(), data.C @ Y, rcond=None)[0]
        K = gain.start + rng.normal(size=gain.start.shape)
        point = Point(rng.normal(size=n), Y, None, 0.4, K)
        z = columns * point.z
        K = columns[:, None] * point.K / half
        Z = columns[:, None] * data.nu * (point.level * data.base + point.Y)  # noise of scale one
        C2 = program.quadratic
        cost = float(program.linear @ z + z @ np.asarray(C2 @ z))
        cost += float((K * np.asarray(C2 @ K)).sum(axis=0) @ asked.variance)
        cost += data.variance * float((Z * np.asarray(C2 @ Z)).sum())
        if asked.answer is not None:
            mean, common = asked.answer
            off, follow, noise = S @ z - mean, S @ K, S @ Z
            missed = off @ off + np.square(follow).sum(axis=0) @ asked.variance
            missed += data.variance * np.square(noise).sum() - 2 * (follow * common).sum()
            cost += asked.fidelity * float(missed)
        values.append((data.value(point), cost))
    (a, x), (b, y), (c, w) = values
    assert (a - b) / (a - c) == pytest.approx((x - y) / (x - w), rel=1e-6)


def test_the_worst_case_is_at_a_corner_of_the_box() -> None:
    made = design_program("5_pjm")
    data, rng = made.scaled, np.random.default_rng(2)
    gain = data.gain
    assert gain is not None
    K = rng.normal(size=gain.start.shape)
    ends = zip(gain.box.low, gain.box.high, strict=True)
    corners = np.array(list(itertools.product(*ends)))
    np.testing.assert_allclose(data.worst(K), np.asarray(data.A @ K @ corners.T).max(axis=1))
