"""The picture of a network: its lines by loading, its nodes by supply."""

from __future__ import annotations

from dataclasses import replace

from tests.report.plots.reading import drawn, hovers

from privopt.report.folder import Folder
from privopt.report.plots.network import network


def test_the_network_has_all_lines_nodes_and_rings(found: Folder) -> None:
    assert found.drawing is not None
    picture = network(found.drawing)
    said = hovers(drawn(picture))
    assert sum(text.startswith("line ") for text in said) == len(found.drawing.edges)
    assert sum(text.startswith("node ") for text in said) == 14
    assert sum("released" in text for text in said if text.startswith("node ")) == 4
    assert str(picture.svg).count('stroke="var(--released)"') >= 4
    assert "p.u." in picture.svg


def test_a_line_to_a_node_that_is_not_there_is_left_out(found: Folder) -> None:
    assert found.drawing is not None
    lost = replace(found.drawing.edges[0], end="nowhere")
    drawing = replace(found.drawing, edges=(lost, *found.drawing.edges[1:]))
    lines = [text for text in hovers(drawn(network(drawing))) if text.startswith("line ")]
    assert len(lines) == len(found.drawing.edges) - 1
    empty = network(replace(found.drawing, nodes=(), edges=()))
    assert not any(text.startswith("node ") for text in hovers(drawn(empty)))
