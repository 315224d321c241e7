"""What a guarantee costs, as a picture: each method at its means, the cheapest with a ring."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.report.example import first
from tests.report.plots.reading import drawn, hovers, of_class, texts

from privopt.report.folder import Folder
from privopt.report.plots.tradeoff import cheapest, tradeoff
from privopt.report.records import Claimed, Mean


def test_the_cheapest_promises_all_limits_keeps_eta_and_solved_every_run(found: Folder) -> None:
    table = first(found)
    best = cheapest(table, "118_ieee")
    assert best is not None
    assert best.algorithm == "joint factor"
    for spoilt in (
        {"infeasible": 1},
        {"violation": Mean(2.6, 0.1, 100)},
        {"loss": None},
        {"algorithm": "exact margins", "claims": ()},
        {"claims": (Claimed("all inequalities hold for 1000 draws", "NO CLAIM", ""),)},
        {"claims": (Claimed("each inequality holds with probability 0.975", "PROVEN", "row"),)},
    ):
        rows = tuple(replace(row, **spoilt) if row is best else row for row in table.rows)
        other = cheapest(replace(table, rows=rows), "118_ieee")
        assert other is not None
        assert other.algorithm == "exact box"  # PIQ-s has infeasible runs there
    assert cheapest(replace(table, settings={}), "118_ieee") is None


def test_tradeoff_draws_each_method_and_says_its_means_on_shared_axes(found: Folder) -> None:
    table = first(found)
    pictures = {case: drawn(tradeoff(table, case)) for case in table.cases}
    axes = {tuple(t for t in texts(tree) if t[0] in "0123456789") for tree in pictures.values()}
    assert len(axes) == 1
    for case, tree in pictures.items():
        said = hovers(tree)
        for row in table.of(case):
            assert row.violation is not None
            words = f"{row.algorithm}: violation {row.violation.mean:.2f} %"
            assert sum(text.startswith(words) for text in said) == 1
        best = cheapest(table, case)
        assert len(of_class(tree, "best")) == (best is not None)


def test_a_sign_stands_at_its_means(found: Folder) -> None:
    """The ring of the cheapest, over all cases: affine in its loss, and in a root of violation."""
    table = first(found)
    seen: list[tuple[float, float]] = []
    means: list[tuple[float, float]] = []
    for case in table.cases:
        best = cheapest(table, case)
        assert best is not None
        assert best.loss is not None
        assert best.violation is not None
        (ring,) = of_class(drawn(tradeoff(table, case)), "best")
        seen.append((float(ring.get("cx", 0)), float(ring.get("cy", 0))))
        means.append((best.loss.mean, best.violation.mean ** (1 / 3)))
    for k, sense in ((0, 1), (1, -1)):
        expected, at = [m[k] for m in means], [s[k] for s in seen]
        line = np.polyfit(expected, at, 1)
        assert sense * line[0] > 0
        assert np.polyval(line, expected) == pytest.approx(at, abs=0.2)


def test_names_stand_beside_the_signs_where_asked_for(found: Folder) -> None:
    table = first(found)
    names = of_class(drawn(tradeoff(table, "118_ieee", named=True)), "named")
    assert sorted(one.text or "" for one in names) == sorted(
        row.algorithm for row in table.of("118_ieee")
    )
    assert of_class(drawn(tradeoff(table, "118_ieee")), "named") == []
