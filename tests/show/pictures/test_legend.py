"""Legends: a sign and a name for each thing, none on another."""

from __future__ import annotations

from tests.show.pictures.reading import EVIL, read

from privopt.show.pictures.legend import legend
from privopt.show.pictures.svg import text_width


def test_signs_and_names_stand_side_by_side() -> None:
    items = [("first", "bad", "dot"), ("the limit", "limit", "dash"), (EVIL, "box", "cross")]
    root = read(f"<g>{legend(items, 8)}</g>")
    texts = list(root.iter("text"))
    places = [float(one.attrib["x"]) for one in texts]
    assert places == sorted(places)
    assert places[1] > places[0] + text_width("first", 12)
    assert len(list(root.iter("circle"))) == len(list(root.iter("polyline"))) == 1
    assert not list(root.iter("script"))
