"""A mark is a row and a digest, written in one way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privopt.ledger.anchors.protocol import Mark, unreadable

DIGEST = "0123456789abcdef" * 4


@given(row=st.integers(1, 10**18 - 1), digest=st.binary(min_size=32, max_size=32))
def test_what_is_written_is_read_again(row: int, digest: bytes) -> None:
    mark = Mark(row, digest.hex())
    assert Mark.read(str(mark)) == Mark.read(f"  {mark}\n") == mark == (row, digest.hex())


@pytest.mark.parametrize(
    "text",
    ["", ":", "3", f"0:{DIGEST}", f"03:{DIGEST}", f"-3:{DIGEST}", f"3:{DIGEST[1:]}", f"3:{DIGEST}0",
     f"3:{DIGEST.upper()}", f"3 :{DIGEST}", f"3:{DIGEST}\n4:{DIGEST}", f"{'9' * 19}:{DIGEST}",
     f"\u0663:{DIGEST}"],
)  # fmt: skip
def test_anything_else_is_no_mark(text: str) -> None:
    assert Mark.read(text) is None


def test_an_anchor_that_cannot_be_read_is_named() -> None:
    assert "the anchor /x cannot be read: why" in str(unreadable("/x", "why"))
