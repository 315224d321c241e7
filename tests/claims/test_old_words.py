"""Sentences of version 0.1.0 give their numbers back; of any other sentence there are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from privopt.claims.old_words import claims_in, terms_of
from privopt.claims.terms import FeasibilityTerms, PrivacyTerms

OLD = Path(__file__).parents[1] / "fixtures" / "v0_1_0"


def statements() -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    for path in sorted((OLD / "releases").glob("*.json")):
        data = json.loads(path.read_text())
        found += [(claim["statement"], data) for claim in data["guarantee"].values()]
    return found


def test_every_sentence_that_it_wrote_is_understood() -> None:
    """The numbers are those that the release has beside them."""
    kinds: set[type] = set()
    for statement, data in statements():
        terms = terms_of(statement)
        if terms is None:
            assert "nothing is claimed" in statement or data["mechanism"] != "policy", statement
            continue
        kinds.add(type(terms))
        if isinstance(terms, PrivacyTerms):
            assert terms.alpha == pytest.approx(data["alpha"], rel=1e-5)
    assert kinds == {PrivacyTerms, FeasibilityTerms}


@pytest.mark.parametrize(
    ("sentence", "epsilon", "delta", "family"),
    [("1.5-differential privacy", 1.5, 0.0, ""),
     ("(0.5, 1e-06)-differential privacy (Gaussian)", 0.5, 1e-6, "gaussian"),
     ("(0.5, 0.001)-differential privacy (truncated Laplace)", 0.5, 1e-3, "truncated")],
)  # fmt: skip
def test_privacy(sentence: str, epsilon: float, delta: float, family: str) -> None:
    tail = " for data that differ in one private entry by at most 0.02"
    assert terms_of(sentence + tail) == PrivacyTerms(epsilon, delta, 0.02, family)
    assert terms_of(sentence) is None
    assert terms_of(sentence + tail + " and more") is None


def test_feasibility() -> None:
    together = "all 7 inequalities hold together with probability >= 0.95, with confidence 0.99"
    known = {
        together: FeasibilityTerms(7, 0.05),
        f"for every d of the domain: {together}": FeasibilityTerms(7, 0.05, everywhere=True),
        "all 7 inequalities hold with probability 1": FeasibilityTerms(7, 0.0),
        "all 7 inequalities hold for 50 draws; no certificate": FeasibilityTerms(7, None, draws=50),
        "each inequality is violated with probability <= 0.1": FeasibilityTerms(
            None, 0.1, each=True
        ),
        "each inequality is violated with probability <= its eta (0.01..0.2)": FeasibilityTerms(
            None, 0.01, each=True, most=0.2
        ),
    }
    for sentence, terms in known.items():
        assert terms_of(sentence) == terms
    for other in ("", "all inequalities hold", "each inequality holds", together.upper()):
        assert terms_of(other) is None


def test_both_claims_of_one_line() -> None:
    line = "a is so [PROVEN, neighbours]; b may be [ASSUMED, row]"
    assert claims_in(line) == (("a is so", "PROVEN", "neighbours"), ("b may be", "ASSUMED", "row"))
    assert claims_in("free text") == (("free text", "", ""),)
    assert claims_in("") == ()
