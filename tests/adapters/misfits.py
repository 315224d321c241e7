"""Things that do not fit: what may be added to a problem so that it must be refused.

Each gives constraints and a term of the cost, from the variables x (3), y (2 x 2) and t and the
first private parameter p, a vector.
"""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
from tests.adapters.random_atoms import Spoil
from tests.adapters.random_problems import Rng

Parts = list[Any]


def _twice(y: Any) -> Any:
    """A symmetric matrix of the variables."""
    return y + y.T + 9 * np.eye(2)


def _fixed(**attributes: Any) -> Any:
    """A variable of some kind, in the problem by a constraint that says little."""
    return cp.Variable((2, 2), name="fixed", **attributes)


PRIVATE: dict[str, Spoil] = {  # private data where no variable could be
    "times a variable": lambda r, v, p: ([p[0][0] * v[2] == 1], 0),
    "times a variable, below": lambda r, v, p: ([p[0] * v[2] <= 99], 0),
    "times each": lambda r, v, p: ([cp.multiply(p[0][[0, 0, 0]], v[0]) <= 99], 0),
    "times a vector": lambda r, v, p: ([p[0][[0, 0, 0]] @ v[0] <= 99], 0),
    "times a sum": lambda r, v, p: ([p[0][0] * (cp.sum(v[0]) + v[2]) <= 99], 0),
    "divisor": lambda r, v, p: ([v[0] / p[0][0] <= 99], 0),
    "inverse times a variable": lambda r, v, p: ([cp.inv_pos(p[0][0]) * v[2] <= 99], 0),
    "squared": lambda r, v, p: ([v[2] == cp.square(p[0][0])], 0),
    "absolute": lambda r, v, p: ([v[2] + cp.abs(p[0][0]) == 3], 0),
    "in a norm that is equal": lambda r, v, p: ([cp.norm(p[0]) == v[2]], 0),
    "exponential that is equal": lambda r, v, p: ([cp.exp(p[0][0]) == v[2]], 0),
    "exponential that is above": lambda r, v, p: ([cp.exp(p[0][0]) >= v[2]], 0),
    "maximum that is above": lambda r, v, p: ([cp.max(p[0]) >= v[2] - 99], 0),
    "minimum that is below": lambda r, v, p: ([cp.min(p[0]) <= v[2] + 99], 0),
    "norm that is above": lambda r, v, p: ([cp.norm(p[0]) + 9 >= v[2]], 0),
    "logarithm that is below": lambda r, v, p: ([cp.log(p[0] + 9) <= v[2] + 99], 0),
    "root that is below": lambda r, v, p: ([cp.sqrt(p[0] + 9) <= v[2] + 99], 0),
    "power that is above": lambda r, v, p: ([cp.power(p[0], 3) + 99 >= v[2]], 0),
    "square above a square": lambda r, v, p: ([cp.sum_squares(v[0]) <= cp.square(p[0][0]) + 99], 0),
    "quadratic form": lambda r, v, p: ([cp.quad_form(p[0], np.eye(p[0].size)) >= v[2] - 99], 0),
    "of itself": lambda r, v, p: ([p[0][0] * p[0][0] + v[2] <= 99], 0),
    "huber above": lambda r, v, p: ([cp.sum(cp.huber(p[0])) + 99 >= v[2]], 0),
    "sign": lambda r, v, p: ([cp.sign(p[0][0]) + v[2] <= 99], 0),
    "rounded": lambda r, v, p: ([cp.floor(p[0][0]) + v[2] <= 99], 0),
    "in a matrix cone": lambda r, v, p: (
        [_twice(v[1]) - p[0][0] * np.eye(2) >> -99 * np.eye(2)],
        0,
    ),
    "as a price": lambda r, v, p: ([], p[0][0] * v[2]),
    "added to the cost": lambda r, v, p: ([], cp.sum(p[0])),
    "in a norm of the cost": lambda r, v, p: ([], cp.norm(v[0] - p[0][0])),
    "as a weight": lambda r, v, p: ([], cp.abs(p[0][0]) * cp.norm(v[0])),
    "in the curve of a huber": lambda r, v, p: ([], cp.sum(cp.square(v[0] - p[0][0]))),
    "in bounds": lambda r, v, p: ([cp.Variable(bounds=[p[0][0], 99], name="b") <= v[2] + 99], 0),
}
CURVED: dict[str, Spoil] = {  # beyond rows and cones of vectors, or not convex
    "semidefinite": lambda r, v, p: ([_twice(v[1]) >> 0], 0),
    "negative semidefinite": lambda r, v, p: ([_twice(v[1]) << 99 * np.eye(2)], 0),
    "largest eigenvalue": lambda r, v, p: ([cp.lambda_max(_twice(v[1])) <= 99], 0),
    "smallest eigenvalue": lambda r, v, p: ([cp.lambda_min(_twice(v[1])) >= -99], 0),
    "largest eigenvalue in the cost": lambda r, v, p: ([], cp.lambda_max(_twice(v[1]))),
    "sum of eigenvalues": lambda r, v, p: ([cp.lambda_sum_largest(_twice(v[1]), 1) <= 99], 0),
    "largest singular value": lambda r, v, p: ([cp.sigma_max(v[1]) <= 99], 0),
    "spectral norm": lambda r, v, p: ([], cp.norm(v[1], 2)),
    "nuclear norm": lambda r, v, p: ([cp.normNuc(v[1]) <= 99], 0),
    "determinant": lambda r, v, p: ([], -cp.log_det(_twice(v[1]))),
    "inverse trace": lambda r, v, p: ([], cp.tr_inv(_twice(v[1]))),
    "matrix fraction": lambda r, v, p: ([], cp.matrix_frac(v[0][:2], _twice(v[1]))),
    "positive semidefinite variable": lambda r, v, p: ([_fixed(PSD=True) <= 9], 0),
    "negative semidefinite variable": lambda r, v, p: ([_fixed(NSD=True) >= -9], 0),
    "complex variable": lambda r, v, p: ([cp.abs(_fixed(complex=True)) <= 9], 0),
    "hermitian variable": lambda r, v, p: ([cp.abs(_fixed(hermitian=True)) <= 9], 0),
    "imaginary variable": lambda r, v, p: ([cp.abs(_fixed(imag=True)) <= 9], 0),
    "whole numbers": lambda r, v, p: ([_fixed(integer=True) <= 9], 0),
    "yes or no": lambda r, v, p: ([_fixed(boolean=True) <= v[2] + 99], 0),
    "finite set": lambda r, v, p: ([cp.FiniteSet(v[2], [1.0, 2.0])], 0),
    "power cone of four": lambda r, v, p: (
        [cp.PowConeND(v[0] + 30, v[2], [0.3, 0.3, 0.4])], 0,
    ),
    "product of variables": lambda r, v, p: ([v[0][0] * v[2] == 1], 0),
    "product in the cost": lambda r, v, p: ([], v[0][0] * v[0][1]),
    "ratio of variables": lambda r, v, p: ([v[0][0] / (v[2] + 30) <= 1], 0),
    "norm from below": lambda r, v, p: ([cp.norm(v[0]) >= 0.01], 0),
    "square that is equal": lambda r, v, p: ([cp.square(v[2]) == 1], 0),
    "root from above": lambda r, v, p: ([cp.sqrt(v[2] + 30) <= 99], 0),
    "logarithm to be small": lambda r, v, p: ([], cp.log(v[2] + 30)),
    "minimum to be small": lambda r, v, p: ([], cp.min(v[0])),
    "maximum from above": lambda r, v, p: ([cp.max(v[0]) >= 0.01], 0),
    "indefinite form": lambda r, v, p: ([], cp.quad_form(v[0], np.diag([1.0, -1, 1]))),
    "concave of convex": lambda r, v, p: ([], cp.sqrt(cp.abs(v[2]))),
    "rounded up": lambda r, v, p: ([cp.ceil(v[2]) <= 9], 0),
    "number of entries": lambda r, v, p: ([cp.length(v[0]) <= 2], 0),
    "not a number": lambda r, v, p: ([v[2] <= np.nan], 0),
    "not a coefficient": lambda r, v, p: ([np.nan * v[0] <= 9], 0),
    "infinite coefficient": lambda r, v, p: ([np.inf * v[2] <= 9], 0),
    "infinite price": lambda r, v, p: ([], np.inf * v[2]),
    "equal to infinity": lambda r, v, p: ([v[2] == np.inf], 0),
    "below minus infinity": lambda r, v, p: ([v[2] <= -np.inf], 0),
    "unknown limit": lambda r, v, p: ([v[2] <= cp.Parameter(name="cap")], 0),
    "unknown price": lambda r, v, p: ([], cp.Parameter(name="fee", nonneg=True) * v[2]),
    "computed limit": lambda r, v, p: ([v[2] <= _computed(p[0])], 0),
    "the same name twice": lambda r, v, p: ([cp.Variable(name="t") <= 9], 0),
}  # fmt: skip
KINDS = {**PRIVATE, **CURVED}


def _computed(parameter: Any) -> Any:
    return cp.CallbackParam(callback=lambda: float(parameter.value[0]) + 99, name="computed")


def spoiled(kind: str) -> Spoil:
    """What a kind adds, with a label for its constraints."""

    def spoil(rng: Rng, variables: Parts, private: Parts) -> tuple[Parts, Any]:
        constraints, term = KINDS[kind](rng, variables, private)
        for constraint in constraints:
            constraint.set_label("the odd one")
        return constraints, term

    return spoil
