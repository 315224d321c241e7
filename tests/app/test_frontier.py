"""A frontier that was traced: its table, its verdicts, its picture and its plain data."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.show.pictures.reading import hovers, parsed

from privopt.app.frontier import Frontier, FrontierPoint
from privopt.claims.units import UnitLabels
from privopt.claims.worth import Worth


def point(value: float, distance: float) -> FrontierPoint:
    worth = Worth.of_all(distance, 1.0, value)
    return FrontierPoint(value, "solved", completed=0.01 * distance, worth=worth)


CONSTANT = FrontierPoint(0.0, "solved", completed=0.02, worth=Worth.of_all(1.0, 1.0, 0.0))
FOUND = Frontier(
    "epsilon", False,
    (point(0.1, 5.0), point(1.0, 0.8), point(10.0, 0.1), FrontierPoint(20.0, "infeasible")),
    CONSTANT,
)  # fmt: skip


def facts(found: Frontier) -> dict[str, str]:
    return {fact.name: fact.text for fact in found.view().facts}


def test_the_verdict_stands_at_both_ends_and_where_half_is_told() -> None:
    said = facts(FOUND)
    first, last = FOUND.points[0].worth, FOUND.points[2].worth
    assert first is not None
    assert last is not None
    assert said == {
        "epsilon 0.1": f"tells {first.verdict}",
        "epsilon 10": f"tells {last.verdict}",
        "half is told": "at epsilon 10",
    }
    assert "5 times nearer" in said["epsilon 0.1"]
    assert facts(Frontier("eta", False, (point(0.1, 5.0),)))["half is told"].startswith("at none")
    assert facts(Frontier("eta", False, (point(0.1, 0.2),)))["half is told"].startswith("at all")
    assert facts(Frontier("eta", True, (FrontierPoint(0.1, "solved", 3.0),))) == {}


def test_half_that_is_told_at_the_least_epsilon_is_told_below_it() -> None:
    two = Frontier("epsilon", False, (point(0.25, 0.4), point(1.0, 0.1)))
    (half,) = [fact for fact in two.view().facts if fact.name == "half is told"]
    assert half.text == "below epsilon 0.25, the least of these, which tells 84%"
    assert half.figure == "< 0.25"
    assert two.to_dict()["half"] == {"least": 0.25, "is_bound": True}
    assert FOUND.to_dict()["half"] == {"least": 10.0, "is_bound": False}
    none = Frontier("epsilon", False, (point(0.25, 4.0),))
    assert none.to_dict()["half"] == {"least": None, "is_bound": False}


def test_distances_have_the_unit_of_the_values() -> None:
    found = replace(FOUND, units=UnitLabels("MW", "MW"))
    assert "distance, MW" in found.view().table.columns
    assert "distance, MW" in found.plot().svg
    assert found.to_dict()["unit"] == "MW"


def test_the_table_has_the_constant_last_and_no_column_that_decisions_have_not() -> None:
    table = FOUND.view().table
    assert list(table.rows) == [0.1, 1.0, 10.0, 20.0, "constant"]
    assert list(table.columns) == ["status", "completed, %", "distance", "tells, %"]
    assert table.columns["distance"][-1] == 1.0
    assert table.columns["tells, %"][-2] is None


def test_the_picture_has_the_line_of_the_constant_and_the_verdicts() -> None:
    drawn = FOUND.plot()
    said = hovers(parsed(drawn))
    assert "the constant: completed loss, % 2" in said
    assert "the constant: distance 1" in said
    assert facts(FOUND)["epsilon 0.1"] in drawn.caption
    assert "half is told: at epsilon 10" in drawn.caption


def test_its_plain_data_have_a_verdict_for_each_value() -> None:
    data = json.loads(json.dumps(FOUND.to_dict()))
    assert [one["verdict"] is None for one in data["points"]] == [False, False, False, True]
    assert data["constant"]["verdict"] == "nothing: the release is a constant"
    assert data["points"][2]["tells"] == 0.99
