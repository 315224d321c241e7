"""Assumed and proven privacy on the page: what is drawn, what is counted, what is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.report.test_page import Outline, page

from privopt.report.folder import read
from privopt.report.proofs import Proofs


@pytest.fixture
def found(folder: Path) -> Proofs:
    privacy = read(folder).privacy
    assert privacy is not None
    return privacy


def test_what_is_counted(found: Proofs) -> None:
    assert found.nearer == (2, 2)  # one network has no decision
    assert found.refuted == (2, 3)
    far = tuple(replace(row, distance=9.0) for row in found.rows if row.algorithm == "measured")
    printed = tuple(row for row in found.rows if row.algorithm == "PIQ-a")
    assert replace(found, rows=(*printed, *far)).nearer == (0, 3)


def test_the_text_says_no_more_than_the_numbers(folder: Path) -> None:
    words = Outline(page(folder, "privacy.html")).text
    assert "On 2 of 3 networks a search has found data with which it moves further" in words
    assert "lies nearer to the non-private answer on 2 of 2 networks" in words


def test_the_table_has_provenance_witness_and_reasons(folder: Path) -> None:
    text = page(folder, "privacy.html")
    words = Outline(text).text
    table = text[text.index('id="privacy-table"') :]
    table = table[: table.index("</table>")]
    assert table.count(">ASSUMED<") == 3
    assert table.count(">SAMPLED<") == 3
    assert table.count(">PROVEN<") == 2
    assert "demand[14] moved by 0.1 moves the release by 0.19" in words
    assert "above the claim in 12 of 20 runs" in words
    assert "118_ieee measured (14 of 20)" in words
    assert 'data-plot="privacy"' in text


def test_a_loss_after_completion_is_called_one(folder: Path) -> None:
    text = page(folder, "privacy.html")
    words = Outline(text).text
    assert words.count("measure, then decide loss after completion") == 1
    assert words.count("loss after completion; no decision in") == 1
    assert "no decision in 5.00 % of measurements" in words
    assert Outline(text[text.index('id="privacy-table"') :]).text.count("0.25") >= 2
