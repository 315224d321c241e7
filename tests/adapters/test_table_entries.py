"""A bus and a time, or a name, is one entry of d; or none."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.adapters.table_entries import TableEntries


def entries(names: list[str], periods: po.Periods | None = None) -> TableEntries:
    n = len(names)
    made = po.ConvexProgram(linear=np.ones(n), G=np.eye(n), lower=0, data_names=names)
    return TableEntries(made.over(periods))


def test_by_bus_and_by_name() -> None:
    at = entries(["demand[1]", "demand[12]", "tie[1,2]"])
    for place in ("12", 12, 12.0, "12.0", " 12 ", "demand[12]"):
        assert at.position(place, None, named=False) == 1
        assert list(at.positions(place)) == [1]
    assert at.position("12", None, named=True) is None
    assert at.position("demand[12]", None, named=True) == 1
    assert at.position("3", None, named=False) is None


def test_a_label_of_two_entries_is_none() -> None:
    at = entries(["demand[1]", "reactive[1]", "demand[2]"])
    assert at.position("1", None, named=False) is None  # which of both is not said
    assert at.position("reactive[1]", None, named=False) == 1


def test_times() -> None:
    names = [f"demand[{bus}]@{hour}" for hour in ("00", "01") for bus in ("a", "b")]
    at = entries(names, po.Periods.grid(["00", "01"], ["a", "b"]))
    for time in ("01", "1", 1, 1.0):
        assert at.position("b", time, named=False) == 3
    assert at.position("b", "2", named=False) is None
    assert list(at.positions("b")) == [1, 3]
    at.check_times("x.csv", named=True, timed=False)
    with pytest.raises(po.errors.InputError, match="no column for the time"):
        at.check_times("x.csv", named=False, timed=False)
    with pytest.raises(po.errors.InputError, match="of one time"):
        entries(["demand[1]"]).check_times("x.csv", named=False, timed=True)
