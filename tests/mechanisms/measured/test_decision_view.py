"""How a decision shows itself: values with their errors, what it rests on, what it costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.mechanisms.measured.test_telling import instrument, program
from tests.show.pictures.reading import hovers, parsed, reaches, words

import privopt as po
from privopt.claims.worth import told_percent
from privopt.mechanisms.measured.decision_view import in_short, plot_of, view_of


@pytest.fixture(scope="module")
def decision() -> po.Decision:
    measured = instrument([[1.0, 1.0, 1.0]]).measure([3, 3, 3])
    return po.decide(program(), po.Identity([0, 2]), measured, po.ExactBox(eta=0.05))


def test_the_table_has_values_errors_spreads_and_shares(decision: po.Decision) -> None:
    table = decision.to_pandas()
    assert table["decided"].tolist() == decision.values.tolist()
    assert table["off by"].tolist() == decision.errors.tolist()
    assert table["constant"].tolist() == decision.spreads.tolist()
    shown = [told_percent(float(share)) for share in decision.worth.told]
    assert table["tells, %"].tolist() == shown  # with the digits of the sentence


def test_facts_name_the_measurement_and_its_charge_alone(decision: po.Decision) -> None:
    facts = {fact.name: fact.text for fact in view_of(decision).facts}
    assert facts["rests on"].startswith("1 measured sum (")
    assert decision.measurements[0].digest[:12] in facts["rests on"]
    assert "in no ledger" in facts["rests on"]
    assert facts["charge"].startswith("epsilon 1, delta 0,")
    assert facts["tells"] == f"{decision.worth.verdict} (given what was measured)"
    still = po.decide(
        program(), po.Identity([0]), instrument({}).measure([3, 3, 3]), po.ExactBox(eta=0.05)
    )
    facts = {fact.name: fact.text for fact in view_of(still).facts}
    assert facts["rests on"] == "nothing measured"
    assert facts["tells"] == "nothing: the release is a constant"
    assert view_of(still).warnings == ()  # it costs nothing


def test_what_is_not_known_leaves_no_hole(decision: po.Decision) -> None:
    """Where no draw has an answer, values are shown and nothing is said of their errors."""
    unknown = replace(decision.worth, errors=np.full(2, np.nan))
    blind = replace(decision, worth=unknown)
    assert "off by" not in view_of(blind).table.columns
    assert "nan" not in view_of(blind).text()
    assert blind.release().worth is None
    assert "not known" in in_short(blind)


def test_the_picture_has_the_errors_as_bars(decision: po.Decision) -> None:
    bars = [row[0][1] for row in reaches(plot_of(decision))]
    assert np.allclose(bars, 2 * decision.errors, rtol=0.05)
    assert decision.worth.verdict in plot_of(decision).caption


def test_values_of_a_horizon_are_drawn_over_time(decision: po.Decision) -> None:
    names = ("p[3]@00", "p[3]@01")
    grid = po.Periods.grid(["00", "01", "02"], ["home"])
    timed = po.PublicProgram(decision.program.over(grid))
    picture = plot_of(replace(decision, names=names, public=timed))
    said = hovers(parsed(picture))
    high = decision.values + 2 * decision.errors
    for name, value, most, text in zip(("00", "01"), decision.values, high, said, strict=True):
        assert text.startswith(f"p[3] at {name}: {value:.6g} ")
        assert text.endswith(f" to {most:.4g})")
    other = plot_of(replace(decision, public=timed))  # names of no period
    assert "period" not in words(parsed(other))
