"""The bars of an audit's picture are the shares of its releases, and the event lies where it is."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.plots.reading import SVG, of_class
from tests.report.plots.reading import drawn as drawn_back

from privopt.assess.events import Coordinate, LowBits, Range, ReleaseEvent
from privopt.assess.histograms import Histograms


def drawn(seed: int, shift: float) -> np.ndarray:
    return shift + np.random.default_rng(seed).laplace(size=(4000, 2))


@pytest.mark.parametrize(("low", "high"), [(-np.inf, 0.3), (0.3, np.inf), (-0.5, 0.75)])
def test_bars_inside_the_event_hold_its_share(low: float, high: float) -> None:
    Y, other = drawn(0, 0.0), drawn(1, 1.0)
    event = ReleaseEvent((Range(Coordinate(1, "b"), low, high),))
    bars = Histograms.of(event, Y, other, ("a", "b"))
    assert bars.label == "b"
    assert bars.among == ""
    edge = low if np.isfinite(low) else high  # a bar begins there, and others tell the rest
    assert np.abs(bars.edges - edge).min() < 1e-9
    inside = (bars.edges[:-1] >= bars.region[0] - 1e-9) & (bars.edges[1:] <= bars.region[1] + 1e-9)
    for X, shares in ((Y, bars.shares), (other, bars.others)):
        shown = (X[:, 1] >= bars.edges[0]) & (X[:, 1] <= bars.edges[-1])
        assert shares.sum() == pytest.approx(shown.mean())
        within = shown & (X[:, 1] >= bars.region[0]) & (X[:, 1] <= bars.edges[1:][inside][-1])
        assert shares[inside].sum() == pytest.approx(within.mean())
    assert bars.shares.sum() > 0.99


def test_few_numbers_get_a_bar_each() -> None:
    Y, other = (np.random.default_rng(s).choice([1.0, 2.5, 7.0], (500, 1)) for s in (0, 1))
    event = ReleaseEvent((Range(Coordinate(0, "y"), 1.0, 2.5),))
    bars = Histograms.of(event, Y, other, ("y",))
    assert bars.ticks == ("1", "2.5", "7")
    assert bars.shares.tolist() == [float(np.mean(value == Y)) for value in (1.0, 2.5, 7.0)]
    assert bars.region == (0.5, 1.5)  # the second bar alone
    tree = drawn_back(bars.picture("title", "below"))
    for group, shares in zip(of_class(tree, "shares"), (bars.shares, bars.others), strict=True):
        heights = np.array([float(one.get("height", 0)) for one in group.iter(f"{SVG}rect")])
        assert heights / heights.sum() == pytest.approx(shares, abs=2e-3)
    event = next(tree.iter(f"{SVG}polygon")).get("points", "").split()
    left, right = (float(corner.split(",")[0]) for corner in event[:2])
    middles = [float(one.get("x", 0)) for one in tree.iter(f"{SVG}text") if one.text == "2.5"]
    assert left < middles[0] < right  # the second bar alone
    assert right - left == pytest.approx((460 - 52 - 12) / 3, abs=0.2)


def test_of_two_ranges_the_first_filters() -> None:
    Y, other = drawn(0, 0.0), drawn(1, 1.0)
    ranges = (Range(Coordinate(0, "a"), 0.0, 1.0), Range(LowBits(0, "a"), -np.inf, -50.0))
    bars = Histograms.of(ReleaseEvent(ranges), Y, other, ("a", "b"))
    assert bars.among == "0 < a <= 1"
    assert bars.shares.sum() == pytest.approx(((Y[:, 0] > 0) & (Y[:, 0] <= 1)).mean())
    assert all(tick.startswith("2⁻") for tick in bars.ticks)
