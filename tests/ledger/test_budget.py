"""Amounts are the decimals that were written; rounding never lets anything through."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privopt.errors import InputError
from privopt.ledger import Budget
from privopt.ledger.budget import DELTA_UNITS, EPSILON_UNITS, Units


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (2, Fraction(2)),
        (np.int64(2), Fraction(2)),
        (1e-9, Fraction(1, 10**9)),
        (0.1 + 0.2, Fraction("0.30000000000000004")),
    ],
)
def test_a_number_is_the_decimal_that_was_written(value: object, exact: Fraction) -> None:
    assert Budget(value).exact[0] == exact


@pytest.mark.parametrize(
    "value", [-1, float("nan"), float("inf"), "x", None, True, 2e12, 1j, "1e999999"]
)
def test_what_is_no_amount_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="epsilon is .* Needed: .* What to do:"):
        Budget(value)


@pytest.mark.parametrize("value", [-1e-9, 1, 1.5, float("nan")])
def test_delta_is_below_one(value: float) -> None:
    with pytest.raises(InputError, match="delta is"):
        Budget(1, value)


@given(st.floats(1e-9, 1e9), st.floats(1e-40, 0.999))
def test_every_float_that_can_be_asked_is_a_whole_number_of_units(e: float, d: float) -> None:
    budget = Budget(e, d)
    assert budget.charge == budget.limit
    assert budget.charge.budget == budget
    assert (budget.epsilon, budget.delta) == (e, d)
    assert Budget(*budget.charge.texts) == budget


@given(st.fractions(0, 100), st.fractions(0, Fraction(99, 100)))
def test_charges_are_rounded_up_and_limits_down_by_less_than_a_unit(
    e: Fraction, d: Fraction
) -> None:
    budget = Budget(e, d)
    up, down = budget.charge.budget.exact, budget.limit.budget.exact
    for part, unit in ((0, Fraction(1, EPSILON_UNITS)), (1, Fraction(1, DELTA_UNITS))):
        assert down[part] <= budget.exact[part] <= up[part]
        assert up[part] - budget.exact[part] < unit
        assert budget.exact[part] - down[part] < unit


def test_what_is_left_is_never_negative() -> None:
    assert Units(1, 5).minus(Units(2, 3)) == Units(0, 2)


@pytest.mark.parametrize(
    ("budget", "shown"),
    [
        (Budget(1), "Budget(epsilon=1, delta=0)"),
        (Budget(0.25, 1e-6), "Budget(epsilon=0.25, delta=1e-6)"),
        (Budget("1e-30", "1.25e-59"), "Budget(epsilon=1e-30, delta=1.3e-59)"),
        (Budget("10.5", "0.001"), "Budget(epsilon=10.5, delta=0.001)"),
    ],
)
def test_the_repr_is_exact_and_rounds_up(budget: Budget, shown: str) -> None:
    assert repr(budget) == shown


@pytest.mark.parametrize("text", ["1_000", "１", "٣", "1e", "0x1", "1.2.3", "", "--1"])
def test_a_decimal_is_written_with_plain_digits(text: str) -> None:
    with pytest.raises(InputError):
        Budget(text)
