"""Fidelity as a bound on the distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import privopt as po
from privopt.mechanisms.fidelity import within


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), "near"])
def test_bad_bounds(bad: Any) -> None:
    with pytest.raises(po.errors.InputError, match="distance"):
        po.Within(bad)


@dataclass(frozen=True)
class Curved:
    """The minimum of (x - 3)^2 + weight (x - 1)^2, and its distance from 1."""

    weight: float

    @property
    def distance(self) -> float:
        return 2 / (1 + self.weight)


def refused(least: float) -> po.errors.InfeasibleError:
    return po.errors.InfeasibleError(f"least {least:g}.", "n.", "r.")


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e5])
@pytest.mark.parametrize("bound", [1.99, 1.0, 0.1, 1e-3])
def test_the_weight_is_that_of_the_bound_in_few_tries(scale: float, bound: float) -> None:
    tried: list[float] = []

    def make(weight: float) -> Curved:
        tried.append(weight)
        return Curved(weight)

    if Curved(0.01 * scale / 4 * 1e6).distance > bound:
        with pytest.raises(po.errors.InfeasibleError):
            within(po.Within(bound), make, scale, refused)
        return
    assert 0.97 * bound <= within(po.Within(bound), make, scale, refused).distance <= bound
    assert len(tried) <= 14


def test_what_was_refused_is_said_by_whoever_asked() -> None:
    with pytest.raises(po.errors.InfeasibleError, match="least 2"):
        within(po.Within(0.5), lambda _: Curved(0.0), 1.0, refused)
