"""Few digits, on the right side, and typed in as they are printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privopt.digits import down, up

numbers = st.floats(1e-30, 1e30)


@given(value=numbers, digits=st.integers(1, 6))
def test_they_enclose_the_value_and_are_near(value: float, digits: int) -> None:
    low, high = float(down(value, digits)), float(up(value, digits))
    assert low <= value <= high
    assert high - low <= 10.0 ** (1 - digits) * value * (1 + 1e-9)


@pytest.mark.parametrize(
    ("value", "below", "above"),
    [(0.5570282, "0.557", "0.558"), (0.0, "0", "0"), (0.25, "0.25", "0.25"), (9.996, "9.99", "10")],
)
def test_as_printed(value: float, below: str, above: str) -> None:
    assert (down(value, 3), up(value, 3)) == (below, above)
