"""The map: places in proportion, areas in proportion to values, and legends with units."""

from __future__ import annotations

import math
import re

import pytest
from tests.show.pictures.reading import EVIL, SVG, dots, hovers, parsed, words

from privopt.show.pictures.map import MapLine, MapNode, network_map

NODES = [
    MapNode(0.0, 0.0, "1", left=100.0, right=25.0, text="bus 1"),
    MapNode(1.0, 0.0, "2", right=100.0, ring=True, written="40 ± 2"),
    MapNode(0.5, 0.5, EVIL),
]
LINES = [MapLine(0, 1, 0.1, "a"), MapLine(1, 2, 0.95, "b"), MapLine(0, 2, 3.0, "c")]


def test_areas_are_in_proportion_and_halves_on_their_sides() -> None:
    root = parsed(network_map(NODES, [], "t", unit="MW"))
    halves = [one for one in root.iter(f"{SVG}path") if " A " in one.attrib["d"]]
    arcs = [one.attrib["d"].split() for one in halves]
    radii = [float(d[4]) for d in arcs]
    assert radii[1] ** 2 / radii[0] ** 2 == pytest.approx(0.25, rel=0.01)
    assert radii[2] == radii[0]
    assert [d[8] for d in arcs[:3]] == ["0", "1", "1"]  # which way around from the top
    assert [one.get("fill") for one in halves[:2]] == ["var(--demand)", "var(--supply)"]
    assert "demand, 100 MW" in words(root)
    assert "supply, 100 MW" in words(root)


def test_places_keep_their_proportions_and_y_goes_up() -> None:
    bare = [MapNode(node.x, node.y, node.name) for node in NODES]
    (x0, y0), (x1, y1), (x2, y2) = dots(parsed(network_map(bare, [], "t")))
    assert y0 == y1
    assert x2 - x0 == pytest.approx((x1 - x0) / 2, abs=0.1)
    assert y0 - y2 == pytest.approx((x1 - x0) / 2, abs=0.2)


def test_lines_are_shaded_by_loading() -> None:
    made = network_map(NODES, LINES, "t")
    root = parsed(made)
    shades = {
        hover.text: group.get("stroke")
        for group in root.iter(f"{SVG}g")
        for line in group.iter(f"{SVG}path")
        for hover in line.iter(f"{SVG}title")
        if group.get("stroke", "").startswith("var(--load")
    }
    assert shades == {"a": "var(--load0)", "b": "var(--load4)", "c": "var(--load4)"}
    assert any("loading" in text for text in words(root))
    assert "300% of its limit" in made.description
    dark = parsed(network_map(NODES, [MapLine(0, 1)], "t"))
    assert not any("loading" in text for text in words(dark))


def test_rings_are_where_something_is_released() -> None:
    root = parsed(network_map(NODES, LINES, "t", ring="released"))
    rings = [one for one in root.iter(f"{SVG}circle") if one.get("stroke") == "var(--released)"]
    assert len(rings) == 2  # one on the map, one in the legend
    assert "2: 40 ± 2" in words(root)
    assert "released" in words(root)
    assert "bus 1" in hovers(root)


def test_shades_of_nodes_have_their_scale() -> None:
    nodes = [MapNode(k, 0, str(k), right=1.0, shade=k / 4) for k in range(5)]
    root = parsed(network_map(nodes, [], "t", unit="MW", shade=("deviation, MW", 0.8)))
    fills = [one.get("fill") for one in root.iter(f"{SVG}circle")]
    assert fills[:5] == [f"var(--seq{k})" for k in (0, 1, 2, 3, 4)]
    assert "0.8   deviation, MW" in words(root)


def test_many_lines_are_few_paths() -> None:
    nodes = [MapNode(math.cos(k), math.sin(k), str(k)) for k in range(1000)]
    lines = [MapLine(k, (k + 1) % 1000, k / 1000) for k in range(1000)]
    made = network_map(nodes, lines, "t")
    assert len(made.svg) < 100_000
    assert not re.search(r">999<", made.svg)  # names of so many would be clutter


@pytest.mark.parametrize("nodes", [[], [MapNode(0.3, 0.3, "only", left=0.0)]])
def test_a_small_one(nodes: list[MapNode]) -> None:
    assert parsed(network_map(nodes, [], "t")) is not None
