"""The price of a proof as a picture: what is unproven is hatched, what is partial hollow."""

from __future__ import annotations

import pytest
from tests.report.plots.reading import SVG, drawn, of_class, texts

from privopt.report.folder import Folder
from privopt.report.plots.proofs import proofs
from privopt.report.proofs import Proofs


@pytest.fixture
def privacy(found: Folder) -> Proofs:
    assert found.privacy is not None
    return found.privacy


def test_the_unproven_is_hatched_and_its_true_epsilon_stands_beside_it(privacy: Proofs) -> None:
    rows = of_class(drawn(proofs(privacy)), "proof")
    said = [texts(row)[-1] for row in rows]
    assert [texts(row)[0] for row in rows] == ["PIQ-a, printed", "measure, then decide"] * 3
    for k, (row, text) in enumerate(zip(rows, said, strict=True)):
        assert (row.find(f".//{SVG}path") is not None) == (k % 2 == 0)  # the lines of the hatching
        assert ("true ε ≥ 1.90" in text) == (k in (0, 4))
    assert "ε assumed" in said[2]  # searched, and nothing beyond the claim was found
    assert said[5] == "14 infeasible, 6 failed"
    assert said[3] == "0.10 % · 12 of 20 runs"


def test_a_mean_over_some_of_the_runs_is_hollow_and_lengths_follow_the_losses(
    privacy: Proofs,
) -> None:
    rows = of_class(drawn(proofs(privacy)), "proof")
    bars = [row.find(f".//{SVG}rect") for row in rows]
    assert bars[3] is not None
    assert bars[3].get("fill") == "var(--ground)"
    assert bars[1] is not None
    assert bars[1].get("fill") == "var(--measured)"
    lengths = [0.0 if bar is None else float(bar.get("width", 0)) for bar in bars]
    losses = [float(texts(row)[-1].split()[0]) if bar is not None else 0.0
              for row, bar in zip(rows, bars, strict=True)]  # fmt: skip
    times = max(lengths) / max(losses)
    assert lengths == pytest.approx([times * loss for loss in losses], abs=0.6)
