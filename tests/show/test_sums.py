"""How an instrument shows itself, against numbers worked out by hand."""

from __future__ import annotations

import numpy as np

import privopt as po
from privopt.claims.privacy import measurement_guarantee
from privopt.show.sums import sums_plot, sums_view

W = np.array([[1.0, 1.0], [0.0, -2.0]])
DOMAIN = np.array([0.0, 1.0]), np.array([1.0, 4.0])
NOISE = po.Laplace(epsilon=1.0, alpha=0.1)
MADE = NOISE.calibrate(2, 0.3)
NAMES = ("total", "second")


def test_what_a_sum_can_vary_by_stands_beside_its_noise() -> None:
    view = sums_view(NAMES, W, DOMAIN, NOISE, MADE, measurement_guarantee(NOISE, MADE))
    assert list(view.table.columns["can vary by"]) == [2.0, 3.0]
    assert list(view.table.columns["entries"]) == [2, 1]
    assert list(view.table.columns["noise"]) == [MADE.scale] * 2
    assert "a change of one private entry by 0.1" in view.text()


def test_nothing_measured_says_so() -> None:
    nothing = measurement_guarantee(NOISE, None)
    view = sums_view((), np.zeros((0, 2)), DOMAIN, NOISE, None, nothing)
    assert {fact.name: fact.text for fact in view.facts}["charge"] == "none"


def test_a_picture_has_the_range_of_each_sum_and_its_noise() -> None:
    domain, noise = sums_plot(NAMES, W, DOMAIN, NOISE, MADE).data[:2]
    assert list(domain.y) == [3.0, -5.0]
    assert list(domain.error_y.array) == [2.0, 3.0]
    assert np.allclose(noise.error_y.array, 3 * MADE.scale)
