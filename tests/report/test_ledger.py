"""The page of a ledger: budget and timeline first, no key of a charge, hostile names as text."""

from __future__ import annotations

from pathlib import Path

import pytest

import privopt as po
from privopt.errors import PrivoptError
from privopt.report.ledger import ledger_page


def made(path: Path) -> po.Ledger:
    program = po.ConvexProgram(linear=[1.0, 2.0], G=[[1, 1]], lower=0, upper=4)
    noise = po.Laplace(epsilon=1.5, alpha=0.05)
    sums = {"total": [0]}
    made = po.Instrument(sums, program=program, privacy=noise, domain=po.Box(3.0, 5.0))
    ledger = po.Ledger(path, po.Budget(3), dataset="</svg><script>alert(1)</script>")
    made.measure([4.012345], ledger=ledger, key="secret key")
    return ledger


def test_it_shows_what_was_spent_and_when(tmp_path: Path) -> None:
    with made(tmp_path / "a.ledger") as ledger:
        text = ledger_page(ledger)
        assert text.count("<svg") == 2
        assert text.index("The budget") < text.index("What was spent, and when")
        assert "1.5 left of 3" in text
        assert "a factor of at most 4.49" in text  # e^1.5, rounded up
        assert "secret key" not in text
        assert "4.012" not in text
        assert "<script>alert" not in text
        assert ledger.head[1] in text


def test_an_empty_one(tmp_path: Path) -> None:
    with po.Ledger(tmp_path / "a.ledger", po.Budget(1)) as ledger:
        assert "Nothing was charged yet" in ledger_page(ledger)


def test_one_that_is_not_whole_has_no_page(tmp_path: Path) -> None:
    with made(tmp_path / "a.ledger") as ledger:
        ledger_page(ledger)
    content = (tmp_path / "a.ledger").read_bytes()
    assert b"secret key" in content
    (tmp_path / "a.ledger").write_bytes(content.replace(b"secret key", b"secret kex"))
    with po.Ledger(tmp_path / "a.ledger", read_only=True) as ledger, pytest.raises(PrivoptError):
        ledger_page(ledger)
