"""Figures that several pages quote come from one generated file, and that from the journals."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from benchmarks.figures import NETWORKS, PAGE, largest_epsilon, page, searches

ROOT = Path(__file__).parent.parent
PAGES = sorted(one for one in (ROOT / "docs").rglob("*.md") if one != PAGE)
PART = re.compile(r'^--8<-- "docs/figures.md:(\w+)"$', re.MULTILINE)


def test_the_file_is_what_the_journals_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_pages_include_parts_that_there_are() -> None:
    parts = set(re.findall(r"\[start:(\w+)\]", page()))
    used = {name for one in PAGES for name in PART.findall(one.read_text(encoding="utf-8"))}
    assert used == parts


def test_no_page_states_the_largest_epsilon_by_itself() -> None:
    """But for README, which cannot include, and says what the file says."""
    epsilon, network = largest_epsilon()
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"on its own network {network} the true epsilon is at least {epsilon}" in readme
    pattern = re.compile(rf"(?<![\d.]){re.escape(epsilon)}(?!\d)[^|\n]*(epsilon|claimed|alpha)")
    stated = [one.name for one in PAGES if pattern.search(one.read_text(encoding="utf-8"))]
    assert stated == []


def test_each_network_was_searched() -> None:
    rows = searches()
    assert {row["network"] for row in rows} == set(NETWORKS)
    for row in rows:  # a bound is the distance that its witness shows, over alpha
        assert row["epsilon"] == pytest.approx(row["moved"] / 0.1, rel=1e-6)
        assert json.dumps(row)
