"""Files: versioned JSON of the public types, and of nothing else.

A file is `{"privopt": kind, "version": n, ...}` with numbers that read back to the same bits.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, cast

from privopt.errors import InputError

VERSION = 1


def dump(kind: str, data: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a file whole or not at all."""
    target = Path(path)
    text = json.dumps({"privopt": kind, "version": VERSION, **data}, indent=2, allow_nan=False)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_text(text + "\n", encoding="utf-8")
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(
            f"{target} could not be written ({error.strerror}).",
            "a folder that exists and may be written to.",
            "choose another path.",
        ) from None


def load(kind: str, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a file of the given kind."""
    if not isinstance(path, (str, os.PathLike)) or not Path(path).is_file():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"there is no file {path!r:.80}.", f"a {kind} written by privopt.", "check the path."
        )
    try:
        data: Any = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError, RecursionError):
        raise InputError(
            f"{path} could not be read as JSON.", f"a {kind} written by privopt.", "check the file."
        ) from None
    whole = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if whole.get("privopt") != kind:
        raise InputError(
            f"{path} is not a {kind}.", f"a {kind} written by privopt.", "check the path."
        )
    if whole.get("version") != VERSION:
        raise InputError(
            f"{path} has version {whole.get('version')!r}.",
            f"version {VERSION}.",
            "read it with the privopt that wrote it.",
        )
    return whole
