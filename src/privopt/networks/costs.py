"""Generation costs of a MATPOWER case, in money per hour as functions of power per unit.

A row of the table `gencost` is model, startup, shutdown, N, then either N polynomial coefficients
from the highest power down (model 2), or N points x, y of a piecewise-linear cost (model 1), with
power in MW. Start-up costs play no part in a dispatch. Only convex costs are taken, up to degree
two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.errors import InputError
from privopt.networks.network import PiecewiseLinear

__all__ = ["Costs", "read_costs"]

_PIECEWISE, _POLYNOMIAL = 1, 2
_FIRST = 4  # column where the numbers of the cost start


class Costs(NamedTuple):
    """Polynomial coefficients of each generator, and the piecewise-linear ones apart."""

    linear: Vector
    quadratic: Vector
    constant: Vector
    piecewise: tuple[PiecewiseLinear, ...]


def read_costs(table: Dense, base_mva: float, units: Sequence[str] | None = None) -> Costs:
    """Costs of the generators, one row of the table each; `units` is what messages call them."""
    names = units or [f"generator {k + 1} of those in service" for k in range(len(table))]
    linear, quadratic, constant = np.zeros((3, len(table)))
    pieces: list[PiecewiseLinear] = []
    for k, row in enumerate(table):
        if not np.isin(row[0], (_PIECEWISE, _POLYNOMIAL)) or not np.isin(row[3], range(100)):
            raise _refused(names[k], f"cost model {row[0]:g} with {row[3]:g} numbers")
        model, count = int(row[0]), int(row[3])
        numbers = row[_FIRST:]
        if not np.isfinite(numbers).all():
            raise _refused(names[k], "a cost that is not finite")
        if model == _POLYNOMIAL and 0 <= count <= len(numbers):
            coefficients = np.concatenate([[0.0, 0.0, 0.0], numbers[:count]])[::-1]
            if np.any(coefficients[3:] != 0) or coefficients[2] < 0:
                raise _refused(names[k], "a polynomial of degree three or more, or a concave one")
            constant[k] = coefficients[0]
            linear[k] = coefficients[1] * base_mva
            quadratic[k] = coefficients[2] * base_mva**2
        elif model == _PIECEWISE and 2 <= count <= len(numbers) // 2:
            x, y = numbers[0 : 2 * count : 2] / base_mva, numbers[1 : 2 * count : 2]
            slope = _slopes(names[k], x, y)
            if np.ptp(slope) <= 1e-9 * np.abs(slope).max(initial=0.0):
                linear[k], constant[k] = slope[0], y[0] - slope[0] * x[0]
            else:
                pieces.append(PiecewiseLinear(k, slope, y[:-1] - slope * x[:-1]))
        else:
            raise _refused(
                names[k], f"cost model {model} with {count} numbers, of which some are missing"
            )
    return Costs(linear, quadratic, constant, tuple(pieces))


def _slopes(unit: str, x: Vector, y: Vector) -> Vector:
    """Slopes between the points, refused where they fall."""
    if np.any(np.diff(x) <= 0):
        raise _refused(unit, "a piecewise-linear cost whose points do not go from left to right")
    slope = np.diff(y) / np.diff(x)
    if np.any(np.diff(slope) < -1e-9 * np.abs(slope).max(initial=0.0)):
        raise _refused(unit, "a piecewise-linear cost that is not convex")
    return slope


def _refused(unit: str, what: str) -> InputError:
    return InputError(
        f"{unit} has {what}.",
        "a convex cost: a polynomial of degree at most two, or rising slopes.",
        "change its cost, for example to the quadratic that fits it best (mpc.gencost in a file).",
    )
