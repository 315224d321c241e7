"""Numbers at the edge."""

from __future__ import annotations

import pytest

from privopt.errors import InputError
from privopt.scalars import probability, real, whole


def test_ends_of_ranges_are_in_or_out_as_said() -> None:
    assert real(1, "x", "", "", low=1.0, high=1.0) == 1.0
    with pytest.raises(InputError):
        real(1, "x", "", "", low=1.0, open_low=True)
    with pytest.raises(InputError):
        real(1, "x", "", "", high=1.0, open_high=True)
    for value in (0.0, 0.5):
        with pytest.raises(InputError):
            probability(value, "eta", high=0.5)
    assert whole(3, "n", "", low=3) == 3
    with pytest.raises(InputError):
        whole(2, "n", "", low=3)


def test_long_values_are_not_spelt_out() -> None:
    with pytest.raises(InputError) as caught:
        real("x" * 1000, "epsilon", "a number.", "use 1.")
    assert len(str(caught.value)) < 200
