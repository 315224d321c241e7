"""The paper's Proposition 1 is false: a counterexample with three variables."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po


def test_one_entry_moves_the_solution_by_twice_its_change() -> None:
    """min 10 z1 + z2 + z3, z1 + z2 = d1, z2 + z3 = d2: d1 up by alpha, z2 up, z3 down."""
    alpha = 0.1
    program = po.ConvexProgram(
        linear=[10, 1, 1], quadratic=[1e-3] * 3, G=[[1, 1, 0], [0, 1, 1]], d=[1, 2], lower=0
    )
    before, after = program.solve().z, program.solve(d=np.array([1 + alpha, 2.0])).z
    assert np.abs(after - before).sum() == pytest.approx(2 * alpha, rel=1e-3)


def test_noise_of_scale_alpha_over_epsilon_is_then_not_private() -> None:
    """Releasing z2 and z3 with scale alpha/epsilon: the exact density ratio is e^(2 epsilon)."""
    alpha, epsilon = 0.1, 1.0
    scale = po.Laplace(epsilon=epsilon, alpha=alpha).calibrate(2, alpha).scale
    ratio = np.exp(2 * alpha / scale)  # at an output beyond both means in each coordinate
    assert ratio > 1.9 * np.exp(epsilon)
