"""Piecewise-linear costs as rows: cost_g >= slope_k p_g + intercept_k for every piece k."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Vector
from privopt.networks.naming import unit_names
from privopt.networks.network import Network

__all__ = ["rows_above"]


def rows_above(network: Network, width: int, start: int) -> tuple[Any, Vector, list[str]]:
    """Rows slope p - cost <= -intercept, right-hand sides and names.

    The units' p are the first of `width` variables; the costs stand at `start` and after.
    """
    generators, costs = unit_names(network), enumerate(network.generators.piecewise)
    lines = [(k, cost, j) for k, cost in costs for j in range(len(cost.slope))]
    places = [place for k, cost, _ in lines for place in (cost.generator, start + k)]
    values = [value for _, cost, j in lines for value in (cost.slope[j], -1.0)]
    right = np.array([-cost.intercept[j] for _, cost, j in lines])
    names = [f"piece[{generators[cost.generator]},{j + 1}]" for _, cost, j in lines]
    rows = np.repeat(np.arange(len(lines)), 2)
    matrix: Any = sp.csr_array((values, (rows, places)), shape=(len(lines), width))
    return matrix, right, names
