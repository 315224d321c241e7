"""The timeline: steps where an independent sum puts them."""

from __future__ import annotations

import pytest
from tests.show.pictures.reading import EVIL, SVG, parsed, tick, words

from privopt.show.pictures.timeline import Moment, timeline


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
