"""What a guarantee costs, as a picture: each method at its means, the cheapest with a ring."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.report.example import first

from privopt.report.folder import Folder
from privopt.report.plots.style import root
from privopt.report.plots.tradeoff import cheapest, tradeoff
from privopt.report.records import Claimed, Mean, read_claims


def said(guarantee: str) -> tuple[Claimed, ...]:
    return read_claims({"guarantee": guarantee})


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
        {"claims": said("all inequalities hold for 1000 draws; no certificate [NO CLAIM]")},
        {"claims": said("each inequality holds with probability >= 0.975 [PROVEN, row]")},
    ):
        rows = tuple(replace(row, **spoilt) if row is best else row for row in table.rows)
        other = cheapest(replace(table, rows=rows), "118_ieee")
        assert other is not None
        assert other.algorithm == "exact box"  # PIQ-s has infeasible runs there
    assert cheapest(replace(table, settings={}), "118_ieee") is None


def test_tradeoff_draws_each_method_at_its_means_on_shared_axes(found: Folder) -> None:
    table = first(found)
    pictures = [tradeoff(table, case) for case in table.cases]
    assert len({json.dumps(p["layout"]["xaxis"]["range"]) for p in pictures}) == 1
    for case, picture in zip(table.cases, pictures, strict=True):
        drawn = {(t["x"][0], t["y"][0]) for t in picture["data"]}
        for row in table.of(case):
            assert row.violation is not None
            x = row.loss.mean if row.loss else 0.0
            assert (x, root(row.violation.mean)) in drawn
