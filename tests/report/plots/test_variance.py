"""Figure 2 as a picture: a line for each spread of costs, ordered by phi."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.report.plots.reading import SVG, drawn, hovers, texts

from privopt.report.folder import Folder
from privopt.report.plots.variance import variance
from privopt.show.pictures.picture import Picture


def signs(picture: Picture) -> list[str]:
    return [text for text in hovers(drawn(picture)) if text.startswith("c̄")]


def test_figure_2_keeps_gaps_orders_by_phi_and_shows_the_noise(found: Folder) -> None:
    assert found.figure2 is not None
    backwards = replace(found.figure2, points=found.figure2.points[::-1])
    cost = variance(backwards, "118_ieee", "cost")
    points = [p for p in found.figure2.points if p.panel == "cost"]
    assert len(signs(cost)) == sum(p.loss is not None for p in points) < len(points)
    first = [text for text in signs(cost) if text.startswith("c̄ = 50,")]
    phis = [float(re.findall(r"φ = ([\d.e-]+)", text)[0]) for text in first]
    assert phis == sorted(phis)
    # A line is broken where a point is missing: two steps fewer than with it.
    whole = sum(len([p for p in points if p.cbar == c]) - 1 for c in {p.cbar for p in points})
    steps = len(list(drawn(cost).iter(f"{SVG}polyline")))
    assert steps == whole - 2 * (len(points) - len(signs(cost)))
    solution = texts(drawn(variance(found.figure2, "118_ieee", "solution")))
    assert "variance of the noise itself, tr Σ = 4.5" in solution


def test_without_the_noise_there_is_no_line(found: Folder) -> None:
    assert found.figure2 is not None
    plain = replace(found.figure2, settings={})
    for panel in ("solution", "cost"):
        assert not any("tr Σ" in text for text in texts(drawn(variance(plain, "118_ieee", panel))))


def test_a_variance_of_zero_has_no_place_on_a_logarithmic_axis(found: Folder) -> None:
    assert found.figure2 is not None
    points = tuple(replace(point, variance=0.0) for point in found.figure2.points)
    curves = replace(found.figure2, points=points)
    assert signs(variance(curves, "118_ieee", "solution")) == []
    assert len(signs(variance(curves, "118_ieee", "cost"))) > 20


def test_each_spread_of_costs_has_its_name(found: Folder) -> None:
    assert found.figure2 is not None
    spreads = dict.fromkeys(point.cbar for point in found.figure2.points)
    written = texts(drawn(variance(found.figure2, "118_ieee", "cost")))
    assert [text for text in written if text.startswith("c̄")] == [f"c̄ = {c:g}" for c in spreads]
