"""Numbers of a table are read as written, and added without an error."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privopt.adapters.table_numbers import Decimals, ExactSums

FINITE = st.floats(allow_nan=False, allow_infinity=False)
CELLS = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9, places=5),
    st.integers(-(10**30), 10**30),
    FINITE,
)


def read(cell: object, separator: str = ";", mark: str | None = None) -> Fraction | None:
    found = Decimals(mark, separator).read(cell)
    return None if found is None else Fraction(found[0], 10 ** found[1])


@given(st.lists(st.one_of(CELLS, CELLS.map(str)), max_size=30))
def test_a_sum_is_the_nearest_float_of_the_exact_sum(cells: list[object]) -> None:
    decimals, sums = Decimals(None, ";"), ExactSums()
    for cell in cells:
        number = decimals.read(cell)
        assert number is not None
        sums.add(7, number)
    exact = sum(
        (Fraction(repr(float(x)) if isinstance(x, int) else str(x)) for x in cells), Fraction(0)
    )
    try:
        wanted = float(exact)
    except OverflowError:
        wanted = 1.7976931348623157e308 if exact > 0 else -1.7976931348623157e308
    assert sums.value(7) == wanted


@given(st.lists(FINITE, max_size=20))
def test_the_order_of_rows_does_not_matter(cells: list[float]) -> None:
    def total(order: list[float]) -> float:
        sums = ExactSums()
        for cell in order:
            number = Decimals(None, "").read(cell)
            assert number is not None
            sums.add(0, number)
        return sums.value(0)

    assert total(cells) == total(sorted(cells)) == total(cells[::-1])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", Fraction(3, 2)), (" +2 ", 2), ("-.5", Fraction(-1, 2)), ("1e3", 1000),
        ("1.25E-2", Fraction(1, 80)), ("12,5", Fraction(25, 2)), ("1,500", Fraction(3, 2)),
        (Decimal("0.1"), Fraction(1, 10)), (0.1, Fraction(1, 10)), (3, 3),
    ],
)  # fmt: skip
def test_numbers(text: object, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "-", ".", "nan", "inf", "1,2,3", "1.234,5", "1,234.5", "1 000", "1.5 MW", "0x1p3", "1_0",
     "1e9999", "٣", True, None, float("nan"), float("inf"), Decimal("NaN"), "9" * 401,
     np.timedelta64(5, "ns")],
)  # fmt: skip
def test_no_numbers(text: object) -> None:
    assert read(text) is None


def test_a_comma_is_a_decimal_comma_where_nothing_else_can_be_meant() -> None:
    assert read("12,5", separator=",") is None
    assert read("12,5", mark=".") is None
    assert read("12.5", mark=",") is None
    unclear, clear, mixed = Decimals(None, ";"), Decimals(None, ";"), Decimals(None, ";")
    unclear.read("1,500")
    assert unclear.doubt is not None
    for cell in ("1,500", "0,123"):
        clear.read(cell)
    assert clear.doubt is None
    for cell in ("1,5", "1.5"):
        mixed.read(cell)
    assert mixed.doubt is not None
    said = Decimals(",", ";")
    said.read("1,500")
    assert said.doubt is None


def test_an_amount_is_cut_to_its_bound_and_never_above_it() -> None:
    sums = ExactSums()
    for key, number in enumerate([(25, 1), (-3, 0), (7, 2)]):
        sums.add(key, number)
    found = [sums.clamped(key, (3333, 4)) for key in range(3)]
    assert [Fraction(top, 10**places) for top, places in found] == [
        Fraction(3333, 10_000), 0, Fraction(7, 100),
    ]  # fmt: skip
