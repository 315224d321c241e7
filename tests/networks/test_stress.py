"""Stress majorisation draws the distances of a graph where they can be drawn."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.networks.stress import least_stress, simple_lines


def distances(x: np.ndarray) -> np.ndarray:
    return np.linalg.norm(x[:, None] - x[None], axis=2)


def test_a_path_is_straight() -> None:
    x = least_stress(6, np.arange(5), np.arange(1, 6))
    wanted = np.abs(np.arange(6)[:, None] - np.arange(6)[None])
    np.testing.assert_allclose(distances(x), wanted, atol=0.02)


def test_a_triangle_is_regular() -> None:
    x = least_stress(3, np.array([0, 1, 2]), np.array([1, 2, 0]))
    np.testing.assert_allclose(distances(x), 1.0 - np.eye(3), atol=1e-3)


@pytest.mark.parametrize("count", [30, 700])  # all pairs, and pivots
def test_a_long_ring_is_round(count: int) -> None:
    ring = np.arange(count)
    x = least_stress(count, ring, np.roll(ring, -1))
    radius = np.linalg.norm(x - x.mean(axis=0), axis=1)
    assert np.ptp(radius) < 0.1 * radius.mean()


def test_each_line_once() -> None:
    source, target = simple_lines(np.array([3, 1, 3, 2, 0]), np.array([1, 3, 1, 2, 1]))
    assert list(zip(source.tolist(), target.tolist(), strict=True)) == [(0, 1), (1, 3)]
