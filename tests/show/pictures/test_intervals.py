"""Values with ranges: each where it should be, in panels by unit, and no name is markup."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.show.pictures.reading import EVIL, SVG, dots, hovers, parsed, tick, words

from privopt.show.pictures.intervals import Dots, intervals

VALUES = np.array([10.0, 40.0])
LOW, HIGH = np.array([5.0, 30.0]), np.array([20.0, 45.0])


def test_marks_stand_at_their_values_and_ranges_end_where_they_end() -> None:
    root = parsed(intervals(["a", "b"], [Dots("share", VALUES, LOW, HIGH)], "t", "c", "axis"))
    zero, ten = tick(root, "0")[0], tick(root, "10")[0]
    places = dots(root)
    assert [(x - zero) / (ten - zero) * 10 for x, _ in places] == pytest.approx(VALUES, abs=0.1)
    assert places[0][1] < places[1][1]
    ranges = [one.attrib["d"].split() for one in root.iter(f"{SVG}path") if "V" in one.attrib["d"]]
    ends = [(float(d[1]), float(d[4])) for d in ranges if d[3] == "H"]
    found = [((a - zero) / (ten - zero) * 10, (b - zero) / (ten - zero) * 10) for a, b in ends]
    assert np.allclose(found, np.column_stack([LOW, HIGH]), atol=0.1)
    assert hovers(root) == ["a: share 10 (5 to 20)", "b: share 40 (30 to 45)"]


def test_units_have_axes_of_their_own() -> None:
    values = np.array([100.0, 0.1, 200.0, 0.2])
    names = ["p[1]", "theta[1]", "p[2]", "theta[2]"]
    units = ["MW", "rad", "MW", "rad"]
    root = parsed(intervals(names, [Dots("x", values)], "t", "", "value", units))
    said = words(root)
    assert "value, MW" in said
    assert "value, rad" in said
    assert said.index("p[2]") < said.index("theta[1]")  # rows of one unit stand together
    assert "theta[2]: x 0.2 rad" in hovers(root)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_marks_of_one_name_stand_about_its_row(count: int) -> None:
    marks = [Dots(f"mark {k}", np.arange(3.0), ink="bad") for k in range(count)]
    root = parsed(intervals(["a", "b", "c"], marks, "t", "", ""))
    places = dots(root)[count if count > 1 else 0 :]  # after the legend
    for k, name in enumerate("abc"):
        rows = [y for _, y in places[count * k : count * (k + 1)]]
        assert np.mean(rows) == pytest.approx(tick(root, name)[1] - 4, abs=0.1)
        assert len(set(rows)) == count
    assert ("mark 0" in words(root)) is (count > 1)


@pytest.mark.parametrize(
    ("names", "drawn", "written"), [(40, 40, 40), (100, 100, 34), (999, 120, 40)]
)
def test_of_many_names_some_are_written_and_the_first_are_drawn(
    names: int, drawn: int, written: int
) -> None:
    labels = [f"row {k}" for k in range(names)]
    made = intervals(labels, [Dots("x", np.zeros(names))], "t", "c.", "")
    root = parsed(made)
    assert len(dots(root)) == drawn
    assert sum(text.startswith("row") for text in words(root)) == written
    assert ("The first 120 of 999." in made.caption) is (names == 999)
    assert len(made.svg) < 40_000


def test_what_is_no_number_is_not_drawn() -> None:
    values = np.array([1.0, np.nan])
    root = parsed(intervals(["a", "b"], [Dots("x", values, values - np.inf, values)], "t", "", ""))
    assert len(dots(root)) == 1


def test_no_name_is_markup() -> None:
    made = intervals([EVIL], [Dots(EVIL, np.zeros(1)), Dots("b", np.zeros(1))], EVIL, EVIL, EVIL,
                     [EVIL])  # fmt: skip
    assert any("alert(1)" in text for text in hovers(parsed(made)))
    assert "<script" not in made._repr_html_()


@given(values=st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=5))
def test_all_of_it_lies_on_the_picture(values: list[float]) -> None:
    drawn = np.array(values)
    made = intervals([f"v{k}" for k in range(len(drawn))], [Dots("x", drawn, drawn - 1, drawn + 1)],
                     "t", "", "value")  # fmt: skip
    assert all(0 <= x <= made.width and 0 <= y <= made.height for x, y in dots(parsed(made)))
