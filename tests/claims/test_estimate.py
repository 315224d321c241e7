"""Clopper-Pearson: the same as scipy's exact interval, and it covers as it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, ttest_1samp

from privopt.claims.estimate import (
    Estimate,
    MeanEstimate,
    estimate_to_dict,
    mean_from_dict,
)
from privopt.errors import InputError

steady = settings(deadline=None, max_examples=80, derandomize=True)
LEVELS = [0.5, 0.9, 0.99, 0.999999]


@steady
@given(
    samples=st.sampled_from([1, 2, 7, 100, 10_000, 1_000_000]),
    share=st.floats(0, 1),
    confidence=st.sampled_from(LEVELS),
)
def test_the_interval_is_scipys_exact_one(samples: int, share: float, confidence: float) -> None:
    count = round(share * samples)
    found = Estimate.of(count, samples, confidence)
    wanted = binomtest(count, samples).proportion_ci(confidence, method="exact")
    assert found.value == count / samples
    assert found.interval == pytest.approx(tuple(wanted), rel=1e-9, abs=1e-11)
    assert (found.samples, found.confidence) == (samples, confidence)


@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize("samples", [1, 5, 40, 400])
def test_the_interval_covers_every_probability_as_often_as_it_says(
    samples: int, confidence: float
) -> None:
    """The exact coverage, summed over all outcomes; nothing is drawn."""
    outcomes = np.arange(samples + 1)
    low, high = Estimate.of(outcomes, samples, confidence).interval
    for p in np.concatenate([np.linspace(0, 1, 101), [1e-6, 1e-3, 1 - 1e-6], high[:5], low[-5:]]):
        covered = (low <= p + 1e-12) & (p - 1e-12 <= high)
        chances = np.asarray(binom.pmf(outcomes, samples, p))
        assert chances[covered].sum() >= confidence - 1e-12


def test_none_and_all_reach_the_ends() -> None:
    low, high = Estimate.of([0, 50], 50).interval
    assert low[0] == 0.0
    assert high[1] == 1.0
    assert high[0] == pytest.approx(1 - 0.005 ** (1 / 50))
    assert low[1] == pytest.approx(0.005 ** (1 / 50))


def test_the_repr_shows_the_draws_and_not_the_share() -> None:
    for text in (repr(Estimate.of(25, 1000)), str(Estimate.of(25, 1000))):
        assert "1000 draws" in text
        assert "2.5" not in text
    assert "3 shares of 10 draws" in repr(Estimate.of([1, 2, 3], 10))


@pytest.mark.parametrize("confidence", [0.9, 0.99])
@pytest.mark.parametrize("samples", [2, 7, 100])
def test_the_interval_of_a_mean_is_scipys_and_covers_as_it_says(
    samples: int, confidence: float
) -> None:
    rng = np.random.default_rng(samples)
    values = 3 + rng.normal(size=(4000, samples))
    found = MeanEstimate.over(values[0], confidence)
    wanted = ttest_1samp(values[0], 0.0).confidence_interval(confidence)
    assert found.value == pytest.approx(values[0].mean())
    assert found.interval == pytest.approx(tuple(wanted), rel=1e-9)
    ends = np.array([MeanEstimate.over(row, confidence).interval for row in values])
    covered = ((ends[:, 0] <= 3) & (ends[:, 1] >= 3)).mean()
    assert covered == pytest.approx(confidence, abs=0.02)


def test_draws_without_a_value_are_counted_and_left_out() -> None:
    found = MeanEstimate.over([0.1, np.nan, 0.3, np.nan, np.nan])
    assert (found.value, found.samples, found.without) == (pytest.approx(0.2), 2, 3)
    assert "0.2" not in repr(found)  # it may be about private data
    assert found.summary().startswith("20%")
    assert "none of 3 draws" in MeanEstimate.over([np.nan] * 3).summary()
    assert MeanEstimate.over([0.5]).interval == (-np.inf, np.inf)
    with pytest.raises(InputError):
        MeanEstimate.over([])


def test_a_mean_with_a_closed_form_is_a_point() -> None:
    found = MeanEstimate.exact(0.25)
    assert found.is_exact
    assert found.interval == (0.25, 0.25)
    assert "exact" in repr(found)
    assert "0.25" not in repr(found)
    assert (found.summary(), found.figures()) == ("25% (exact)", "0.25 (exact)")
    data = estimate_to_dict(found)
    assert data["exact"] is True
    assert mean_from_dict(data).is_exact
    drawn = MeanEstimate.over([1.0, 3.0])
    assert not drawn.is_exact
    assert "exact" not in estimate_to_dict(drawn)
    assert drawn.figures().startswith("2 [")
    assert not MeanEstimate.over([np.nan]).is_exact
    assert not MeanEstimate.over([2.0, 2.0]).is_exact  # a point, by chance
