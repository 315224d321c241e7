"""Advice: a bound is called one, and what follows from instrument and decision follows from one."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from tests.app.test_advising import job, made, quick

from privopt.app.job import Job

__all__ = ["job", "quick"]

ASKED = {"values": ["coal"], "digest": "x"}


def told_at(found: float, shares: dict[float, float], spread: float) -> dict[str, Any]:
    """A comparison whose curve tells these shares at these epsilons; no constant is possible."""
    points = [
        {"epsilon": epsilon, "loss": 0.1, "loss_error": None, "decisions": 6, "without": 0,
         "distance": spread * math.sqrt(1 - share), "distance_error": None}
        for epsilon, share in shares.items()
    ]  # fmt: skip
    nothing = dict.fromkeys(("loss", "loss_error", "distance", "distance_error"), None)
    none = {"epsilon": 0.0, **nothing, "decisions": 0, "without": 1}
    far = spread * math.sqrt(1 - shares[found])
    return {
        "chosen": "asked", "loss": 0.1, "distance": far, "spread": spread, "candidates": [],
        "curve": {"even": 1.0, "points": [none, *points]}, "asked": ASKED,
        "errors": [far], "spreads": [spread],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("shares", "half", "bound"),
    [({0.25: 0.76, 1.0: 0.98}, 0.25, True), ({0.25: 0.2, 1.0: 0.98}, None, False)],
)
def test_half_that_is_told_at_the_least_epsilon_is_told_below_it(
    job: Job, shares: dict[float, float], half: float | None, bound: bool
) -> None:
    found = made(job)
    one = found.instrument.compared(told_at(1.0, shares, 1.0))
    found = dataclasses.replace(found, instrument=one)
    plain, said = found.to_dict(), {fact.name: fact.text for fact in found.view().facts}
    assert plain["epsilon_for_half_is_bound"] is bound
    assert plain["values"]["epsilon_for_half_is_bound"] is bound
    assert found.half is not None
    if half is not None:
        assert found.half == half
        assert said["half is told"].startswith("below epsilon 0.25, the least that was simulated")
    else:
        assert 0.25 < found.half < 1.0
        assert said["half is told"].startswith("at about epsilon 0.")
