"""The pictures as data: what is drawn, where, and that nothing in a name becomes markup."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from privopt.report.claimed import Claimed, read_claims
from privopt.report.compare import compare
from privopt.report.folder import Folder, ResultTable, read
from privopt.report.methods import Promise, promise
from privopt.report.plots.agreement import EDGE, agreement
from privopt.report.plots.distribution import distribution
from privopt.report.plots.network import network
from privopt.report.plots.style import label, root
from privopt.report.plots.tradeoff import cheapest, tradeoff
from privopt.report.plots.variance import variance
from privopt.report.records import Mean


@pytest.fixture
def found(folder: Path) -> Folder:
    return read(folder)


def first(found: Folder) -> ResultTable:
    assert found.table1 is not None
    return found.table1


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


@pytest.mark.parametrize(
    ("name", "guarantee", "expected"),
    [
        ("PIQ-s", "they hold for 1000 draws; no certificate [NO CLAIM]", Promise.NONE),
        ("PIQ-s", "they hold together [PROVEN, joint]", Promise.ALL),
        ("PIQ-s", "they hold [PROVEN]", Promise.ALL),
        ("PIQ-a", "", Promise.EACH),
        ("something new", "each holds [SAMPLED, row]", Promise.EACH),
        ("something new", "", Promise.UNKNOWN),
    ],
)
def test_a_row_promises_what_its_guarantee_says(
    name: str, guarantee: str, expected: Promise
) -> None:
    assert promise(name, said(guarantee)) is expected


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


def test_every_run_is_a_point_and_eta_a_line(found: Folder) -> None:
    table = first(found)
    lines = compare("table1", table)
    picture = distribution(table, lines, "118_ieee", "violation")
    points = sum(len(trace["x"]) for trace in picture["data"] if "opacity" in trace["marker"])
    solved = [r for r in table.runs if r.case == "118_ieee" and r.status == "solved"]
    assert points == len(solved) == 697
    assert picture["layout"]["shapes"][0]["y0"] == root(2.5)
    assert distribution(table, lines, "118_ieee", "loss")["layout"]["shapes"] == []


def test_agreement_has_one_point_for_each_printed_mean_and_keeps_it_on_the_page(
    found: Folder,
) -> None:
    table = first(found)
    far = replace(table.rows[0], violation=Mean(99.0, 0.0, 100))
    lines = compare("table1", replace(table, rows=(far, *table.rows[1:])))
    picture = agreement({"Table 1": lines})
    assert len(picture["data"]) == 6 * 5
    assert max(trace["x"][0] for trace in picture["data"]) == EDGE


def test_figure_2_keeps_gaps_orders_by_phi_and_shows_the_noise(found: Folder) -> None:
    assert found.figure2 is not None
    backwards = replace(found.figure2, points=found.figure2.points[::-1])
    cost = variance(backwards, "118_ieee", "cost")
    assert len(cost["data"]) == 5
    last = cost["data"][-1]  # cbar = 10, whose fifth loss is null
    assert [phi for phi, _ in last["customdata"]] == sorted(phi for phi, _ in last["customdata"])
    assert last["x"][4] is None
    solution = variance(found.figure2, "118_ieee", "solution")["layout"]
    assert solution["yaxis"]["type"] == "log"
    assert solution["shapes"][0]["y0"] == 4.5
    assert solution["annotations"][0]["y"] == math.log10(4.5)


def test_the_network_has_all_lines_nodes_and_rings(found: Folder) -> None:
    assert found.drawing is not None
    *shades, middles, rings, nodes = network(found.drawing)["data"]
    assert sum(shade["x"].count(None) for shade in shades) == len(found.drawing.edges)
    assert len(middles["x"]) == len(found.drawing.edges)
    assert len(rings["x"]) == 4
    assert len(nodes["x"]) == 14
    widths = [shade["line"]["width"] for shade in shades]
    assert widths == sorted(widths)


def test_markup_in_names_is_shown_not_read() -> None:
    assert label('<a href="x">&') == '&lt;a href="x"&gt;&amp;'
