"""The page of an audit: its verdict in large letters, the two piles, and the claim."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.assess import Audit, audit
from privopt.report.audit import audit_page


@pytest.fixture(scope="module")
def refuted() -> Audit:
    rng = np.random.default_rng(0)
    return audit(lambda d: d + rng.laplace(), 0.0, 1.0, claimed=1.0)  # in floating point


def test_a_refuted_claim_is_said_in_large_letters_and_drawn_in_red(refuted: Audit) -> None:
    text = audit_page(refuted, "noise in floating point", computed=1.0)
    assert '<p class="checked checked-bad">REFUTED</p>' in text
    assert 'fill="var(--bad)"' in text
    assert text.count("<svg") == 2
    assert "Noise in floating point." in text
    assert "by what is released without noise" in text
    assert len(text) < 60_000  # five megabytes with Plotly


def test_what_is_not_refuted_is_not_called_proven() -> None:
    found = audit(lambda d: np.round(d), 0.0, 0.0, samples=100, claimed=1.0)
    text = audit_page(found, "a constant")
    assert "NOT REFUTED" in text
    assert "it proves none" in text
    assert 'fill="var(--bad)"' not in text
    assert "computed" not in text


def test_the_page_of_real_data_says_that_it_is_private(refuted: Audit) -> None:
    notice = '<p class="notice">'
    assert notice not in audit_page(refuted, "x")
    assert notice in audit_page(refuted, "x", private=True)


def test_names_stay_text(refuted: Audit) -> None:
    name = "</p><script>alert(1)</script>"
    assert name not in audit_page(refuted, name)


def test_nothing_is_refuted_where_nothing_is_claimed() -> None:
    rng = np.random.default_rng(0)
    found = audit(lambda d: d + rng.laplace(), 0.0, 1.0, samples=400)
    text = audit_page(found, "x")
    assert 'class="checked' not in text
    assert "nothing to refute" in text
