"""One record, one digest: how everything public is identified, and by nothing else.

    record     plain data that holds all that the claims of a thing rest on
    text       the record as JSON: keys sorted, no spaces, ASCII, floats as `repr`
    digest     SHA-256 of the text

A record names its parts by their digests. A file has each part once, beside the record:

    {"privopt": kind, "version": n, ...,  "parts": {digest: {"privopt": kind, ...}, ...}}

so that a change in a part is another part, and another whole.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, cast

__all__ = ["HEAD", "PARTS", "canonical", "digest", "names_of", "part_of"]

HEAD = ("privopt", "version")  # what heads a record: its kind, and the version of its form
PARTS = "parts"  # under which a file has what its record names


def canonical(data: Any) -> str:  # noqa: ANN401 -- plain data
    """Plain data as text, one text for each value."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(data: Any) -> str:  # noqa: ANN401 -- plain data
    """SHA-256 of plain data. Give it public data only: a digest of d could be guessed."""
    return hashlib.sha256(canonical(data).encode()).hexdigest()


def part_of(data: Mapping[str, Any], name: object, kind: str, version: int) -> dict[str, Any]:
    """A part that a record names, with the parts that it names itself; ValueError if not there."""
    parts = data.get(PARTS, {})
    found: Any = parts.get(name) if isinstance(name, str) else None
    if not isinstance(found, dict):
        raise ValueError  # noqa: TRY004 -- of what a file holds
    part = cast("dict[str, Any]", found)
    if [part.get(one) for one in HEAD] != [kind, version]:
        raise ValueError
    return {**part, PARTS: parts}


def names_of(value: object) -> list[str]:
    """A list of digests, each of them once."""
    names = cast("list[Any]", value) if isinstance(value, list) else None
    if names is None or any(type(one) is not str for one in names) or len(set(names)) < len(names):
        raise ValueError
    return names
