"""The picture of a network: its lines by loading, its nodes by supply."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from privopt.report.folder import Folder
from privopt.report.plots.network import network


def test_the_network_has_all_lines_nodes_and_rings(found: Folder) -> None:
    assert found.drawing is not None
    *shades, middles, rings, nodes = network(found.drawing)["data"]
    assert sum(shade["x"].count(None) for shade in shades) == len(found.drawing.edges)
    assert len(middles["x"]) == len(found.drawing.edges)
    assert len(rings["x"]) == 4
    assert len(nodes["x"]) == 14
    widths = [shade["line"]["width"] for shade in shades]
    assert widths == sorted(widths)


def test_areas_are_in_proportion_to_supply_and_shades_to_loading(found: Folder) -> None:
    assert found.drawing is not None
    *shades, middles, _, nodes = network(found.drawing)["data"]
    largest = max(node.supply for node in found.drawing.nodes)
    for node, size in zip(found.drawing.nodes, nodes["marker"]["size"], strict=True):
        assert (size - 7) ** 2 == pytest.approx(900 * max(node.supply, 0) / largest, abs=0.5)
    assert middles["marker"]["color"] == [min(e.loading, 1.0) for e in found.drawing.edges]
    counts = Counter(min(int(5 * edge.loading), 4) for edge in found.drawing.edges)
    drawn = {trace["line"]["color"]: trace["x"].count(None) for trace in shades}
    assert drawn == {f"var(--load{k})": count for k, count in counts.items()}


def test_a_line_to_a_node_that_is_not_there_is_left_out(found: Folder) -> None:
    assert found.drawing is not None
    lost = replace(found.drawing.edges[0], end="nowhere")
    drawing = replace(found.drawing, edges=(lost, *found.drawing.edges[1:]))
    middles = network(drawing)["data"][-3]
    assert len(middles["x"]) == len(found.drawing.edges) - 1
    empty = network(replace(found.drawing, nodes=(), edges=()))
    assert empty["data"][-1]["x"] == []
