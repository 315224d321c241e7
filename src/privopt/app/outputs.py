"""Paths that a job writes to, and how far a job file may lead: no farther than its own folder.

A job file may come from someone else. What a flag names is the user's word and may lie anywhere;
what the file names must lie in the file's folder or below it (symbolic links followed), under no
hidden name. A result besides ends in .json or .html, so that no program takes it for its own start
file. A ledger that is there already may be used wherever it lies; one is made only so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from privopt.errors import InputError
from privopt.ledger.stores.registry import file_of

__all__ = ["Output"]

_ENDINGS = (".json", ".html")


@dataclass(frozen=True, repr=False)
class Output:
    """A path to write to.

    Attributes
    ----------
    path
        As it was given; from the job file's folder on, if that gave it.
    folder
        Of the job file; None where a flag gave the path.
    """

    path: str
    folder: Path | None = field(default=None, compare=False)

    def check(self, title: str, flag: str, *, result: bool = True) -> None:
        """Refuse a path with which a job file leads elsewhere; a result's name has an ending.

        `title` is the entry, `flag` that with which the user can say the same.
        """
        if self.folder is None:
            return
        if not self._within(self.folder):
            raise InputError(
                f"{title} of the job file leads out of its folder: {self.path!r:.120}.",
                "a path in the folder of the job file, or below it, under no hidden name: the file "
                "may come from someone else.",
                f"if you mean it, say so yourself: --{flag} PATH.",
            )
        if result and not self.path.endswith(_ENDINGS):
            raise InputError(
                f"{title} of the job file is {self.path!r:.120}.",
                "a name that ends in .json (a release, a decision) or .html (a page).",
                f"correct it, or say it yourself: --{flag} PATH.",
            )

    def _within(self, folder: Path) -> bool:
        if file_of(self.path) is None:
            return False
        try:
            below = Path(self.path).resolve().relative_to(folder.resolve())
        except (OSError, ValueError, RuntimeError):  # elsewhere, or a loop of links
            return False
        return not any(part.startswith(".") for part in below.parts)
