"""Names of units and lines are the numbers of their buses, counted where there are several."""

from __future__ import annotations

from pathlib import Path

from tests.networks.cases import branch, bus, gen, polynomial, write

import privopt as po
from privopt.networks.naming import line_names, unit_names


def test_several_units_and_lines_are_counted(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.m",
        [bus(7, 3), bus(12, 1, 5.0), bus(3)],
        [gen(7, 10.0), gen(12, 10.0), gen(7, 10.0)],
        [branch(7, 12), branch(3, 12), branch(12, 7)],
        [polynomial(0.0, 1.0, 0.0)] * 3,
    )
    network = po.networks.load(path)
    assert unit_names(network) == ["7,1", "12", "7,2"]
    assert line_names(network) == [("7,12,1", "12,7,1"), ("3,12", "12,3"), ("12,7,2", "7,12,2")]
