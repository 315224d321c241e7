"""Names on a map: beside their nodes, where least lies below them."""

from __future__ import annotations

from privopt.show.pictures.map_labels import Label, placed
from privopt.show.pictures.svg import text_width


def test_names_do_not_lie_on_each_other_where_there_is_room() -> None:
    labels = [Label("a name", 100, 50, 5), Label("a name", 110, 50, 5)]
    discs = [(100.0, 50.0, 5.0), (110.0, 50.0, 5.0)]
    wide = text_width("a name", 11)
    boxes: list[tuple[float, float, float, float]] = []
    for _, x, y, anchor in placed(labels, discs, [((0, 50), (200, 50))], 400):
        left = {"start": x, "end": x - wide, "middle": x - wide / 2}[anchor]
        boxes.append((left, y - 9.5, left + wide, y + 1.5))
    (a, b) = boxes
    assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    assert all(box[3] <= 50 or box[1] >= 50 for box in boxes)  # nor on the line
