"""The picture of a claim: a bar beyond its line is red."""

from __future__ import annotations

import pytest
from tests.report.plots.reading import SVG, drawn, of_class, texts

from privopt.assess.claim_picture import claim_picture


@pytest.mark.parametrize(("shown", "ink"), [(0.9, "analytic"), (1.0, "analytic"), (1.1, "bad")])
def test_a_bar_beyond_the_claim_is_red(shown: float, ink: str) -> None:
    tree = drawn(claim_picture({"releases show": shown, "computed": 0.5}, 1.0, "name", "caption"))
    first, second = of_class(tree, "shown")
    bars = [one.find(f"{SVG}rect") for one in (first, second)]
    assert [bar.get("fill") for bar in bars if bar is not None] == [
        f"var(--{ink})",
        "var(--analytic)",
    ]
    widths = [float(bar.get("width", 0)) for bar in bars if bar is not None]
    assert widths[0] / widths[1] == pytest.approx(shown / 0.5, rel=0.01)
    assert "claimed: 1" in texts(tree)


def test_without_a_claim_there_is_no_line() -> None:
    picture = claim_picture({"releases show": 0.0}, None, "name", "caption")
    assert not any("claimed" in text for text in texts(drawn(picture)))
    assert "nothing is claimed" in picture.description
