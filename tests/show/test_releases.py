"""How a release shows itself: in a line, as a view and as a picture."""

from __future__ import annotations

import dataclasses

import numpy as np
from tests.show.pictures.reading import reaches

import privopt as po
from privopt.claims.privacy import measurement_guarantee
from privopt.kernel.release import Release
from privopt.show.releases import release_plot, release_text, release_view

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)
MADE = NOISE.calibrate(5, 0.3)
RELEASE = Release(
    values=np.arange(5.0), names=tuple("abcde"), epsilon=MADE.epsilon, delta=0.0, alpha=0.1,
    scale=MADE.scale, exponent=MADE.exponent, mechanism="measurement",
    guarantee=measurement_guarantee(NOISE, MADE),
)  # fmt: skip


def test_a_line_has_the_first_values_and_where_it_was_counted() -> None:
    assert release_text(RELEASE, None).startswith("Release(a=0, b=1, c=2, d=3, ... 5 values; ")
    assert release_text(RELEASE, None).endswith("in no ledger)")
    assert release_text(RELEASE, 7).endswith("row 7 of its ledger)")
    again = dataclasses.replace(RELEASE, replayed=True)
    assert release_text(again, 7).endswith("row 7 of its ledger, replayed)")


def test_noise_is_told_as_what_it_is() -> None:
    def told(release: Release) -> str:
        return {fact.name: fact.text for fact in release_view(release, {}).facts}["noise"]

    assert "95% of draws or more within 0.9" in told(RELEASE)
    assert "constants" in told(dataclasses.replace(RELEASE, scale=0.0, exponent=None))
    assert "on the data" in told(dataclasses.replace(RELEASE, exponent=None))


def test_a_picture_has_three_scales_around_each_value() -> None:
    found = [row[0] for row in reaches(release_plot(RELEASE))]
    assert [value for value, _ in found] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert np.allclose([reach for _, reach in found], 3 * MADE.scale, rtol=0.05)
