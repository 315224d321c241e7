"""Pictures below each other: none lies on another."""

from __future__ import annotations

from tests.show.pictures.reading import SVG, parsed

from privopt.show.pictures.marks import mark
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.stacked import stacked


def test_pictures_below_each_other() -> None:
    first = Picture("first", "one", 100, 50, mark("dot", 1, 2))
    other = Picture("second", "of two", 120, 30, mark("dot", 5, 6))
    both = stacked([first, other], "both")
    root = parsed(both)
    assert (both.width, both.height) == (120, 50 + 30 + 2 * 26)
    moved = [one.get("transform") for one in root.iter(f"{SVG}g")]
    assert moved == ["translate(0 26)", "translate(0 102)"]
    assert "of two" in both.description
