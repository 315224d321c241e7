"""The algorithms as a reader meets them: one sign each, and what a row promises."""

from __future__ import annotations

import pytest

from privopt.report.methods import KNOWN, Promise, groups, method, promise
from privopt.report.records import Claimed


@pytest.mark.parametrize(
    ("name", "claims", "expected"),
    [
        ("PIQ-s", (Claimed("they hold for 1000 draws", "NO CLAIM", ""),), Promise.NONE),
        ("PIQ-s", (Claimed("they hold together", "PROVEN", "joint"),), Promise.ALL),
        ("PIQ-s", (Claimed("they hold", "PROVEN", ""),), Promise.ALL),
        ("PIQ-a", (), Promise.EACH),
        ("something new", (Claimed("each holds", "SAMPLED", "row"),), Promise.EACH),
        ("something new", (), Promise.UNKNOWN),
    ],
)
def test_a_row_promises_what_its_claims_say(
    name: str, claims: tuple[Claimed, ...], expected: Promise
) -> None:
    assert promise(name, claims) is expected


def test_each_method_has_a_sign_and_a_colour_of_its_own() -> None:
    """The sum queries of Table 2 are the same two methods: their twins look like them."""
    looks: dict[tuple[str, str], set[str]] = {}
    for name, how in KNOWN.items():
        looks.setdefault((how.symbol, how.colour), set()).add(name)
    assert {"PIQ-a", "PSQ-a"} in looks.values()
    assert {"PIQ-s", "PSQ-s"} in looks.values()
    assert (
        len({symbol for symbol, _ in looks}) == len({colour for _, colour in looks}) == len(looks)
    )


@pytest.mark.parametrize("name", list(KNOWN))
def test_the_shape_says_what_is_promised(name: str) -> None:
    how = method(name)
    shape = {"cross": Promise.NONE}.get(
        how.symbol, Promise.EACH if how.symbol.endswith("open") else Promise.ALL
    )
    assert how.promise is shape
    assert how.name == name


def test_methods_stand_in_one_order_and_unknown_ones_last() -> None:
    found = groups(["new", "joint factor", "PSQ-a", "OP", "PIQ-a", "OP", "other"])
    assert [names for _, names in found] == ["OP", "PIQ-a, PSQ-a", "joint factor", "new", "other"]
    assert [how.promise for how, _ in found[-2:]] == [Promise.UNKNOWN] * 2
