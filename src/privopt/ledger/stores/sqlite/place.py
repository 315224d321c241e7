"""Where the file of a ledger may lie, and under which name: before anything is opened."""

from __future__ import annotations

import os
from pathlib import Path

from privopt.errors import InputError, LedgerError
from privopt.files import beside_database

__all__ = ["check_name", "is_blank", "resolved"]


def resolved(place: str | os.PathLike[str]) -> Path:
    """The file that a path names, or would; refuse what is no file."""
    try:
        path = Path(place).absolute().resolve()
        # SQLite would wait at a pipe for ever.
        usable = path.is_file() or (path.parent.is_dir() and not path.exists())
    except (TypeError, ValueError, OSError, RuntimeError):
        usable, path = False, Path()
    if not usable:
        raise InputError(
            f"path is {place!r:.80}.", "a file in a folder that exists.", "check the path."
        )
    return path


def check_name(path: Path) -> None:
    """Refuse a name by which SQLite would take the file for another ledger's journal."""
    if beside_database(path.name):
        raise LedgerError(
            f"{path.name} is the name of a file that SQLite keeps beside another ledger; "
            "a ledger of that name would lock the other one.",
            "a name that does not end in -journal, -wal or -shm.",
            "choose another name, such as loads.ledger.",
        )


def is_blank(path: Path) -> bool:
    """Whether there is no file, or one that holds nothing."""
    try:
        return path.stat().st_size == 0
    except OSError:
        return not path.exists()
