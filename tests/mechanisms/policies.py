"""Policies that several tests share."""

from __future__ import annotations

from functools import cache
from typing import Any

import privopt as po

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)
KINDS: dict[str, tuple[Any, Any]] = {
    "laplace": (NOISE, po.Analytic(eta=0.05, margin="unimodal")),
    "gaussian": (
        po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1),
        po.Analytic(eta=0.05, margin="unimodal"),
    ),
    "truncated": (po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.1), po.Always()),
}


@cache
def made(kind: str = "laplace", name: str = "5_pjm", seed: int = 0) -> tuple[po.Policy, Any]:
    one = po.experiments.instance(name, seed)
    noise, feasibility = KINDS[kind]
    policy = po.design(one.program, one.query, noise, feasibility, domain=one.domain, floor=0.3)
    return policy, one
