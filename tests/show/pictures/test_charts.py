"""Bars, scatters, the budget bar and the timeline: marks where an independent sum puts them."""

from __future__ import annotations

import pytest
from tests.show.pictures.reading import EVIL, SVG, dots, hovers, parsed, tick, words

from privopt.show.pictures.bars import bars
from privopt.show.pictures.budget import Share, budget_bar
from privopt.show.pictures.scatter import ScatterPoint, scatter
from privopt.show.pictures.timeline import Moment, timeline


def test_bars_are_as_long_as_their_values() -> None:
    root = parsed(bars(["a", EVIL, "c"], [2.0, -1.0, 4.0], "t", "", "excess"))
    unit = tick(root, "1")[0] - tick(root, "0")[0]
    rects = list(root.iter(f"{SVG}rect"))
    assert [float(r.attrib["width"]) / unit for r in rects] == pytest.approx([2, 1, 4], rel=0.01)
    assert float(rects[0].attrib["x"]) == pytest.approx(tick(root, "0")[0])
    assert hovers(root)[0] == "a: 2"
    many = bars([f"r{k}" for k in range(99)], [1.0] * 99, "t", "", "x")
    assert "The first 40 of 99." in many.caption


def test_points_stand_by_both_quantities() -> None:
    points = [ScatterPoint(1, 3, "first", written=True), ScatterPoint(4, 1, EVIL, is_open=True)]
    root = parsed(scatter(points, "distance", "loss", "t", joining=True))
    (x0, y0), (x1, y1) = dots(root)
    assert x0 == pytest.approx(tick(root, "1")[0], abs=0.1)
    origin, floor = tick(root, "0")[0], tick(root, "0", 1)[1] - 4
    assert (x1 - origin) / (x0 - origin) == pytest.approx(4, rel=0.01)
    assert (floor - y0) / (floor - y1) == pytest.approx(3, rel=0.01)
    assert "first" in words(root)
    assert [one.get("fill") for one in root.iter(f"{SVG}circle")] == [
        "var(--analytic)",
        "var(--ground)",
    ]
    assert len(list(root.iter(f"{SVG}polyline"))) == 1


@pytest.mark.parametrize(
    ("spent", "part", "ink"),
    [(3.0, 0.3, "analytic"), (9.0, 0.9, "warn"), (10.0, 1.0, "bad"), (12.0, 1.0, "bad")],
)
def test_the_bar_is_filled_by_what_was_spent(spent: float, part: float, ink: str) -> None:
    root = parsed(budget_bar([Share("epsilon", spent, 10.0)], [Share(EVIL, 0.0, 1.0)]))
    frame, filled, *_ = root.iter(f"{SVG}rect")
    assert float(filled.attrib["width"]) == pytest.approx(
        part * float(frame.attrib["width"]), abs=0.1
    )
    assert filled.get("fill") == f"var(--{ink})"
    assert len(list(root.iter(f"{SVG}rect"))) == 3  # of the quota nothing was spent
    assert f"{max(0, 10 - spent):g} left of 10" in words(root)
    assert Share("x", 0, 0).part == 1


def moment(day: int, spent: float, limit: float, kind: str = "charge", text: str = "c") -> Moment:
    return Moment(f"2026-05-{day:02}T10:00:00Z", spent, limit, kind, text)


def test_steps_rise_when_something_was_spent() -> None:
    events = [
        moment(1, 0, 5, ""),
        moment(3, 1, 5),
        moment(9, 2, 5, "burnt", EVIL),
        moment(11, 2, 8, ""),
    ]
    made = timeline(events, "epsilon")
    root = parsed(made)
    limit, spent = (
        [tuple(map(float, pair.split(","))) for pair in one.attrib["points"].split()]
        for one in root.iter(f"{SVG}polyline")
        if len(one.attrib["points"].split()) > 2
    )
    across = [spent[0][0], spent[1][0], spent[3][0], spent[5][0]]
    days = [1 + 10 * (x - across[0]) / (across[3] - across[0]) for x in across]
    assert days == pytest.approx([1, 3, 9, 11], abs=0.05)
    unit = tick(root, "2")[1] - tick(root, "4")[1]
    rises = [2 * (spent[0][1] - y) / unit for _, y in spent]
    assert rises == pytest.approx([0, 0, 1, 1, 2, 2, 2, 2], abs=0.02)
    assert 2 * (limit[0][1] - limit[-1][1]) / unit == pytest.approx(3, abs=0.02)
    assert "charge without output" in words(root)
    assert "2 of 8 after 2 charges" in made.description


def test_a_long_ledger_is_thinned_and_says_so() -> None:
    events = [
        Moment(f"2026-05-01T10:{k // 60 % 60:02}:{k % 60:02}Z", float(k), 5000.0, "charge", "c")
        for k in range(3000)
    ]
    made = timeline(events, "epsilon")
    assert len(made.svg) < 60_000
    assert "202 of 3000 events." in made.caption or "201 of 3000 events." in made.caption
    assert parsed(timeline(events[:1], "epsilon")) is not None
