"""The journal of a study: rows appended as they come, so that a killed run goes on.

One line of JSON each. The first holds what the numbers depend on; a journal made under other
conditions is refused, not mixed in. A line cut short by a kill is dropped when the journal is
opened again. One process at a time: the file is locked.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Self

from privopt.errors import InputError
from privopt.experiments.study import Row

__all__ = ["Journal"]


class Journal:
    """An append-only file of rows by key, made if it is not there.

    What the rows depend on, the conditions, must be what the file was begun with.
    """

    def __init__(self, path: Path, conditions: Mapping[str, Any]) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _opened(path)
        except OSError as error:
            raise InputError(
                f"{path.parent} cannot be written to ({error.strerror}).",
                "a folder for the results.",
                "pass another one with --out.",
            ) from None
        try:
            self._lock()
            self.rows = self._read(json.loads(json.dumps(dict(conditions))))
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *ended: object) -> None:
        self._file.close()

    def append(self, key: str, row: Row) -> None:
        """Write one row, on the disk before this returns."""
        self._write({"key": key, **row})
        self.rows[key] = row

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"{self.path.name} is in use by another run.",
                "one run a folder at a time.",
                "wait for it, or pass another folder with --out.",
            ) from None

    def _read(self, conditions: dict[str, Any]) -> dict[str, Row]:
        self._file.seek(0)
        text = self._file.read()
        whole = text.rfind(b"\n") + 1
        try:
            lines: list[dict[str, Any]] = [json.loads(line) for line in text[:whole].splitlines()]
            begun: dict[str, Any] | None = dict(lines[0]["conditions"]) if lines else None
            rows = {str(line.pop("key")): line for line in lines[1:]}
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise self._damaged() from None
        if begun is not None and begun != conditions:
            names = {*begun, *conditions}
            changed = sorted(name for name in names if begun.get(name) != conditions.get(name))
            raise InputError(
                f"{self.path} was begun under other conditions ({', '.join(changed):.200}).",
                "the conditions it was begun with.",
                "pass another folder with --out, or delete that file to start anew.",
            )
        if whole < len(text):  # a kill in the middle of a line
            if begun is None and not _beginning(text):
                raise self._damaged()
            self._file.truncate(whole)
            self._file.seek(0, os.SEEK_END)
        if begun is None:
            self._write({"conditions": conditions})
        return rows

    def _damaged(self) -> InputError:
        return InputError(
            f"{self.path} is damaged.", "a journal of this study.", "move it away, or --out."
        )

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _opened(path: Path) -> BinaryIO:
    """The file to append to: an ordinary one, under this very name."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
    file = os.open(path, flags, 0o666)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, f"{path.name} is no ordinary file")
    return os.fdopen(file, "a+b")


def _beginning(text: bytes) -> bool:
    """Whether a file without a whole line may be a journal whose first line was cut short."""
    first = b'{"conditions": '
    return text.startswith(first) or first.startswith(text)
