"""The page: what was released when, at which epsilon, and what is not covered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.report.evidence.conftest import World

import privopt as po
from privopt.report.evidence.recompute import NOT_COVERED


def test_it_tells_every_charge_and_what_is_not_covered(made_once: Path, world: World) -> None:
    page = (made_once / "index.html").read_text(encoding="utf-8")
    with po.Ledger(world.ledger, read_only=True) as ledger:
        charges = [event for event in ledger.events if event.kind == "charge"]
        head = ledger.head[1]
    assert len(charges) == 7
    for event in charges:
        assert event.time.replace("T", " ").rstrip("Z") in page
        assert event.request is not None
        assert event.request.subject[:12] in page
    for text in (head, "PROVEN", "ASSUMED", "What was spent",
                 "python3 -I -S recompute.py", "Evidence for loads", "NOT RECOMPUTED"):  # fmt: skip
        assert text in page, text
    for text in NOT_COVERED:
        assert text.partition(":")[0] in page
    assert "<dt>privacy loss of all releases together, of at most 10</dt><dd>ε 4.9</dd>" in page


def test_it_shows_the_released_values(made_once: Path) -> None:
    """Each value of each release in the folder, as its file has it."""
    page = (made_once / "index.html").read_text(encoding="utf-8")
    table = page[page.index("Released values") :]
    files = sorted((made_once / "releases").glob("*.json"))
    assert files
    for file in files:
        release = po.Release.load(file)
        for name, value in zip(release.names, release.values, strict=True):
            row = rf"releases/{re.escape(file.name)}</t[hd]>\s*<td[^>]*>{re.escape(name)}</td>"
            found = re.search(rf"{row}\s*<td[^>]*>([^<]+)</td>", table)
            assert found is not None, (file.name, name)
            assert float(found[1]) == pytest.approx(value, rel=1e-7)


def test_it_fetches_nothing(made_once: Path) -> None:
    page = (made_once / "index.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert not re.search(r'(src|href)="(https?:)?//', page)
