"""The price of a proof as a picture: what is unproven is hatched, what is partial hollow."""

from __future__ import annotations

import pytest

from privopt.report.folder import Folder
from privopt.report.plots.proofs import height, proofs
from privopt.report.proofs import Proofs


@pytest.fixture
def certified(found: Folder) -> Proofs:
    assert found.certified is not None
    return found.certified


def test_the_unproven_is_hatched_and_its_true_epsilon_stands_beside_it(certified: Proofs) -> None:
    picture = proofs(certified)
    bars = [trace for trace in picture["data"] if trace["type"] == "bar"]
    texts = [trace["text"][0] for trace in picture["data"] if trace["type"] == "scatter"]
    assert len(bars) == len(texts) == 3 * 8
    for k, (bar, text) in enumerate(zip(bars, texts, strict=True)):
        assert ("pattern" in bar["marker"]) == (k % 8 == 0)
        assert ("true ε ≥ 1.90" in text) == (k in (0, 16))
    assert "ε assumed" in texts[8]  # searched, and nothing beyond the claim was found
    assert texts[17] == " 14 infeasible, 6 not certified"
    assert texts[1] == " 0.80 % · 12 of 20 runs"
    assert "constant 17 of 20" in texts[4]
    assert picture["layout"]["height"] == height(certified)


def test_a_mean_over_some_of_the_runs_is_hollow(certified: Proofs) -> None:
    bars = [trace for trace in proofs(certified)["data"] if trace["type"] == "bar"]
    assert bars[1]["marker"]["color"] == "var(--ground)"
    assert bars[4]["marker"]["color"] == "var(--proven)"
