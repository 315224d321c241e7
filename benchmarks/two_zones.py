"""A market of two zones with every kind of cost, as privopt, numpy and cvxpy are told of it.

    a0 + a1 + f = dA,   b0 + b1 - f = dB,   0 <= a, b <= 2,   |f| <= 0.8

dA and dB are private, a0 and b0 are released. Given these, one direction is left: f. So the best
completion is a search along a line, and the optimum a small cvxpy model: neither is ours.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cvxpy
import numpy as np

import privopt as po
from privopt.arrays import Dense, Vector

cp: Any = cvxpy  # its types are partial
NAMES = ["a0", "a1", "b0", "b1", "f"]
LINEAR = np.array([2.0, 3.0, 1.0, 1.5, 0.05])
G = np.array([[1.0, 1, 0, 0, 1], [0, 0, 1, 1, -1]])
MIDDLE, HALF = np.array([3.0, 1.8]), np.array([0.3, 0.3])
LOW, HIGH = np.array([0.0, 0, 0, 0, -0.8]), np.array([2.0, 2, 2, 2, 0.8])
QUERY = po.Identity(["a0", "b0"])

DIAGONAL = np.array([0.3, 0.5, 0.2, 0.4, 0.1])
FACTOR = np.random.default_rng(7).normal(size=(5, 5)) / 3
SLOPES = np.array([[0.0, 1, 0, 1, 0], [0, 2, 0, 0.5, 0.3], [0, 3.0, 0, 0, 0]])
HEIGHTS = np.array([0.0, -0.4, -1.2])


@dataclass(frozen=True)
class Kind:
    """One cost beside the linear one: as privopt, numpy and cvxpy are told of it.

    `direct` and `plain` take solutions as columns; `plain` is the sum over them.
    """

    given: dict[str, Any]
    direct: Callable[[Dense], Vector]
    plain: Callable[[Any], Any]


def _pieces_plain(z: Any) -> Any:  # noqa: ANN401 -- cvxpy
    rows = [SLOPES[i] @ z + HEIGHTS[i] for i in range(3)]
    return cp.sum(cp.maximum(*rows)) + cp.sum(cp.maximum(z[0] - 1, 3 * z[0] - 4.2, 0))


PIECES = [
    po.PiecewiseLinear(of="a0", slopes=[0, 1, 3], offsets=[0, -1, -4.2]),
    po.PiecewiseLinear(slopes=SLOPES, offsets=HEIGHTS),
]
KINDS: dict[str, Kind] = {
    "linear": Kind({}, lambda z: 0 * z[0], lambda z: 0),
    "diagonal": Kind(
        {"quadratic": DIAGONAL},
        lambda z: DIAGONAL @ z**2,
        lambda z: cp.sum(DIAGONAL @ cp.square(z)),
    ),
    "matrix": Kind(
        {"quadratic": FACTOR.T @ FACTOR},
        lambda z: np.square(FACTOR @ z).sum(axis=0),
        lambda z: cp.sum_squares(FACTOR @ z),
    ),
    "piecewise": Kind(
        {"costs": PIECES},
        lambda z: (
            np.max(SLOPES @ z + HEIGHTS[:, None], axis=0)
            + np.maximum(np.maximum(z[0] - 1, 3 * z[0] - 4.2), 0)
        ),
        _pieces_plain,
    ),
    "norm": Kind(
        {"costs": [po.Norm(C=["a0", "a1", "f"], weight=1.5)]},
        lambda z: 1.5 * np.linalg.norm(z[[0, 1, 4]], axis=0),
        lambda z: 1.5 * cp.sum(cp.norm(z[[0, 1, 4]], axis=0)),
    ),
    "power": Kind(
        {"costs": [po.Power(C=["a0", "a1", "f"], power=2.5)]},
        lambda z: (np.abs(z[[0, 1, 4]]) ** 2.5).sum(axis=0),
        lambda z: cp.sum(cp.power(cp.abs(z[[0, 1, 4]]), 2.5)),
    ),
    "exponential": Kind(
        {"costs": [po.Exponential(C=["a0", "a1", "b1"], e=-1.0)]},
        lambda z: np.exp(z[[0, 1, 3]] - 1).sum(axis=0),
        lambda z: cp.sum(cp.exp(z[[0, 1, 3]] - 1)),
    ),
    "logarithm": Kind(
        {"costs": [po.Logarithm(C=["a0", "a1", "b1"], e=2.0, weight=2.0)]},
        lambda z: -2 * np.log(z[[0, 1, 3]] + 2).sum(axis=0),
        lambda z: -2 * cp.sum(cp.log(z[[0, 1, 3]] + 2)),
    ),
    "entropy": Kind(
        {"costs": [po.Entropy(C=["a1", "b0", "f"], e=2.0)]},
        lambda z: ((z[[1, 2, 4]] + 2) * np.log(z[[1, 2, 4]] + 2)).sum(axis=0),
        lambda z: -cp.sum(cp.entr(z[[1, 2, 4]] + 2)),
    ),
}
MIXED = ("diagonal", "piecewise", "norm", "exponential")
KINDS["mix"] = Kind(
    {
        "quadratic": DIAGONAL,
        "costs": [*PIECES, *KINDS["norm"].given["costs"], *KINDS["exponential"].given["costs"]],
    },
    lambda z: np.sum([KINDS[k].direct(z) for k in MIXED], axis=0),
    lambda z: sum(KINDS[k].plain(z) for k in MIXED),
)


def cost(kind: Kind, z: Dense) -> Vector:
    """The cost of solutions (columns)."""
    return LINEAR @ z + kind.direct(z)


def optimal(kind: Kind, d: Dense, at_once: int = 400) -> Vector:
    """The optimal cost at each d (row), by plain cvxpy models of up to so many of them.

    What Clarabel calls inaccurate is solved again in smaller parts.
    """
    found: list[Vector] = []
    for part in np.array_split(d, -(-len(d) // at_once)):
        z = cp.Variable((5, len(part)))
        rules = [G @ z == part.T, z >= LOW[:, None], z <= HIGH[:, None]]
        problem = cp.Problem(cp.Minimize(cp.sum(LINEAR @ z) + kind.plain(z)), rules)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            problem.solve(solver=cp.CLARABEL)
        if problem.status != "optimal":
            if len(part) == 1:
                raise ValueError(f"the plain model is {problem.status}")
            found.append(optimal(kind, part, -(-len(part) // 4)))
            continue
        found.append(cost(kind, np.asarray(z.value)))
    return np.concatenate(found)


def completed(kind: Kind, d: Dense, y: Dense) -> Vector:
    """The least cost with a release (row) at each d, by golden sections along f; NaN if none."""
    low = np.max([LOW[4] + 0 * d[:, 0], d[:, 0] - y[:, 0] - HIGH[1], y[:, 1] - d[:, 1]], axis=0)
    high = np.min([HIGH[4] + 0 * low, d[:, 0] - y[:, 0], y[:, 1] - d[:, 1] + HIGH[3]], axis=0)
    inside = (y >= LOW[[0, 2]] - 1e-9) & (y <= HIGH[[0, 2]] + 1e-9)
    possible = (low <= high + 1e-9) & inside.all(axis=1)

    def at(f: Vector) -> Vector:
        z = [y[:, 0], d[:, 0] - y[:, 0] - f, y[:, 1], d[:, 1] - y[:, 1] + f, f]
        return cost(kind, np.array(z))

    golden, ends = (math.sqrt(5) - 1) / 2, np.array([low, np.maximum(low, high)])
    for _ in range(60):
        width = golden * (ends[1] - ends[0])
        left = at(ends[1] - width) <= at(ends[0] + width)
        ends = np.where(left, [ends[0], ends[0] + width], [ends[1] - width, ends[1]])
    return np.where(possible, np.min([at(ends.mean(axis=0)), at(ends[0]), at(ends[1])], 0), np.nan)


def check_no_dearer(kind: Kind, z: Dense, least: Vector) -> None:
    """Refuse a completion that costs more than the feasible solution (column) it completes."""
    feasible = ((z >= LOW[:, None]) & (z <= HIGH[:, None])).all(axis=0)
    if not (least[feasible] <= cost(kind, z)[feasible] + 1e-8).all():
        raise ValueError("a completed release costs more than the affine solution")


def program(kind: Kind, d: Any) -> po.ConvexProgram:  # noqa: ANN401
    """The market."""
    return po.ConvexProgram(
        linear=LINEAR, G=G, d=d, lower=LOW, upper=HIGH, names=NAMES, **kind.given
    )
