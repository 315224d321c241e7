"""Is it right to hold a row of Z at zero?

At Z_i = 0 the margin has a kink. Zero is best while the price of holding the row there (the
gradient of the rest of the objective) is a subgradient of multiplier times margin: within
multiplier times slope in every direction. A lower bound of the margin will do in its place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.compile import Compiled, Model
from privopt.solving.margins import Margins

__all__ = ["prices_of", "should_move"]


def prices_of(model: Model, compiled: Compiled, dual: Vector) -> Dense:
    """Gradient of the objective at the held rows of Z, one row each."""
    r, noise = model.rank, model.noise
    if noise.prices is None:
        own = dual[compiled.holds : compiled.holds + len(model.held) * r]
        return -model.data.directions.D[model.held].data[:, None] * own.reshape(-1, r)
    n, count = len(model.data.linear), noise.rows.shape[0]
    A = compiled.in_values.A
    multipliers = np.asarray(A[:, n : n + count * r].T @ dual[: A.shape[0]])
    return noise.prices(model.data.spread, multipliers.reshape(r, count).T)


def should_move(
    model: Model, margins: Margins, prices: Dense, multipliers: Vector, most: float
) -> NDArray[np.bool_]:
    """For each held direction: whether its variable should answer the noise after all.

    A price above the slope by up to `most` of the largest price is taken for rounding.
    """
    data, count = model.data, len(model.held)
    place = np.full(data.directions.D.shape[0], -1, dtype=np.intp)
    place[model.held] = np.arange(count)
    rows = np.flatnonzero(place[data.directions.group] >= 0)
    at = place[data.directions.group[rows]]
    factor, weight = data.directions.factor[rows], data.nu * multipliers[rows]
    entry = data.directions.D[model.held].data
    largest = float(np.abs(prices).max(initial=0.0))
    if margins.box is not None:
        low, high = np.zeros(prices.shape), np.zeros(prices.shape)
        ends = np.sort(
            [factor[:, None] * margins.box.low, factor[:, None] * margins.box.high], axis=0
        )
        np.add.at(low, at, weight[:, None] * ends[0])
        np.add.at(high, at, weight[:, None] * ends[1])
        reach = np.sort([entry[:, None] * low, entry[:, None] * high], axis=0)
        over = np.maximum(-prices - reach[1], reach[0] + prices)
        return np.asarray((over > most * largest).any(axis=1))
    reach = np.zeros(count)
    if margins.deviations is not None:
        slope = data.deviation * margins.deviations[rows] * np.abs(factor)
        np.add.at(reach, at, weight * slope)
    over = np.linalg.norm(prices, axis=1) - np.abs(entry) * reach
    return np.asarray(over > most * largest)
