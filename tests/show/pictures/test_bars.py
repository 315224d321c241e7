"""Bars: as long as their values."""

from __future__ import annotations

import pytest
from tests.show.pictures.reading import EVIL, SVG, hovers, parsed, tick

from privopt.show.pictures.bars import bars


def test_bars_are_as_long_as_their_values() -> None:
    root = parsed(bars(["a", EVIL, "c"], [2.0, -1.0, 4.0], "t", "", "excess"))
    unit = tick(root, "1")[0] - tick(root, "0")[0]
    rects = list(root.iter(f"{SVG}rect"))
    assert [float(r.attrib["width"]) / unit for r in rects] == pytest.approx([2, 1, 4], rel=0.01)
    assert float(rects[0].attrib["x"]) == pytest.approx(tick(root, "0")[0])
    assert hovers(root)[0] == "a: 2"
    many = bars([f"r{k}" for k in range(99)], [1.0] * 99, "t", "", "x")
    assert "The first 40 of 99." in many.caption
