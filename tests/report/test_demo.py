"""The demo's page: the story in its order, in plain words, with units, and small."""

from __future__ import annotations

import re

import pytest

from privopt.experiments.story import Story
from privopt.report.demo import small_percent


def test_the_story_is_told_in_its_order(demo: str) -> None:
    places = [demo.index(f'id="{part}"') for part in ("ways", "map", "proof", "ledger")]
    assert places == sorted(places)
    assert demo.index("<svg") < places[0]  # a picture comes first
    names = re.findall(r"<h3>([^<]+)</h3>", demo)[:3]
    assert names == ["Noise outside", "Noise inside", "Measured"]
    assert "11 supplies published, 39 demands kept private" in demo
    assert "p.u. is 100 MW" in demo


def test_the_page_says_what_was_found(demo: str, told: Story) -> None:
    for way in told.ways:
        assert f">{small_percent(way.impossible)}</dd>" in demo
        assert f">{way.distance:.2f}</dd>" in demo
    assert demo.count('<span class="badge">ASSUMED</span>') == 2
    assert '<span class="badge">PROVEN</span>' in demo
    assert "epsilon 1 of epsilon 2" in demo
    assert "demo: the total demand" in demo
    assert f"published was {told.measurement.values[0]:.3f}" in demo


def test_the_page_is_small_and_links_to_the_paper(demo: str) -> None:
    assert len(demo) < 100_000
    assert demo.count('href="report.html"') == 2
    assert demo.count("<script>") == 1


def test_the_ways_are_what_they_are_said_to_be(told: Story) -> None:
    """Noise outside breaks limits, noise inside costs, the measured release does neither."""
    assert told.outside.impossible > 0.5
    assert told.outside.loss is None
    assert told.inside.impossible < 0.2
    assert told.inside.loss is not None
    assert told.measured.loss is not None
    assert told.measured.impossible <= told.eta
    assert told.measured.loss < told.constant.loss < told.inside.loss  # type: ignore[operator]
    assert told.measured.distance < 0.2 * told.constant.distance
    assert (told.measured.epsilon, told.constant.epsilon) == (pytest.approx(1.0), 0.0)
    assert [way.limits for way in told.ways] == ["no promise", "each, 97.5%", "all, 97.5%"]
    assert told.constant.limits == "all, always"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.954, "95%"),
        (0.054, "5.4%"),
        (6.6e-6, "0.00066%"),
        (0.0, "0%"),
        (1e-9, "0%"),
        (1.0, "100%"),
    ],
)
def test_small_shares_keep_two_digits(share: float, text: str) -> None:
    assert small_percent(share) == text
