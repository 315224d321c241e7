"""The price of a proof as a picture: what is unproven is hatched, what is partial hollow."""

from __future__ import annotations

import pytest
from tests.report.plots.reading import SVG, drawn, of_class, texts

from privopt.report.folder import Folder
from privopt.report.plots.proofs import BRIEF, proofs
from privopt.report.proofs import Proofs


@pytest.fixture
def certified(found: Folder) -> Proofs:
    assert found.certified is not None
    return found.certified


def test_the_unproven_is_hatched_and_its_true_epsilon_stands_beside_it(certified: Proofs) -> None:
    rows = of_class(drawn(proofs(certified)), "proof")
    said = [texts(row)[-1] for row in rows]
    assert len(rows) == 3 * 8
    for k, (row, text) in enumerate(zip(rows, said, strict=True)):
        assert (row.find(f".//{SVG}path") is not None) == (k % 8 == 0)  # the lines of the hatching
        assert ("true ε ≥ 1.90" in text) == (k in (0, 16))
    assert "ε assumed" in said[8]  # searched, and nothing beyond the claim was found
    assert said[17] == "14 infeasible, 6 not certified"
    assert said[1] == "0.80 % · 12 of 20 runs"
    assert "constant 17 of 20" in said[4]


def test_a_mean_over_some_of_the_runs_is_hollow_and_lengths_follow_the_losses(
    certified: Proofs,
) -> None:
    rows = of_class(drawn(proofs(certified)), "proof")
    bars = [row.find(f".//{SVG}rect") for row in rows]
    assert bars[1] is not None
    assert bars[1].get("fill") == "var(--ground)"
    assert bars[4] is not None
    assert bars[4].get("fill") == "var(--proven)"
    lengths = [0.0 if bar is None else float(bar.get("width", 0)) for bar in bars]
    losses = [float(texts(row)[-1].split()[0]) if bar is not None else 0.0
              for row, bar in zip(rows, bars, strict=True)]  # fmt: skip
    times = max(lengths) / max(losses)
    assert lengths == pytest.approx([times * loss for loss in losses], abs=0.6)


def test_the_brief_picture_has_what_is_assumed_and_what_is_proven(certified: Proofs) -> None:
    rows = of_class(drawn(proofs(certified, BRIEF)), "proof")
    names = [texts(row)[0] for row in rows]
    assert names == ["PIQ-a, printed", "certified", "measure, then decide"] * 3
