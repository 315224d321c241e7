"""Which anchor a text names: `ROW:DIGEST` a head, `scheme://...` a database, a plain path a file.

A new kind is one file beside this one, and one line in `ANCHORS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from privopt.errors import InputError
from privopt.ledger.anchors.file import FileAnchor
from privopt.ledger.anchors.noted import NotedAnchor
from privopt.ledger.anchors.protocol import Anchor, Mark
from privopt.ledger.stores.registry import ANCHORS as IN_DATABASES
from privopt.ledger.stores.registry import scheme_of

__all__ = ["ANCHORS", "is_kept", "open_anchor"]

# What makes an anchor of a whole address, and opens nothing yet.
ANCHORS: dict[str, Callable[..., Anchor]] = {
    "": FileAnchor,
    **IN_DATABASES,
}


def open_anchor(place: str | os.PathLike[str]) -> Anchor:
    """The anchor that a head, a path or an address names."""
    mark = Mark.read(place) if isinstance(place, str) else None
    if mark is not None:
        return NotedAnchor(mark)
    scheme = scheme_of(place)
    if scheme not in ANCHORS:
        known = ", ".join(f"{name}://" for name in sorted(ANCHORS) if name) or "none"
        raise InputError(
            f"no anchor is kept in {scheme}://.",
            f"ROW:DIGEST, the path of a file, or an address of a database ({known}).",
            "check how the address begins.",
        )
    return ANCHORS[scheme](place)


def is_kept(place: str | os.PathLike[str]) -> bool:
    """Whether an anchor is there already; a head that is given as text always is."""
    return open_anchor(place).look() is not None
