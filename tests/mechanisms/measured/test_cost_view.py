"""What a decision about the cost shows: its value and its interval, rounded outwards."""

from __future__ import annotations

import re

import pytest
from tests.show.pictures.reading import hovers, parsed

import privopt as po


@pytest.fixture(scope="module")
def decision() -> po.CostDecision:
    program = po.ConvexProgram(
        linear=[1.0, 4.0], quadratic=[0.2, 0.1], G=[[1.0, 1.0]], lower=0.0, upper=[1.0, 9.0]
    )
    instrument = po.Instrument(
        [[1.0]], program=program, privacy=po.Laplace(epsilon=1.0, alpha=0.03),
        domain=po.Box(0.5, 2.0),
    )  # fmt: skip
    return po.decide_cost(program, instrument.measure([1.3]), po.ExactBox(eta=0.05))


def test_in_short(decision: po.CostDecision) -> None:
    said = repr(decision)
    low, high = map(float, re.findall(r"between (\S+) and (\S+);", said)[0])
    assert low <= decision.interval[0] <= decision.interval[1] <= high
    assert high - low <= decision.width * 1.001
    assert "[PROVEN, cost]" in said
    assert "with probability <= 0.05" in said
    assert f"{decision.error:.3g}" in said


def test_the_view_has_a_row_for_the_cost(decision: po.CostDecision) -> None:
    view = decision.view()
    assert not view.private
    assert list(view.table.columns["decided"]) == [decision.value]
    assert list(view.table.columns["at least"]) == [decision.interval[0]]
    assert list(view.table.columns["at most"]) == [decision.interval[1]]
    text = decision.summary()
    assert "Optimal cost" in text
    assert "of the measurement; the decision adds nothing" in text
    assert decision.measurements[0].digest[:8] in text


def test_the_picture_holds_the_interval(decision: po.CostDecision) -> None:
    (said,) = hovers(parsed(decision.plot()))[-1:]
    low, high = decision.interval
    assert f"cost: interval that holds it {decision.value:.4g} ({low:.4g} to {high:.4g})" in said


def test_a_constant_is_compared(decision: po.CostDecision) -> None:
    assert 0 < decision.error < decision.spread
    assert decision.worth.names == ("cost",)
