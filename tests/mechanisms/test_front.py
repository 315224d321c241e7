"""The front between cost and fidelity: nothing beats it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.show.pictures.reading import dots, parsed, tick

import privopt as po


def test_no_policy_of_the_front_is_beaten(front: po.Front) -> None:
    costs = [one.cost for one in front.policies]
    distances = [one.distance for one in front.policies]
    assert len(front) >= 3
    assert costs == sorted(costs)
    assert distances == sorted(distances, reverse=True)
    assert front.weights[0] == 0.0
    assert "distance" in repr(front)


def test_it_is_the_front_of_the_weighted_sums(parts: tuple[Any, ...], front: po.Front) -> None:
    """Each policy is the best for its own weight, among all of the front."""
    for weight, own in zip(front.weights, front.policies, strict=True):
        mine = own.cost + weight * own.distance**2
        others = [one.cost + weight * one.distance**2 for one in front.policies]
        assert mine <= min(others) + 1e-3 * abs(mine)


def test_the_picture_has_a_point_for_each_policy(front: po.Front) -> None:
    root = parsed(front.plot())
    places = dots(root)
    assert len(places) == len(front)
    floor = tick(root, "0", 1)[1] - 4
    heights = np.array([floor - y for _, y in places])
    losses = np.array([one.loss for one in front.policies])
    assert np.allclose(heights / heights.max(), losses / losses.max(), atol=0.01)


def test_nothing_lies_nearer_than_the_front(front: po.Front) -> None:
    with pytest.raises(po.errors.InputError, match="at least"):
        front.nearest(1e-9)
