"""Which files were released in a session: kept in its folder, for all its processes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from privopt.files import write_whole

__all__ = ["add_published", "published_files"]

_KEPT = "published.json"


def add_published(folder: Path, paths: Iterable[Path]) -> None:
    """Keep the places of released files; each once, in their order."""
    known = [*published_files(folder), *(str(path.absolute()) for path in paths)]
    text = json.dumps(list(dict.fromkeys(known)))
    write_whole(folder / _KEPT, text.encode(), private=True)


def published_files(folder: Path) -> list[str]:
    """The places of the files that were released, the first one first."""
    path = folder / _KEPT
    return list(json.loads(path.read_bytes())) if path.is_file() else []
