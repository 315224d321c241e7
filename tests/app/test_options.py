"""The entries of a job: a copy of what the library's classes say, which help reads without them.

Inner: that the copy is the same is seen nowhere outside, until a field changes.
"""

from __future__ import annotations

from privopt.app.options import options, schema
from privopt.app.schema import COPY, KEYS, to_text


def test_the_copy_is_as_the_library_says() -> None:
    assert COPY.read_text() == to_text(options()), "run: python -m privopt.app.options"
    assert schema() == KEYS
