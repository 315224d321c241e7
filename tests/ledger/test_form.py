"""What a row must be: every value of the wrong kind is refused, whatever its digest."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from privopt.errors import LedgerError
from privopt.ledger.budget import Budget, Units
from privopt.ledger.form import check_form, check_row, is_name
from privopt.ledger.row import SHARE, Row, Share
from privopt.ledger.subject import Subject

OPENED = Row(
    seq=1, kind="opened", time="2026-01-01T00:00:00Z", request=Subject("x", None, None).text
).sealed()
ANNA = Row.named("anna", Share(Budget(1).charge, Budget(2).limit))
QUOTA = OPENED.after("quota", time="2026-01-01T00:00:00Z", releasers=1, **ANNA)


def test_what_a_ledger_writes_is_right() -> None:
    for row in (OPENED, QUOTA, QUOTA.after("limit", limit=Units(3, 0))):
        check_row(row)


def test_columns_that_are_missing_are_not_in_the_text_of_a_digest() -> None:
    assert all(getattr(OPENED, name) is None for name in ("releaser", "releasers", *SHARE))
    text = (
        '{"delta":"0","epsilon":"0","kind":"opened","limit_delta":"0","limit_epsilon":"0",'
        '"previous":{"hex":"' + "00" * 32 + '"},"request_digest":{"hex":"'
        + (OPENED.request_digest or b"").hex()
        + '"},"seq":1,"spent_delta":"0","spent_epsilon":"0","time":"2026-01-01T00:00:00Z"}'
    )  # fmt: skip
    assert OPENED.digest == hashlib.sha256(text.encode()).digest()


WRONG: list[dict[str, Any]] = [
    {"kind": "gift"}, {"kind": "opened"}, {"of": 1}, {"releasers": 0}, {"releasers": 1.0},
    {"releasers": "1"}, {"releasers": 2**53}, {"releaser": None}, {"releaser": ""},
    {"releaser": "a\tb"}, {"releaser": b"anna"}, {"releaser_spent_epsilon": None},
    {"releaser_spent_epsilon": "00"}, {"releaser_spent_delta": str(10**60 + 1)},
    {"releaser_limit_epsilon": None}, {"releaser_limit_delta": None},
    {"releaser_limit_epsilon": None, "releaser_limit_delta": None},
    {"kind": "limit"}, {"kind": "output"},
    {"epsilon": "-1"}, {"epsilon": 1}, {"home": b"x"}, {"time": "x" * 41},
]  # fmt: skip


@pytest.mark.parametrize("changes", WRONG, ids=str)
def test_values_that_no_ledger_writes_are_refused(changes: dict[str, Any]) -> None:
    row = replace(QUOTA, **changes)
    with pytest.raises(LedgerError, match="row 2 of the ledger does not say"):
        check_form(row)
    with pytest.raises(LedgerError, match="row 2 of the ledger"):
        check_row(row)


def test_a_name_is_short_and_printable() -> None:
    for name in ("anna", "Änne B.", "x" * 200, "[red]"):
        assert is_name(name)
    for name in ("", "x" * 201, "a\nb", "\u202ea", None, 3, b"x"):
        assert not is_name(name)
