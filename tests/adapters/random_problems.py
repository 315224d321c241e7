"""Random cvxpy problems with private parameters: a mix of atoms, feasible at a known point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np

Rng = np.random.Generator


@dataclass(frozen=True, eq=False)
class Drawn:
    """A problem, its private parameters (with values) and others of their values."""

    problem: cp.Problem
    private: list[Any]
    values: list[dict[str, Any]]


def _affine(rng: Rng, variables: list[Any], size: int) -> Any:
    """A random affine expression of all variables."""
    total: Any = rng.normal(size=size)
    for x in variables:
        sparse = rng.normal(size=(size, x.size)) * (rng.random((size, x.size)) < 0.6)
        total = total + sparse @ cp.vec(x, order="F")
    return total


# Convex functions of an affine expression that linear constraints and squares can express.
CURVES: list[Callable[[Rng, Any], Any]] = [
    lambda rng, e: cp.sum(e),
    lambda rng, e: cp.sum_squares(e),
    lambda rng, e: cp.quad_form(e, _psd(rng, e.size)),
    lambda rng, e: cp.norm1(e),
    lambda rng, e: cp.norm_inf(e),
    lambda rng, e: cp.sum(cp.abs(e)),
    lambda rng, e: cp.max(e),
    lambda rng, e: cp.sum(cp.pos(e)),
    lambda rng, e: cp.sum(cp.maximum(e, 2 * e - 1)),
    lambda rng, e: cp.sum_largest(e, 2),
    lambda rng, e: cp.sum(cp.huber(e)),
    lambda rng, e: cp.sum(cp.square(cp.pos(e))),
]
LINEAR = [0, 3, 4, 5, 6, 7, 8, 9]  # of these, those whose upper limits are linear constraints


def _psd(rng: Rng, size: int) -> Any:
    root = rng.normal(size=(size, size))
    return root @ root.T / size


def _variables(rng: Rng) -> list[Any]:
    shapes: list[Any] = [(int(rng.integers(2, 6)),), (2, 3), ()]
    attributes: list[dict[str, Any]] = [{}, {"nonneg": True}, {"bounds": [-3.0, 4.0]}]
    found = [
        cp.Variable(shape, name=name, **attributes[int(rng.integers(3))])
        for shape, name in zip(shapes, "xyt", strict=True)
    ]
    if rng.random() < 0.3:
        found.append(cp.Variable((2, 2), name="s", symmetric=True))
    if rng.random() < 0.2:
        found.append(cp.Variable((2, 2), name="g", diag=True))
    return found


def _start(rng: Rng, variable: Any) -> Any:
    """A point inside the limits of a variable."""
    value = rng.uniform(0.5, 2.0, size=variable.shape)
    if variable.attributes["symmetric"]:
        return value + value.T
    return np.diag(np.diag(value)) if variable.attributes["diag"] else value


def draw(seed: int, extra: Callable[[Rng, list[Any], list[Any]], list[Any]] | None = None) -> Drawn:
    """A problem; `extra` adds constraints, given the variables and the private parameters."""
    rng = np.random.default_rng(seed)
    variables = _variables(rng)
    for variable in variables:
        variable.value = _start(rng, variable)
    demand = cp.Parameter(int(rng.integers(1, 4)), name="demand")
    private: list[Any] = [demand]
    if rng.random() < 0.4:
        private.append(cp.Parameter((2, 2), name="load"))
    for parameter in private:
        parameter.value = rng.uniform(1, 2, size=parameter.shape)
    public = cp.Parameter(3, name="price", value=rng.uniform(0.5, 2, 3))
    scale = cp.Parameter(nonneg=True, name="scale", value=float(rng.uniform(0.5, 2)))

    constraints: list[Any] = []
    for parameter in private:
        left = _affine(rng, variables, parameter.size)
        mixing = np.eye(parameter.size)
        if rng.random() < 0.5:
            mixing = rng.normal(size=(parameter.size, parameter.size))
        right = mixing @ cp.vec(parameter, order="F") * (scale if rng.random() < 0.3 else 1.0)
        constant = np.asarray((left - right).value)
        constraints.append(
            left - right == constant if rng.random() < 0.5 else right == left - constant
        )
    if rng.random() < 0.5:
        row = _affine(rng, variables, 1)
        constraints.append(row == row.value)
    for _ in range(int(rng.integers(1, 4))):
        e = _affine(rng, variables, int(rng.integers(3, 5)))
        curve = CURVES[LINEAR[int(rng.integers(len(LINEAR)))]](rng, e)
        room = float(np.asarray(curve.value)) + float(rng.uniform(0.5, 2))
        constraints.append(curve <= room if rng.random() < 0.5 else -curve >= -room)
    constraints += [cp.abs(x) <= 9.0 for x in variables[:2]]
    constraints += [x <= 10.0 for x in variables[2:]] + [x >= -10.0 for x in variables[2:]]
    if extra is not None:
        constraints += extra(rng, variables, private)
    rng.shuffle(constraints)

    cost: Any = public @ _affine(rng, variables, 3) + float(rng.normal())
    for _ in range(int(rng.integers(1, 4))):
        e = _affine(rng, variables, int(rng.integers(3, 5)))
        cost = cost + scale * CURVES[int(rng.integers(len(CURVES)))](rng, e)
    goal = cp.Minimize(cost) if rng.random() < 0.6 else cp.Maximize(-cost)
    values = [
        {p.name(): p.value + rng.uniform(-0.1, 0.1, size=p.shape) for p in private}
        for _ in range(2)
    ]
    return Drawn(cp.Problem(goal, constraints), private, values)
