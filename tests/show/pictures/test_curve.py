"""Curves: points in their place, ticks that are round and few, at any values."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.show.pictures.reading import EVIL, SVG, dots, hovers, parsed, tick, words

from privopt.show.pictures.curve import curve
from privopt.show.pictures.picture import Picture

positive = st.floats(1e-300, 1e300)
pairs = st.lists(st.tuples(positive, st.none() | st.floats(-1e3, 1e300)), min_size=1, max_size=9)


def crosses(picture: Picture) -> int:
    return sum("none" in text for text in hovers(parsed(picture)))


def test_ratios_are_even_where_they_matter() -> None:
    root = parsed(curve([(0.1, 3.0), (1.0, 2.0), (10.0, 1.0)], "epsilon", "loss, %", name="x"))
    (left, top), (middle, half), (right, low) = dots(root)
    assert middle - left == pytest.approx(right - middle, abs=0.11)
    assert low - half == pytest.approx(half - top, abs=0.11)
    assert words(root)[:7] == ["0.1", "0.2", "0.5", "1", "2", "5", "10"]
    assert tick(root, "10")[0] == right
    assert tick(root, "3")[1] == pytest.approx(top + 4, abs=0.01)
    assert "epsilon 0.1: loss, % 3" in hovers(root)
    a, b, c = dots(parsed(curve([(1.0, 1.0), (2.0, 1.0), (3.0, 1.0)], "floor", "loss", name="x")))
    assert b[0] - a[0] == pytest.approx(c[0] - b[0], abs=0.11)


def test_a_cross_stands_at_zero_where_there_is_none() -> None:
    made = curve([(3.0, None), (4.0, -1.0), (5.0, 1.0)], "floor", "loss", name="x")
    assert crosses(made) == 1
    root = parsed(made)
    cross = next(one for one in root.iter(f"{SVG}path") if one.get("stroke") == "var(--bad)")
    _, y, *_ = (float(x) for x in cross.attrib["d"].split()[1:3])
    assert y + 5 == pytest.approx(tick(root, "0")[1] - 4, abs=0.11)
    assert not dots(parsed(curve([(1.0, None)], "eta", "loss", name="x")))


def test_what_it_is_compared_with_is_a_line_across() -> None:
    levels = [("the constant", 6.0), ("the mean answer", 9.0)]
    root = parsed(curve([(1.0, 1.0), (2.0, 3.0)], "epsilon", "loss", levels, name="x"))
    lines = [one for one in root.iter(f"{SVG}path") if one.get("stroke-dasharray")]
    assert [one.get("stroke-dasharray") for one in lines] == ["6 5", "2 4"]
    (_, low), (_, high) = dots(root)
    level = float(lines[0].attrib["d"].split()[2])
    assert high - level == pytest.approx(1.5 * (low - high), abs=0.2)
    assert "the constant: loss 6" in hovers(root)
    assert "the constant" in words(root)
    alone = parsed(curve([(1.0, 1.0)], "e", "loss", [("x", None), ("y", 1.0)], name="x"))
    (only,) = [one for one in alone.iter(f"{SVG}path") if one.get("stroke-dasharray")]
    assert only.get("stroke-dasharray") == "2 4"  # captions say which is dotted


@pytest.mark.parametrize("values", [(25.0, 24.0), (24.0, 25.0), (9.0, 9.0, 9.0), (8.0, 1.0, 9.0)])
def test_names_of_levels_do_not_meet(values: tuple[float, ...]) -> None:
    levels = [(f"level {k}", value) for k, value in enumerate(values)]
    root = parsed(curve([(0.0, 0.0), (1.0, 30.0)], "quantity", "price", levels, name="x"))
    places = [tick(root, text)[1] for text, _ in levels]
    ranked = sorted(places)
    assert all(b - a >= 13 for a, b in itertools.pairwise(ranked))
    by_value = [place for _, place in sorted(zip(values, places, strict=True), reverse=True)]
    assert by_value == sorted(by_value) or len(set(values)) < len(values)


def test_names_are_text() -> None:
    made = curve([(1.0, 1.0)], EVIL, EVIL, [(EVIL, 2.0)], name=EVIL, caption=EVIL)
    assert any("alert(1)" in text for text in words(parsed(made)))


@given(values=pairs)
def test_all_of_it_lies_on_the_ground(values: list[tuple[float, float | None]]) -> None:
    made = curve(values, "x", "y", name="x")
    places = dots(parsed(made))
    assert len(places) + crosses(made) == len(values)
    assert all(54 <= x <= 386 and 14 <= y <= 222 for x, y in places)
    known = sorted(zip([x for x, y in values if y is not None], places, strict=True))
    assert [place[0] for _, place in known] == sorted(place[0] for _, place in known)
