"""Random expressions in which private data turn up anywhere, fitting or not."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
from tests.adapters.random_problems import Drawn, Rng

SIZE = 3


def _tree(rng: Rng, leaves: list[Any], depth: int) -> Any:
    """An expression of three values."""
    if depth == 0 or rng.random() < 0.2:
        return leaves[int(rng.integers(len(leaves)))]
    e = _tree(rng, leaves, depth - 1)
    match int(rng.integers(17)):
        case 0 | 1 | 2:
            return e + _tree(rng, leaves, depth - 1)
        case 3:
            return e - _tree(rng, leaves, depth - 1)
        case 4:
            return rng.normal(size=(SIZE, SIZE)) @ e
        case 5:
            return cp.multiply(e, _tree(rng, leaves, depth - 1))
        case 6:
            return cp.abs(e)
        case 7:
            return cp.pos(e)
        case 8:
            return cp.square(e)
        case 9:
            return cp.maximum(e, _tree(rng, leaves, depth - 1))
        case 10:
            return cp.cumsum(e)
        case 11:
            return e[[2, 0, 1]]
        case 12:
            return cp.sum(e) * np.ones(SIZE)
        case 13:
            return cp.exp(0.3 * e)
        case 14:
            return cp.norm(e) * np.ones(SIZE)
        case 15:
            return cp.log_sum_exp(e) * np.ones(SIZE)
        case _:
            return -2.0 * e


def draw_tree(seed: int) -> Drawn:
    """A problem that is feasible at its first values, convex or not, private data anywhere."""
    rng = np.random.default_rng(seed)
    x, y = cp.Variable(SIZE, name="x"), cp.Variable(SIZE, name="y", nonneg=rng.random() < 0.5)
    x.value, y.value = rng.uniform(0.5, 1.5, SIZE), rng.uniform(0.5, 1.5, SIZE)
    private = cp.Parameter(SIZE, name="p", nonneg=rng.random() < 0.5)
    private.value = rng.uniform(0.5, 1.5, SIZE)
    public = cp.Parameter(SIZE, name="q", value=rng.uniform(0.5, 1.5, SIZE), nonneg=True)
    leaves = [x, x, y, y, public, np.ones(SIZE) * cp.Constant(0.5)]
    constraints: list[Any] = [
        cp.abs(x) <= 5,
        cp.abs(y) <= 5,
        cp.sum(x) + y[0] == cp.sum(private) + 0.25,
    ]
    for _ in range(int(rng.integers(1, 4))):
        mixed = [*leaves, private, private] if rng.random() < 0.6 else leaves
        left, right = _tree(rng, mixed, 2), _tree(rng, mixed, 1)
        if rng.random() < 0.5:
            constraints.append(left == right + (left - right).value)
        else:
            constraints.append(left <= right + (left - right).value + rng.uniform(0.1, 2.0))
    spread = cp.sum_squares(x - public) + cp.sum(_tree(rng, leaves, 2))
    cost = spread + (cp.sum(private) if rng.random() < 0.1 else 0.0)
    values = [{"p": private.value * rng.uniform(0.9, 1.1, SIZE)} for _ in range(2)]
    return Drawn(cp.Problem(cp.Minimize(cost), constraints), [private], values)
