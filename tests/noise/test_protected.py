"""Alpha and owners as users write them: the same said twice is the same, and bad input is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import privopt as po
from privopt.errors import CombinationError, InputError
from privopt.noise.protected import alpha_of

NAMES = ("north", "south", "west")


def noise(**given: Any) -> po.Laplace:
    return po.Laplace(epsilon=1.0, **{"alpha": 0.1, **given})


def test_forms_that_say_the_same_are_the_same() -> None:
    forms = [
        [0.1, 0.2, 0.3],
        (0.1, 0.2, 0.3),
        np.array([0.1, 0.2, 0.3]),
        {"south": 0.2, "north": 0.1, "west": 0.3},
        pd.Series({"west": 0.3, "north": 0.1, "south": 0.2}),
    ]
    assert len({noise(alpha=form).aligned(NAMES) for form in forms}) == 1
    owners = [
        ["ann", "bob", "ann"],
        np.array([7, 3, 7]),
        {"west": "ann", "north": "ann", "south": "bob"},
        pd.Series([1.0, 2.0, 1.0], index=list(NAMES)),
    ]
    assert len({noise(owners=form).aligned(NAMES) for form in owners}) == 1
    assert hash(noise(alpha=forms[3])) == hash(noise(alpha=forms[4]))


def test_what_comes_to_the_plain_relation_is_it() -> None:
    plain = noise()
    assert plain.aligned(NAMES) is plain
    for given in (
        {"alpha": [0.1] * 3},
        {"owners": ["a", "b", "c"]},
        {"owners": ["a", "b", "c"], "change": "total"},
        {"alpha": dict.fromkeys(NAMES, 0.1), "owners": {"north": 1, "south": 2, "west": 3}},
    ):
        assert noise(**given).aligned(NAMES) == plain
    assert noise(alpha=[0.1], change="total").aligned(["north"]) == plain
    whole = noise(change="total").aligned(NAMES)
    assert whole == noise(owners=["x"] * 3, change="total").aligned(NAMES) != plain
    assert plain.to_dict() == {"kind": "Laplace", "epsilon": 1.0, "alpha": 0.1}
    assert "owners" not in whole.to_dict()


@pytest.mark.parametrize(
    "alpha",
    [0, -1, float("nan"), float("inf"), "0.1", None, True, [], [0.0, 0.0], [0.1, float("nan")],
     [0.1, -0.1], [0.1, 1e-200], [0.1, "0.2"], [[0.1, 0.2]], np.eye(2), {}, {"a": None},
     {"north": 0.1, "south": float("nan"), "west": 0.1}, np.array(float("nan")), b"x"],
)  # fmt: skip
def test_an_alpha_that_is_none(alpha: Any) -> None:
    with pytest.raises(InputError, match="alpha"):
        noise(alpha=alpha)


@pytest.mark.parametrize(
    "owners",
    [
        3,
        "ann",
        ["ann", None],
        ["ann", float("nan")],
        [["ann"], []],
        [["ann", None]],
        [pd.NA, "a"],
        [""],
    ],
)
def test_owners_that_are_none(owners: Any) -> None:
    with pytest.raises(InputError, match="owners"):
        noise(owners=owners)


def test_another_change_is_refused() -> None:
    with pytest.raises(InputError, match="change is 'sum'"):
        noise(change="sum")


@pytest.mark.parametrize(
    ("given", "says"),
    [({"alpha": [0.1, 0.2]}, "alpha has 2 entries"),
     ({"owners": ["a"] * 4}, "owners has 4 entries"),
     ({"alpha": {"north": 0.1, "south": 0.2}}, "alpha has no entry for west"),
     ({"alpha": {"north": 0.1, "south": 0.2, "west": 0.2, "est": 0.1}}, "est, which is no private"),
     ({"owners": {"north": "a", "south": "a", "wets": "b"}}, "no entry for west and wets")],
)  # fmt: skip
def test_what_does_not_fit_the_private_entries_is_named(given: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        noise(**given).aligned(NAMES)


def test_names_need_a_program() -> None:
    with pytest.raises(InputError, match="alpha is given by name"):
        _ = noise(alpha={"north": 0.1}).neighbours
    with pytest.raises(InputError, match="owners is given by name"):
        _ = noise(owners={"north": 1}).neighbours


def test_what_knows_one_alpha_says_so() -> None:
    for given in ({"alpha": [0.1, 0.2]}, {"owners": [1, 1]}, {"change": "total"}):
        with pytest.raises(CombinationError, match="knows one alpha"):
            _ = noise(**given).one_alpha
    assert noise().one_alpha == 0.1


def test_a_name_twice_is_refused() -> None:
    twice = pd.Series([0.1, 0.2], index=["a", "a"])
    with pytest.raises(InputError, match="'a' more than once"):
        alpha_of(twice)
