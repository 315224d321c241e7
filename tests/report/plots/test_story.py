"""The demo's pictures: values where they were released, on a map, and two likelihoods."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from tests.report.plots.reading import SVG, drawn, hovers, of_class, texts

from privopt.experiments.story import Story
from privopt.report.plots.story import dispatch_map, indistinguishable, three_ways


def test_each_supply_has_its_answer_and_three_signs(told: Story) -> None:
    rows = of_class(drawn(three_ways(told)), "supply")
    assert [texts(row)[0] for row in rows] == list(told.names)
    places, values = [], []
    for k, row in enumerate(rows):
        (circle,) = row.iter(f"{SVG}circle")  # the sign of what was measured
        places.append(float(circle.get("cx", 0)))
        values.append(float(told.measured.values[k]))
    line = np.polyfit(values, places, 1)
    assert line[0] > 0
    assert np.polyval(line, values) == pytest.approx(places, abs=0.2)


def test_the_map_has_every_node_and_a_ring_for_each_published_supply(told: Story) -> None:
    said = hovers(drawn(dispatch_map(told)))
    nodes = [text for text in said if text.startswith("node ")]
    assert len(nodes) == 39
    assert sum("published" in text for text in nodes) == len(told.names)
    demands = [float(re.findall(r"demand ([\d.]+)", text)[0]) for text in nodes]
    assert sum(demands) == pytest.approx(told.total, rel=0.01)
    loads = [float(re.findall(r"(\d+)% of its limit", t)[0]) for t in said if t.startswith("line")]
    assert max(loads) <= 100


def test_two_likelihoods_differ_by_no_more_than_the_odds(told: Story) -> None:
    picture = indistinguishable(told, told.epsilon, told.alpha)
    curves = [one.get("points", "").split() for one in drawn(picture).iter(f"{SVG}polyline")][:2]
    heights = [np.array([float(at.split(",")[1]) for at in curve]) for curve in curves]
    floor = picture.height - 48
    here, there = (floor - one for one in heights)
    seen = (here > 20) & (there > 20)  # where a tenth of a pixel does not matter
    ratio = here[seen] / there[seen]
    assert max(ratio.max(), 1 / ratio.min()) <= math.exp(told.epsilon) * 1.02
    assert f"published: {told.measurement.values[0]:.3f}" in texts(drawn(picture))
