"""What grids and floats move: the claim about the discrete laws, by brute sums on coarse grids.

That data, map and floats stay within it is tested on instruments (tests/kernel/test_instrument).
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import privopt as po
from privopt.noise.gaussian import GaussianLaw
from privopt.noise.laplace import LaplaceLaw
from privopt.noise.law import Law
from privopt.noise.rounding import rounding
from privopt.noise.truncated import TruncatedLaw


@pytest.mark.parametrize("law", [LaplaceLaw(), GaussianLaw(), TruncatedLaw(3.0)])
@pytest.mark.parametrize("grid", [1.0, 0.5, 0.125, 2.0**-8])
def test_one_step_of_the_grid_makes_up_for_the_discrete_law(law: Law, grid: float) -> None:
    """P(|X| <= h + grid) >= P(|xi| <= h), X on multiples of the grid with the same density."""
    steps = np.arange(-math.ceil(40 / grid), math.ceil(40 / grid) + 1)
    density = np.exp(law.log_density(grid * steps))
    density /= density.sum()
    for mass in [1e-9, 0.01, 0.3, 0.5, 0.9, 0.975, 0.999, 1 - 1e-9]:
        h = law.half_width(1 - mass)
        within = density[grid * np.abs(steps) <= h + grid].sum()
        assert within >= mass * (1 - 1e-12)


def test_it_is_small_against_the_noise_and_grows_with_the_weights() -> None:
    noise = po.Laplace(epsilon=1.0, alpha=0.1).calibrate(2, 0.3, bound=20.0)
    W = np.array([[1.0, 1.0], [10.0, -30.0]])
    moved = rounding(W, noise, coarse=44, cell=-48, ends=5.0, bound=20.0)
    assert (moved < 1e-9 * noise.scale).all()
    assert moved[1] > moved[0]
    steps = 2 * 2.0**-44 + math.ulp(5.0)
    least = np.abs(W).sum(axis=1) * steps + 2.0**noise.exponent
    assert (moved >= least).all()
