"""The ground of a chart: lines and texts at the ticks, and the titles of both axes."""

from __future__ import annotations

from tests.show.pictures.reading import read

from privopt.show.pictures.frame import Axis, Canvas, grid, level_line
from privopt.show.pictures.scale import Scale
from privopt.show.pictures.svg import text_width

BOX = Canvas(400, 300, 50, 10, 20, 40)


def test_lines_stand_at_the_ticks() -> None:
    across = Axis(Scale(0, 4, *BOX.x), "time", [(1.0, "one"), (4.0, "four")])
    root = read(f"<g>{grid(BOX, across, Axis(Scale(0, 1, *BOX.y), 'loss'))}</g>")
    places = {one.text: (one.get("x"), one.get("y")) for one in root.iter("text")}
    assert places["one"] == ("135", "277")
    assert places["four"] == ("385.12", "277")  # its line is at 390; the text stays in the picture
    assert float(places["four"][0] or 0) + text_width("four", 12) / 2 <= 400
    assert places["0"] == ("43", "264")
    assert places["1"] == ("43", "24")
    assert {"time", "loss"} <= set(places)
    (lines,) = root.iter("path")
    assert "M 135 20 V 260" in lines.attrib["d"]
    assert "M 390 20 V 260" in lines.attrib["d"]
    assert "M 50 260 H 390" in lines.attrib["d"]


def test_wide_texts_and_the_title_have_room_beside_each_other() -> None:
    """The title, turned, is as wide as its letters are high; texts end beside the ground."""
    wide = Axis(Scale(0, 3e-4, *BOX.y), "extra cost, %")
    made = BOX.beside(wide)
    root = read(f"<g>{grid(made, Axis(Scale(0, 1, *made.x)), wide)}</g>")
    title = next(one for one in root.iter("text") if one.text == "extra cost, %")
    texts = [one for one in root.iter("text") if one.get("text-anchor") == "end"]
    assert len(texts) > 1
    for one in texts:
        starts = float(one.get("x", "")) - text_width(one.text or "", 12)
        assert starts >= float(title.get("x", "")) + 6
    assert made.left > BOX.left
    assert BOX.beside(Axis(Scale(0, 1, *BOX.y), "loss")) == BOX


def test_a_level_goes_from_side_to_side() -> None:
    made = read(level_line(BOX, 100, "bad", "2 4"))
    assert made.get("d") == "M 50 100 H 390"
    assert made.get("stroke-dasharray") == "2 4"
