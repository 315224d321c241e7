"""Signs: about their place, and saying what they are."""

from __future__ import annotations

import re

import pytest
from tests.show.pictures.reading import read

from privopt.show.pictures.marks import SHAPES, mark


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("is_open", [False, True])
def test_signs_lie_about_their_place(shape: str, is_open: bool) -> None:
    made = read(mark(shape, 100, 50, 5, text="here", is_open=is_open))
    assert made[0].text == "here"
    if shape == "dot":
        assert (made.get("cx"), made.get("cy"), made.get("r")) == ("100", "50", "5")
        return
    places = [float(x) for x in re.findall(r"[\d.]+", made.attrib["d"])]
    xs, ys = places[::2], places[1::2]
    assert sum(xs) / len(xs) == pytest.approx(100, abs=0.01)
    assert all(abs(x - 100) <= 8 for x in xs)
    assert all(abs(y - 50) <= 8 for y in ys)
