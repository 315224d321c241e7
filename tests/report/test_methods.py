"""The algorithms as a reader meets them: one sign each, and what a row promises."""

from __future__ import annotations

import pytest

from privopt.report.methods import Promise, groups, promise
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


def test_methods_stand_in_one_order_and_unknown_ones_last() -> None:
    found = groups(["new", "joint factor", "PSQ-a", "OP", "PIQ-a", "OP", "other"])
    assert [names for _, names in found] == ["OP", "PIQ-a, PSQ-a", "joint factor", "new", "other"]
    assert [how.promise for how, _ in found[-2:]] == [Promise.UNKNOWN] * 2
