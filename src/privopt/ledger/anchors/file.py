"""An anchor in a small file: one line, `ROW:DIGEST`. Keep it on another disk than the ledger.

It is replaced as a whole, and is on the disk when that returns (`files.write_whole`). The lock is a
file of the same name and `-lock` at the end, there only while someone writes (`lockfile`; where
there are no such locks, two processes that charge a ledger and its copy at the same instant could
both go on: keep the anchor in a database there).
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from privopt.errors import InputError, LedgerError
from privopt.files import write_whole
from privopt.ledger import lockfile
from privopt.ledger.anchors.protocol import Mark, unreadable

__all__ = ["FileAnchor"]

_MOST = 200  # bytes of the file
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)


class FileAnchor:
    """A file with the head of a ledger: a `protocol.Anchor`."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            self.path = Path(path).absolute().resolve()
            usable = self.path.parent.is_dir() and not self.path.is_dir()
        except (TypeError, ValueError, OSError, RuntimeError):
            usable = False
        if not usable:
            raise InputError(
                f"anchor is {path!r:.80}.",
                "a file in a folder that exists, or ROW:DIGEST.",
                "check the path.",
            )
        self.place = self.source = str(self.path)

    def look(self) -> Mark | None:
        """What the file says; None if there is no file."""
        try:
            file = os.open(self.path, _FLAGS)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise unreadable(self.place, error.strerror or "the system failed") from None
        try:
            content = os.read(file, _MOST)
        except OSError as error:
            raise unreadable(self.place, error.strerror or "the system failed") from None
        finally:
            os.close(file)
        mark = Mark.read(content.decode("ascii", "replace"))
        if mark is None:
            raise unreadable(self.place, "it holds something else")
        return mark

    @contextmanager
    def hold(self, timeout: float) -> Generator[_HeldFile]:
        """Hold the lock beside the file."""
        lock = self.path.with_name(f"{self.path.name}-lock")
        with lockfile.held(lock, timeout, self._late, self._impossible):
            yield _HeldFile(self, self.look())

    def _late(self) -> LedgerError:
        return LedgerError(
            f"others kept the anchor {self.place} locked for too long. Nothing was charged or "
            "released.",
            "the lock of the anchor within the timeout.",
            "try again, or set a longer timeout.",
        )

    def _impossible(self, error: OSError) -> LedgerError:
        return LedgerError(
            f"no lock could be made beside the anchor {self.place} ({error.strerror}). Nothing was "
            "charged or released.",
            "a folder that may be written to, with room.",
            "check rights and space of the anchor's folder.",
        )


@dataclass
class _HeldFile:
    """The file, while its lock is held."""

    anchor: FileAnchor
    mark: Mark | None

    def advance(self, mark: Mark) -> None:
        """Replace the file."""
        if mark == self.mark:
            return
        try:
            write_whole(self.anchor.path, f"{mark}\n".encode(), private=self.mark is None)
        except OSError as error:
            raise LedgerError(
                f"the anchor {self.anchor.place} could not be moved to row {mark.row} "
                f"({error.strerror}). Nothing was released.",
                "a file and a folder that may be written to, with room.",
                "check rights and space of the anchor's folder, and ask again: the anchor then "
                "follows the ledger.",
            ) from None
        self.mark = mark
