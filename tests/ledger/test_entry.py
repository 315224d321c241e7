"""The entry of a charge as plain data: read back whole, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from privopt.ledger.entry import Entry

ENTRY = Entry("loads", 4, "ab" * 32, "0.1", "0.000001")


def test_it_reads_back_what_it_wrote() -> None:
    assert Entry.from_dict(ENTRY.to_dict()) == ENTRY
    assert str(ENTRY) == (
        "charged to the ledger of 'loads' (row 4): epsilon = 0.1, delta = 0.000001"
    )


@pytest.mark.parametrize(
    "change",
    [{"row": "4"}, {"row": True}, {"row": 4.0}, {"epsilon": 0.1}, {"dataset": None}, {"more": 1}],
)
def test_another_type_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Entry.from_dict(ENTRY.to_dict() | change)


@pytest.mark.parametrize("name", ENTRY.to_dict())
def test_a_missing_part_is_refused(name: str) -> None:
    with pytest.raises(ValueError):
        Entry.from_dict({key: value for key, value in ENTRY.to_dict().items() if key != name})
