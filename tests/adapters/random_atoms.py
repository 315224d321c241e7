"""Random convex problems over cvxpy's atoms, in the objective and in constraints.

cvxpy rounds exponents to fractions (`approx=True`): what it solves is then not quite what it
evaluates. Exponents here are fractions, or kept as they are by power cones (`approx=False`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import cvxpy as cp
import numpy as np
from tests.adapters.random_problems import Drawn, Rng


def _power(rng: Rng, low: float, high: float) -> dict[str, Any]:
    """An exponent, and whether cvxpy may round it: only a fraction."""
    if rng.random() < 0.5:
        return {"p": float(rng.uniform(low, high)), "approx": False}
    return {"p": float(np.ceil(8 * rng.uniform(low, high - 0.125)) / 8)}


# Convex functions: of any affine expression, and of one that is positive.
ANY: dict[str, Callable[[Rng, Any], Any]] = {
    "maximum": lambda rng, e: cp.sum(cp.maximum(e, 2 * e - 1, 0.5 - e)),
    "max": lambda rng, e: cp.max(e),
    "abs": lambda rng, e: cp.sum(cp.abs(e)),
    "pos": lambda rng, e: cp.sum(cp.pos(e)),
    "huber": lambda rng, e: cp.sum(cp.huber(e, float(rng.uniform(0.3, 2)))),
    "exp": lambda rng, e: cp.sum(cp.exp(0.5 * e)),
    "square": lambda rng, e: cp.sum_squares(e),
    "fourth power": lambda rng, e: cp.sum(cp.power(e, 4)),
    "power of a size": lambda rng, e: cp.sum(cp.power(cp.abs(e), **_power(rng, 1.2, 3.0))),
    "norm2": lambda rng, e: cp.norm2(e),
    "norm2 of a matrix": lambda rng, e: cp.norm(cp.vstack([e, 2 * e]), "fro"),
    "norms of rows": lambda rng, e: cp.mixed_norm(cp.vstack([e, 1 - e]), 2, 1),
    "pnorm": lambda rng, e: cp.pnorm(e, **_power(rng, 1.5, 4.0)),
    "norm1": lambda rng, e: cp.norm1(e),
    "norm_inf": lambda rng, e: cp.norm_inf(e),
    "sum_largest": lambda rng, e: cp.sum_largest(e, 2),
    "logistic": lambda rng, e: cp.sum(cp.logistic(e)),
    "log_sum_exp": lambda rng, e: cp.log_sum_exp(e),
    "quad_form": lambda rng, e: cp.quad_form(e, np.eye(e.size) + 0.5),
    "square of pos": lambda rng, e: cp.sum(cp.square(cp.pos(e))),
    "exp of abs": lambda rng, e: cp.sum(cp.exp(0.3 * cp.abs(e))),
    "norm of pos": lambda rng, e: cp.norm(cp.pos(e)),
    "norm of norms": lambda rng, e: cp.norm(cp.hstack([cp.norm(e), cp.norm1(e - 1), 1.0])),
    "maximum of curves": lambda rng, e: cp.maximum(cp.norm(e), cp.exp(0.3 * e[0]), 1.0),
    "log_sum_exp of abs": lambda rng, e: cp.log_sum_exp(0.5 * cp.abs(e)),
    "cummax": lambda rng, e: cp.sum(cp.cummax(e)),
    "tv": lambda rng, e: cp.tv(e),
}
POSITIVE: dict[str, Callable[[Rng, Any], Any]] = {
    "log": lambda rng, e: -cp.sum(cp.log(e)),
    "log1p": lambda rng, e: -cp.sum(cp.log1p(e)),
    "entr": lambda rng, e: -cp.sum(cp.entr(e)),
    "sqrt": lambda rng, e: -cp.sum(cp.sqrt(e)),
    "power below one": lambda rng, e: -cp.sum(cp.power(e, **_power(rng, 0.2, 0.9))),
    "power above one": lambda rng, e: cp.sum(cp.power(e, **_power(rng, 1.1, 3.0))),
    "negative power": lambda rng, e: cp.sum(cp.power(e, **_power(rng, -2.0, -0.4))),
    "inv_pos": lambda rng, e: cp.sum(cp.inv_pos(e)),
    "geo_mean": lambda rng, e: -cp.geo_mean(e),
    "weighted geo_mean": lambda rng, e: -cp.geo_mean(e[:2], [1, 2]),
    "harmonic_mean": lambda rng, e: -cp.harmonic_mean(e),
    "quad_over_lin": lambda rng, e: cp.quad_over_lin(e[1:] - 1.0, e[0]),
    "kl_div": lambda rng, e: cp.sum(cp.kl_div(e, e[::-1] + 0.5)),
    "rel_entr": lambda rng, e: cp.sum(cp.rel_entr(e, e[::-1] + 0.5)),
    "log of a minimum": lambda rng, e: -cp.log(cp.min(e)),
    "sqrt of geo_mean": lambda rng, e: -cp.sqrt(cp.geo_mean(e)),
    "exp of inv_pos": lambda rng, e: cp.exp(0.3 * cp.inv_pos(e[0])),
}
ATOMS = {**ANY, **POSITIVE}
Spoil: TypeAlias = Callable[[Rng, list[Any], list[Any]], tuple[list[Any], Any]]


def _affine(rng: Rng, leaves: list[Any], size: int, *, positive: bool) -> Any:
    """A random affine expression of some leaves, of size about one; positive at their values."""
    total: Any = np.zeros(size)
    for leaf in leaves:
        factors = 0.5 * rng.normal(size=(size, leaf.size)) * (rng.random((size, leaf.size)) < 0.6)
        total = total + factors @ cp.vec(leaf, order="F")
    value = np.asarray(total.value)
    wanted = rng.uniform(0.6, 2.0, size) if positive else rng.uniform(-1.5, 1.5, size)
    return total + (wanted - value)


def draw_atoms(seed: int, spoil: Spoil | None = None) -> Drawn:
    """A convex problem with a point inside; the atoms go round with the seed.

    `spoil` gives further constraints, and a further term of the cost, from the variables and the
    private parameters.
    """
    rng = np.random.default_rng(seed)
    x, y, t = cp.Variable(3, name="x"), cp.Variable((2, 2), name="y"), cp.Variable(name="t")
    if rng.random() < 0.3:
        x = cp.Variable(3, name="x", nonneg=True)
    variables: list[Any] = [x, y, t]
    for variable in variables:
        variable.value = rng.uniform(0.5, 2.0, size=variable.shape)
    private: list[Any] = [cp.Parameter(int(rng.integers(1, 3)), name="demand")]
    if rng.random() < 0.4:
        private.append(cp.Parameter((2, 2), name="load"))
    for parameter in private:
        parameter.value = rng.uniform(1, 2, size=parameter.shape)
    public = cp.Parameter(nonneg=True, name="price", value=float(rng.uniform(0.5, 2)))

    names = list(ATOMS)

    def curve(k: int, leaves: list[Any]) -> Any:
        name = names[k % len(names)]
        e = _affine(rng, leaves, int(rng.integers(3, 5)), positive=name in POSITIVE)
        return ATOMS[name](rng, e)

    constraints: list[Any] = []
    for parameter in private:
        left = _affine(rng, variables, parameter.size, positive=False)
        right = cp.vec(parameter, order="F")
        constraints.append(left == right + (left - right).value)
    for k in range(2):
        with_private = rng.random() < 0.4
        limited = curve(7 * seed + 13 * k, [*variables, *private] if with_private else variables)
        room = float(np.asarray(limited.value)) + float(rng.uniform(0.3, 1.5))
        constraints.append(limited <= room if rng.random() < 0.5 else room - limited >= 0)
    constraints += [cp.abs(variable) <= 9.0 for variable in variables]
    more, term = spoil(rng, variables, private) if spoil else ([], 0.0)
    constraints += more
    rng.shuffle(constraints)
    cost: Any = (
        term + 0.1 * cp.sum(_affine(rng, variables, 3, positive=False)) + float(rng.normal())
    )
    cost = cost + public * curve(seed, variables) + curve(3 * seed + 1, variables)
    goal = cp.Minimize(cost) if rng.random() < 0.6 else cp.Maximize(-cost)
    values = [{p.name(): p.value + rng.uniform(-0.05, 0.05, p.shape) for p in private}]
    return Drawn(cp.Problem(goal, constraints), private, values)
