"""A linear operator as a matrix, and weights of rows: what tests of parts of an `arrow` share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privopt.arrays import Dense, Vector


def matrix(operator: Callable[[Vector], Vector], size: int) -> Dense:
    """The matrix of a linear operator, from what it does to unit vectors."""
    return np.array([operator(unit) for unit in np.eye(size)]).T


def weights(rng: np.random.Generator, count: int) -> Vector:
    """Weights of rows, of very different sizes."""
    return np.exp(rng.uniform(-6, 6, count))
