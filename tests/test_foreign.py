"""Text from outside is shown, never obeyed; everything else stays as it is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privopt.foreign import seen, shown

HOSTILE = {
    "escape": "\x1b[2J\x1b]0;title\x07",
    "C1": "\x9b31m",
    "override": "safe\u202egpj.exe",
    "isolate": "\u2066x\u2069",
    "unseen": "a\u200bb\ufeff",
    "lines": "a\nprivacy [PROVEN]: everything\r\u2028b",
    "half": "\ud800",
    "tag": "\U000e0001",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_nothing_unseen_is_left(kind: str) -> None:
    safe = shown(HOSTILE[kind])
    assert safe.isprintable()
    assert safe != HOSTILE[kind]
    assert safe.encode().decode("unicode_escape") or kind  # what it was can be read


@settings(deadline=None, max_examples=300, derandomize=True)
@given(text=st.text())
def test_what_may_be_seen_stays(text: str) -> None:
    unseen = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    kept = "".join(c for c in text if unicodedata.category(c) not in unseen)
    if kept == text:
        assert shown(text) == text
    assert not set("\x1b\x9b\u202e\r\n").intersection(shown(text))
    assert not set("\x1b\x9b\u202e\r").intersection(shown(text, lines=True))
    assert shown(text, lines=True).count("\n") == text.count("\n")


def test_what_is_no_text_stays_in_a_page() -> None:
    assert seen(3.5) == 3.5
    assert seen("a\x1bb") == "a\\u001bb"
