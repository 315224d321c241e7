"""Assumed and proven privacy on the page: what is drawn, what is counted, what is said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.report.test_page import Outline, figures, page

from privopt.report.facts import facts
from privopt.report.folder import Folder, read
from privopt.report.plots.proofs import height, proofs
from privopt.report.proofs import Proofs


@pytest.fixture
def found(folder: Path) -> Proofs:
    certified = read(folder).certified
    assert certified is not None
    return certified


def test_the_unproven_is_hatched_and_its_true_epsilon_stands_beside_it(found: Proofs) -> None:
    picture = proofs(found)
    bars = [trace for trace in picture["data"] if trace["type"] == "bar"]
    texts = [trace["text"][0] for trace in picture["data"] if trace["type"] == "scatter"]
    assert len(bars) == len(texts) == 3 * 6
    for k, (bar, text) in enumerate(zip(bars, texts, strict=True)):
        assert ("pattern" in bar["marker"]) == (k % 6 == 0)
        assert ("true ε ≥ 1.90" in text) == (k in (0, 12))
    assert "ε assumed" in texts[6]  # searched, and nothing beyond the claim was found
    assert texts[13] == " 14 infeasible, 6 not certified"
    assert texts[1] == " 0.80 % · 12 of 20 runs"
    assert "constant 17 of 20" in texts[4]
    assert picture["layout"]["height"] == height(found)


def test_a_mean_over_some_of_the_runs_is_hollow(found: Proofs) -> None:
    bars = [trace for trace in proofs(found)["data"] if trace["type"] == "bar"]
    assert bars[1]["marker"]["color"] == "var(--ground)"
    assert bars[4]["marker"]["color"] == "var(--proven)"


def test_what_is_counted(found: Proofs) -> None:
    assert found.cheaper() == (3, 3)
    assert found.cheaper("certified s=1") == (1, 3)
    assert found.nearer == (3, 3)
    assert found.refuted == (2, 3)
    assert found.constants == (51, 60)
    worse = tuple(
        replace(row, beside=0.0) if row.algorithm == "certified" else row for row in found.rows
    )
    assert replace(found, rows=worse).cheaper() == (0, 3)


def test_the_heading_says_no_more_than_the_numbers(folder: Path) -> None:
    assert "<h2>Proof costs less</h2>" in page(folder)
    path = folder / "certified.json"
    data = json.loads(path.read_text())
    for dear, heading in ((1, "Proof costs less on 2 of 3 networks"), (2, "What a proof costs")):
        rows = [row for row in data["rows"] if row["algorithm"] == "certified"]
        for row in rows[:dear]:
            row["loss_mean"] = 9.0
        path.write_text(json.dumps(data))
        assert f"<h2>{heading}</h2>" in page(folder)


def test_the_table_has_provenance_witness_and_reasons(folder: Path) -> None:
    text = page(folder)
    words = Outline(text).text
    table = text[text.index('id="certified-table"') :]
    table = table[: table.index("</table>")]
    assert table.count(">ASSUMED<") == 3
    assert table.count(">SAMPLED<") == 3
    assert table.count(">PROVEN<") == 3 * 5 - 1
    assert "demand[14] moved by 0.1 moves the release by 0.19" in words
    assert "above the claim in 12 of 20 runs" in words
    assert "118_ieee PIQ-a recalibrated (14 of 20)" in words
    assert "certified" in figures(text)


def test_loads_tell_where_there_is_no_plan(folder: Path) -> None:
    words = Outline(page(folder)).text
    assert "Of 3 networks 2 have a feasible optimum" in words
    assert "PIQ-a has a plan in every run on 1, the certified policy on 2" in words
    assert "24_ieee_rts PIQ-a (20 of 20)" in words
    assert "On 1 network some vertex" in words


def test_the_headline_names_the_largest_network_and_the_worst_epsilon(folder: Path) -> None:
    both = facts(read(folder), {})[:2]
    assert "118_ieee, PROVEN" in both[0].text
    assert "constant release in 17 of 20 runs" in both[0].text
    assert both[1].value == "≥ 1.90"
    assert "demand[14] moved by 0.1" in both[1].text


def test_without_a_search_or_an_answer_nothing_is_claimed(folder: Path) -> None:
    whole = read(folder)
    assert whole.certified is not None
    rows = tuple(r for r in whole.certified.rows if r.algorithm == "PIQ-a recalibrated")[2:]
    alone: Folder = replace(whole, table1=None, table2=None, figure2=None,
                            certified=replace(whole.certified, rows=rows))  # fmt: skip
    assert facts(alone, {}) == ()
    assert proofs(replace(whole.certified, rows=rows))["data"][0]["x"] == [0.0]
