"""Choosing by position, name or mask gives the same positions; the rest is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privopt.errors import InputError
from privopt.labels import check_names, positions

NAMES = ("x", "y", "w", "v")
steady = settings(deadline=None, max_examples=50, derandomize=True)


@steady
@given(chosen=st.lists(st.integers(0, 3), unique=True))
def test_positions_names_and_masks_agree(chosen: list[int]) -> None:
    assert positions(chosen, NAMES, "variables") == chosen
    assert positions(np.array(chosen, dtype=int), NAMES, "variables") == chosen
    assert positions([NAMES[k] for k in chosen], NAMES, "variables") == chosen
    mask = np.isin(np.arange(4), chosen)
    for form in (mask, mask.tolist(), pd.Series(mask, index=list(NAMES))):
        assert positions(form, NAMES, "variables") == sorted(chosen)


@pytest.mark.parametrize(
    ("which", "wanted"),
    [
        ("w", [2]),
        (2, [2]),
        (np.int64(2), [2]),
        (-1, [3]),
        ([-4, "y"], [0, 1]),
        (range(1, 3), [1, 2]),
        (pd.Index(["v", "x"]), [3, 0]),
        ((name for name in "yx"), [1, 0]),
        ([], []),
    ],
)
def test_one_item_or_any_iterable_will_do(which: object, wanted: list[int]) -> None:
    assert positions(which, NAMES, "variables") == wanted


@pytest.mark.parametrize(
    ("which", "says"),
    [
        (4, "position 4"),
        ([-5], "position -5"),
        ("z", "'z' is not a name"),
        (["x", "xy"], "'xy' is not a name"),
        ([True, False], "mask of length 2"),
        ([0.0], "'0.0' is not a name"),
        ([None], "'None' is not a name"),
        (None, "NoneType cannot choose"),
        (1.5, "float cannot choose"),
    ],
)
def test_what_chooses_nothing_is_refused_by_name(which: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        positions(which, NAMES, "variables")


def test_a_number_that_is_a_position_and_another_ones_name_is_refused() -> None:
    names = ("1", "0", "x")
    with pytest.raises(InputError, match="0 is a position and also the name"):
        positions([0], names, "variables")
    assert positions(["0", "1", 2], names, "variables") == [1, 0, 2]
    assert positions([0, 1], ("0", "1"), "variables") == [0, 1]


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["a"], "1 names were given for 2"),
        (["a", "b", "c"], "3 names"),
        (["a", "a"], "'a' stands for more than one"),
        ([1, "1"], "'1' stands for more than one"),
    ],
)
def test_names_must_be_as_many_as_needed_and_different(names: list[object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        check_names(names, 2, "variables")
