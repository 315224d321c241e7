"""What a release clamps: told by name, and only what lies outside of the domain."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.app.clamping import clamping

NAMES = [f"load {k}" for k in range(12)]


@pytest.fixture(scope="module")
def policy() -> po.Policy:
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    box = po.Box(np.zeros(12), np.linspace(0.1, 1 / 3, 12))
    program = po.ConvexProgram(
        linear=[1.0, 2.0, *[0.0] * 12], quadratic=[0.1] * 14, lower=-40, upper=40,
        G=np.vstack([np.ones((1, 14)), np.eye(12, 14, 2)]),
        data_names=["public", *NAMES], private=NAMES, d=[6.0] + [0.0] * 12,
    )  # fmt: skip
    kept = po.ExactBox(eta=0.05)
    return po.design(program, po.Identity([0]), noise, kept, domain=box, floor=1.0)


def test_what_lies_outside_is_named(policy: po.Policy) -> None:
    d = np.r_[99.0, policy.domain[1]]  # a public entry has no domain
    assert clamping(policy, d) == "No private entry of 12 lies outside of the domain."
    d[2], d[4] = -0.5, 7.0
    assert clamping(policy, d) == (
        "2 of 12 private entries lie outside of the domain and are clamped to it: load 1, load 3"
    )
    assert clamping(policy, d + 9).endswith("load 9, ...")


def test_the_ends_of_the_domain_lie_within_although_they_are_rounded(policy: po.Policy) -> None:
    ends = np.linspace(0.1, 1 / 3, 12)
    assert (ends > policy.domain[1]).any()
    assert clamping(policy, np.r_[6.0, ends]).startswith("No private entry")
    assert clamping(policy, np.r_[6.0, ends + 1e-5]).startswith("12 of 12")
