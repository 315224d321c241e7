"""The budget bar: filled by what was spent."""

from __future__ import annotations

import pytest
from tests.show.pictures.reading import EVIL, SVG, parsed, words

from privopt.show.pictures.budget import BudgetShare, budget_bar


@pytest.mark.parametrize(
    ("spent", "part", "ink"),
    [(3.0, 0.3, "analytic"), (9.0, 0.9, "warn"), (10.0, 1.0, "bad"), (12.0, 1.0, "bad")],
)
def test_the_bar_is_filled_by_what_was_spent(spent: float, part: float, ink: str) -> None:
    root = parsed(budget_bar([BudgetShare("epsilon", spent, 10.0)], [BudgetShare(EVIL, 0.0, 1.0)]))
    frame, filled, *_ = root.iter(f"{SVG}rect")
    assert float(filled.attrib["width"]) == pytest.approx(
        part * float(frame.attrib["width"]), abs=0.1
    )
    assert filled.get("fill") == f"var(--{ink})"
    assert len(list(root.iter(f"{SVG}rect"))) == 3  # of the quota nothing was spent
    assert f"{max(0, 10 - spent):g} left of 10" in words(root)
    assert BudgetShare("x", 0, 0).part == 1
