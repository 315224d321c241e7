"""Points by two quantities."""

from __future__ import annotations

import pytest
from tests.show.pictures.reading import EVIL, SVG, dots, parsed, tick, words

from privopt.show.pictures.scatter import ScatterPoint, scatter


def test_points_stand_by_both_quantities() -> None:
    points = [ScatterPoint(1, 3, "first", written=True), ScatterPoint(4, 1, EVIL, is_open=True)]
    root = parsed(scatter(points, "distance", "loss", "t", joining=True))
    (x0, y0), (x1, y1) = dots(root)
    assert x0 == pytest.approx(tick(root, "1")[0], abs=0.1)
    origin, floor = tick(root, "0")[0], tick(root, "0", 1)[1] - 4
    assert (x1 - origin) / (x0 - origin) == pytest.approx(4, rel=0.01)
    assert (floor - y0) / (floor - y1) == pytest.approx(3, rel=0.01)
    assert "first" in words(root)
    assert [one.get("fill") for one in root.iter(f"{SVG}circle")] == [
        "var(--analytic)",
        "var(--ground)",
    ]
    assert len(list(root.iter(f"{SVG}polyline"))) == 1
