"""The entries of a job: a copy of what the library's classes say, which help reads without them.

Inner: that the copy is the same is seen nowhere outside, until a field changes.
"""

from __future__ import annotations

from privopt.app.options import options, schema
from privopt.app.schema import ALTERNATIVES, COPY, KEYS, SECTIONS, to_text


def test_the_copy_is_as_the_library_says() -> None:
    assert COPY.read_text() == to_text(options()), "run: python -m privopt.app.options"
    assert schema() == KEYS


def test_entries_and_flags_are_one_of_a_kind_in_the_order_of_the_sections() -> None:
    flags = [key.flag for key in KEYS if key.flag]
    known = {(key.section, key.name) for key in KEYS}
    assert len(set(flags)) == len(flags)
    assert len(known) == len(KEYS)
    assert tuple(dict.fromkeys(key.section for key in KEYS)) == SECTIONS
    groups = [(section, one) for section, groups in ALTERNATIVES.items() for one in groups]
    assert {(section, name) for section, group in groups for name in group} <= known
