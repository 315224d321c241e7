"""Lines, bars and bands: corners where they should be."""

from __future__ import annotations

import re

from tests.show.pictures.reading import read

from privopt.show.pictures.shapes import band, bar, line, whisker


def test_a_line_goes_through_its_points() -> None:
    made = read(line([(1, 2), (3.456, 4)], "bad", dash="2 4", text="a"))
    assert made.get("points") == "1,2 3.46,4"
    assert made.get("stroke") == "var(--bad)"
    assert made.get("stroke-dasharray") == "2 4"
    assert made[0].text == "a"
    assert line([]) == band([(1, 2), (3, 4)]) == ""
    assert read(band([(0, 0), (1, 0), (1, 1)])).get("points") == "0,0 1,0 1,1"


def test_bars_are_filled_hollow_or_hatched() -> None:
    full, hollow, hatched = (
        read(bar(10, 20, 30, 40, "box", fill=fill)) for fill in ("full", "hollow", "hatched")
    )
    assert (full.tag, full.get("fill")) == ("rect", "var(--box)")
    assert hollow[0].get("stroke") == "var(--box)"
    places = [float(x) for x in re.findall(r"[\d.]+", hatched[1].attrib["d"])]
    assert all(10 <= x <= 40 for x in places[::2])
    assert all(20 <= y <= 60 for y in places[1::2])
    assert len(places) // 4 == 11  # one line every 6 of 70


def test_a_whisker_ends_where_the_range_does() -> None:
    assert 'd="M 5 1 V 9 M 3 1 H 7 M 3 9 H 7"' in whisker(5, 1, 9, end=2)
    assert 'd="M 1 5 H 9 M 1 3 V 7 M 9 3 V 7"' in whisker(5, 1, 9, end=2, lying=True)
