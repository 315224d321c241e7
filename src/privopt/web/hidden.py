"""Files that no field of the public form may name: the private data, and what is no ordinary file.

The curator keeps the places of the files that it reads in the session's folder. A field of the
form that names one of them (by another name or a link too) is refused before anything is read: a
domain, or alpha, that was read from the data would show them. A copy of the data is not known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from privopt.files import write_whole
from privopt.web.problems import Problem

__all__ = ["hidden_named", "hide"]

_KEPT = "hidden.json"


def hide(folder: Path, paths: Iterable[str | Path]) -> None:
    """Keep the places of files that are the curator's."""
    known = [*_hidden(folder), *(str(Path(path).absolute()) for path in paths)]
    write_whole(folder / _KEPT, json.dumps(list(dict.fromkeys(known))).encode(), private=True)


def hidden_named(folder: Path, form: Mapping[str, str]) -> Problem | None:
    """What is wrong with a form that names such a file; None: nothing is."""
    hidden = [Path(one) for one in _hidden(folder)]
    for name, text in form.items():
        for path in (Path(text), _expanded(text)):
            try:
                if not path.exists() or path.is_dir():
                    continue
                if any(one.exists() and path.samefile(one) for one in hidden):
                    return Problem(
                        f"{name} names the file of the private data.",
                        "public numbers: what is read here is shown on these screens.",
                        "name another file, or write the numbers.",
                        name,
                    )
                if not path.is_file():
                    return Problem(
                        f"{name} names something that is no ordinary file.",
                        "a file, and no pipe or device.",
                        "name another file.",
                        name,
                    )
            except (OSError, ValueError):  # no path at all, or one that may not be looked at
                continue
    return None


def _hidden(folder: Path) -> list[str]:
    path = folder / _KEPT
    return list(json.loads(path.read_bytes())) if path.is_file() else []


def _expanded(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # ~nobody
        return Path(text)
