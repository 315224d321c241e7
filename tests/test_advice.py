"""An infeasible design says which domain, floor or epsilon would do; what it names does."""

from __future__ import annotations

import re
from typing import Any

import pytest

import privopt as po

UNIMODAL = po.Analytic(eta=0.05, margin="unimodal")


def refused(**asked: Any) -> str:
    one = po.experiments.instance("5_pjm", 1)
    noise = po.Laplace(epsilon=asked.pop("epsilon", 1.0), alpha=0.1)
    with pytest.raises(po.errors.InfeasibleError) as caught:
        po.design(one.program, one.query, noise, UNIMODAL, **asked)
    return str(caught.value)


def named(text: str, pattern: str) -> float:
    found = re.search(pattern, text)
    assert found is not None, text
    return float(found.group(1))


def test_the_floor_and_the_epsilon_it_names_do() -> None:
    one = po.experiments.instance("5_pjm", 1)
    text = refused(domain=one.domain, floor=60.0)
    floor = named(text, r"floor=([0-9.e+]+[0-9])")
    epsilon = named(text, r"epsilon=([0-9.e+]+[0-9])")
    assert 0 < floor < 60
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    po.design(one.program, one.query, noise, UNIMODAL, domain=one.domain, floor=floor)
    noise = po.Laplace(epsilon=epsilon, alpha=0.1)
    po.design(one.program, one.query, noise, UNIMODAL, domain=one.domain, floor=60.0)


def test_the_domain_it_names_does() -> None:
    one = po.experiments.instance("5_pjm", 1)
    text = refused(domain=po.Box(0.0, 2.8))
    share = named(text, r"a domain ([0-9.]+) times as wide")
    assert 0 < share < 1
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    narrow = po.Box(1.4 - 1.4 * share, 1.4 + 1.4 * share)
    po.design(one.program, one.query, noise, UNIMODAL, domain=narrow)


def test_where_nothing_would_do_it_says_so() -> None:
    text = refused(domain=po.Box(90.0, 100.0))
    assert "no feasible point at the middle of the domain" in text
