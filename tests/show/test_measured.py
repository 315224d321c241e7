"""Values that were measured, or nothing at no charge."""

from __future__ import annotations

import pytest
from tests.show.test_releases import RELEASE

import privopt as po
from privopt.errors import InputError
from privopt.show.measured import MeasuredValues


class Some(MeasuredValues):
    """One of each kind."""

    def __init__(self, release: po.Release | None) -> None:
        self.release = release


def test_values_and_charge_are_those_of_the_release() -> None:
    some = Some(RELEASE)
    assert some.values is RELEASE.values
    assert some.names == RELEASE.names
    assert (some.epsilon, some.delta) == (RELEASE.epsilon, 0.0)
    assert some.claim == RELEASE.guarantee.privacy
    assert repr(some) == f"Measurement({RELEASE!r})"
    titled = RELEASE.view().text().replace("Release", "Measurement", 1)
    assert some.view().text() == titled


def test_nothing_costs_nothing_and_has_no_picture() -> None:
    nothing = Some(None)
    assert len(nothing.values) == len(nothing.names) == 0
    assert (nothing.epsilon, nothing.delta, nothing.claim) == (0.0, 0.0, None)
    with pytest.raises(InputError, match="nothing was measured"):
        nothing.plot()
