r"""Text from a file, a name or a message, made safe to show.

    ESC[2Jx  ->  \u001b[2Jx

Control characters (a terminal obeys them), marks that turn the direction of writing or are not seen
at all, separators of lines, halves of characters and private ones are written as what they are.
Everything else stays. What is kept (names as keys, files) is never changed: only what is shown.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

__all__ = ["seen", "shown", "some"]

_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def shown(text: object, *, lines: bool = False) -> str:
    """The text as it may be shown; with `lines`, its line ends and tabs stay."""
    whole = str(text)
    if whole.isprintable():
        return whole
    kept = "\n\t" if lines else ""
    return "".join(
        letter
        if letter in kept or unicodedata.category(letter) not in _UNSEEN
        else f"\\u{ord(letter):04x}"
        if ord(letter) < 0x10000
        else f"\\U{ord(letter):08x}"
        for letter in whole
    )


def some(names: Sequence[str], most: int = 3, *, count: bool = False) -> str:
    """The first few names, and dots if there are more, if asked with their number."""
    more = f", ... ({len(names)} in all)" if count else ", ..."
    return ", ".join(map(shown, names[:most])) + (more if len(names) > most else "") or "none"


def seen(value: object) -> object:
    """The same for whatever stands in a page: markup and numbers stay as they are."""
    return shown(value, lines=True) if type(value) is str else value
