"""Assumed and proven privacy on the page: what is drawn, what is counted, what is said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.report.test_page import Outline, page

from privopt.report.folder import read
from privopt.report.proofs import Proofs


@pytest.fixture
def found(folder: Path) -> Proofs:
    certified = read(folder).certified
    assert certified is not None
    return certified


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
    assert "<h2>Proof costs less</h2>" in page(folder, "certified.html")
    path = folder / "certified.json"
    data = json.loads(path.read_text())
    for dear, heading in ((1, "Proof costs less on 2 of 3 networks"), (2, "What a proof costs")):
        rows = [row for row in data["rows"] if row["algorithm"] == "certified"]
        for row in rows[:dear]:
            row["loss_mean"] = 9.0
        path.write_text(json.dumps(data))
        assert f"<h2>{heading}</h2>" in page(folder, "certified.html")


def test_the_table_has_provenance_witness_and_reasons(folder: Path) -> None:
    text = page(folder, "certified.html")
    words = Outline(text).text
    table = text[text.index('id="certified-table"') :]
    table = table[: table.index("</table>")]
    assert table.count(">ASSUMED<") == 3
    assert table.count(">SAMPLED<") == 3
    assert table.count(">PROVEN<") == 3 * 7 - 1
    assert "demand[14] moved by 0.1 moves the release by 0.19" in words
    assert "above the claim in 12 of 20 runs" in words
    assert "118_ieee PIQ-a recalibrated (14 of 20)" in words
    assert 'data-plot="certified"' in text


def test_a_loss_after_completion_is_called_one(folder: Path) -> None:
    text = page(folder, "certified.html")
    words = Outline(text).text
    assert words.count("measure, then decide loss after completion") == 3
    assert words.count("loss after completion; no decision in") == 2
    assert "no decision in 5.00 % of measurements" in words
    assert Outline(text[text.index('id="certified-table"') :]).text.count("0.25") >= 3


def test_loads_tell_where_there_is_no_plan(folder: Path) -> None:
    words = Outline(page(folder, "loads.html")).text
    assert "Of 3 networks 2 have a feasible optimum" in words
    assert "PIQ-a has a plan in every run on 1, the certified policy on 2" in words
    assert "24_ieee_rts PIQ-a (20 of 20)" in words
    assert "On 1 network some vertex" in words
