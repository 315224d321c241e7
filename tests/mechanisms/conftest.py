"""A front that several tests look at."""

from __future__ import annotations

from typing import Any

import pytest

import privopt as po


@pytest.fixture(scope="session")
def parts() -> tuple[Any, ...]:
    one = po.experiments.instance("5_pjm", 1)
    noise, kind = po.Laplace(epsilon=1.0, alpha=0.1), po.Analytic(eta=0.05, margin="unimodal")
    return one.program, one.query, noise, kind, one.domain


@pytest.fixture(scope="session")
def front(parts: tuple[Any, ...]) -> po.Front:
    *asked, domain = parts
    return po.pareto(*asked, domain=domain, points=7)
