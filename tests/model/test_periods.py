"""Periods: which private entry is whose, and when."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.errors import InputError
from privopt.model.periods import Periods, at


def flat(by: str) -> list[tuple[str, str]]:
    """Period and customer of each entry of a table that was flattened."""
    table = np.array([[(t, c) for c in ("a", "b", "c")] for t in ("x", "y")], dtype="U1,U1")
    whole = np.array([[f"{t}{c}" for t, c in row] for row in table.tolist()])
    order = "C" if by == "period" else "F"
    return [(text[0], text[1]) for text in whole.flatten(order=order)]


@pytest.mark.parametrize("by", ["period", "customer"])
def test_a_grid_says_what_a_flattened_table_holds(by: str) -> None:
    periods = Periods.grid(["x", "y"], ["a", "b", "c"], by=by)
    labels = [periods.labels[k] for k in periods.period]
    assert list(zip(labels, periods.customers, strict=True)) == flat(by)
    assert len(periods) == 2


def test_totals_are_sums_for_an_instrument() -> None:
    periods = Periods.grid(range(5), ["a", "b"])
    assert periods.totals() == {str(k): [2 * k, 2 * k + 1] for k in range(5)}
    blocks = periods.totals(2)
    assert list(blocks) == ["0 to 2", "3 to 4"]
    assert blocks["3 to 4"] == [6, 7, 8, 9]
    assert periods.totals(1) == {"0 to 4": list(range(10))}


def test_a_program_has_the_periods_it_is_given() -> None:
    program = po.ConvexProgram(linear=[1, 1], G=np.eye(2), d=[1.0, 2.0], lower=0, upper=9)
    assert program.periods is None
    timed = program.over(Periods.grid(["m", "n"], ["home"]))
    assert timed.periods is not None
    assert timed.periods.customers == ("home", "home")
    assert program.periods is None
    for other in (timed.at([1.0, 1.0]), timed.without_data()):
        assert other.periods is timed.periods


def test_what_does_not_fit_is_refused() -> None:
    program = po.ConvexProgram(linear=[1, 1], G=np.eye(2), d=[1.0, 2.0], lower=0, upper=9)
    with pytest.raises(InputError, match="periods of 4 entries"):
        program.over(Periods.grid(["m", "n"], ["home", "away"]))
    with pytest.raises(InputError, match="period that is not there"):
        Periods(("m",), (0, 1), ("a", "a"))
    with pytest.raises(InputError, match="1 customers were given for 2"):
        Periods(("m", "n"), (0, 1), ("a",))
    with pytest.raises(InputError, match="more than one of the periods"):
        Periods.grid(["m", "m"], ["a"])
    with pytest.raises(InputError, match="by is"):
        Periods.grid(["m"], ["a"], by="row")


def test_names_of_a_period() -> None:
    assert at("demand[3]", "07") == "demand[3]@07"
