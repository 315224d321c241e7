"""Is it worth its epsilon: against brute force, on both ends, and the words on numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.claims.worth import Worth, narrow_entries, tells_words, told_percent


def worth(errors: Any, spreads: Any, noise: Any = 0.0, epsilon: float = 1.0) -> Worth:
    size = len(errors)
    names = tuple("abcdef"[:size])
    wide = np.broadcast_to(np.asarray(noise, dtype=float), size)
    return Worth(
        names, np.array(errors, dtype=float), np.array(spreads, dtype=float), epsilon,
        wide, np.full(size, np.inf),
    )  # fmt: skip


def test_a_share_is_never_below_nothing() -> None:
    """A value whose bias alone is larger than what varies tells nothing, and is named."""
    found = worth([0.3, 2.0], [1.0, 1.0])
    assert found.told.tolist() == [pytest.approx(0.91), 0.0]
    assert found.drop == ("b",)
    assert found.tells == 0
    assert found.distance == pytest.approx(np.hypot(0.3, 2.0))


def test_narrow_is_what_can_vary_by_less_than_alpha() -> None:
    names, box = ("a", "b", "c"), (np.zeros(3), np.array([0.0, 0.2, 0.6]))
    assert narrow_entries(names, box, po.Laplace(epsilon=1.0, alpha=0.5).neighbours) == ("b",)
    each = po.Laplace(epsilon=1.0, alpha=[0.1, 0.1, 0.7]).neighbours
    assert narrow_entries(names, box, each) == ("c",)


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.923, "92%"), (0.99999, "99.9%"), (1.0, "100%"), (0.0004, "nothing"), (0.0, "nothing"),
        (0.0123, "1.2%"), (0.999, "99.9%"), (float("nan"), "nothing varies"),
    ],
)  # fmt: skip
def test_shares_are_never_rounded_up(share: float, words: str) -> None:
    assert tells_words(share) == words
    percent = told_percent(share)
    if percent:
        assert f"{percent:.3g}%" == words  # as tables print it, with three digits or more
        assert f"{percent:.8g}%" == words


def test_the_verdict_in_words() -> None:
    assert worth([0.28, 0.0], [1.0, 0.0]).verdict == "92% of what varies in the answers"
    far = worth([59.6], [1.0], noise=59.5)
    assert far.verdict.endswith("a constant, the mean answer, would be 59 times nearer")
    assert worth([1.0], [1.0]).verdict.endswith("would be as near")
    same = "nothing: the answer is the same over the whole domain"
    assert worth([1.0], [0.0]).verdict == same
    assert worth([1.0], [1.0], epsilon=0.0).verdict == "nothing: the release is a constant"
    assert "not known" in worth([np.nan], [1.0]).verdict
    assert "not known" in worth([1.0], [np.nan]).verdict


def test_rounding_beside_answers_that_never_vary_beats_no_constant() -> None:
    """A value that is always at its limit is decided to within a solver's tolerance."""
    assert worth([0.1, 1e-8], [0.3, 0.0]).drop == ()
    assert worth([0.1, 1e-3], [0.3, 0.0]).drop == ("b",)


def test_what_a_measurement_hides_falls_to_nothing_and_rises_to_all_that_it_could_tell() -> None:
    """Normal data u, y = u + noise: the posterior variance is v s^2 / (v + s^2)."""
    v, s = 4.0, 3.0
    left = v * s**2 / (v + s**2)
    found = Worth(
        ("a",), np.array([left**0.5]), np.array([v**0.5]), 2.0,
        np.array([left**0.5]), np.array([v**0.5]),
    )  # fmt: skip
    for share in (0.01, 0.3, 0.5, 0.9, 0.999):
        enough = found.epsilon_for(share)
        assert enough is not None
        scale = s * 2.0 / enough  # of the noise at that epsilon
        assert v / (v + scale**2) == pytest.approx(share, rel=1e-6)
    half = replace(found, errors=np.array([(left + 2.5) ** 0.5]))  # a bias of 2.5 in all
    assert half.epsilon_for(0.5) is None
    assert half.epsilon_for(0.3) is not None


def test_its_plain_data_are_finite_where_nothing_varies() -> None:
    data = worth([0.5, 0.2], [0.0, 0.0], noise=0.1).to_dict()
    assert data["tells"] is None
    assert data["told"] == [None, None]
    assert data["drop"] == ["a", "b"]
    unknown = worth([np.nan, 0.2], [1.0, 1.0]).to_dict()
    assert (unknown["tells"], unknown["distance"], unknown["errors"][0]) == (None, None, None)
    assert data["epsilon_for_half"] is None
    assert "Worth(2 values" in repr(worth([0.5, 0.2], [1.0, 1.0]))
