"""A small program with two private entries, its plans and a ledger for them."""

from __future__ import annotations

from functools import cache
from typing import Any

import privopt as po

D = [3.0, 1.0]


def program(d: Any = D, **more: Any) -> po.ConvexProgram:
    return po.ConvexProgram(
        linear=[1.0, 2.0, 3.0],
        quadratic=[0.1, 0.1, 0.1],
        G=[[1, 1, 1], [0, 0, 1]],
        d=d,
        lower=0,
        upper=6,
        data_names=["load", "reserve"],
        **more,
    )


def noise(epsilon: float = 0.1) -> po.Laplace:
    return po.Laplace(epsilon=epsilon, alpha=1e-5)


@cache
def plan(epsilon: float = 0.1, d: tuple[float, float] = (3.0, 1.0)) -> po.Plan:
    return po.solve(program(d), po.Identity([0]), noise(epsilon), po.Analytic(eta=0.05))
