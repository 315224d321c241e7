"""The one way in which a command writes a file: the place first, the work then, the file last.

    with output(path, overwrite=overwrite, inputs=...) as place:
        ...                       the work, which finds the place waiting
        place.write(text)

Refused before the work: a file that is there, without `--overwrite`; an input of the command, a
ledger or what belongs to one, with `--overwrite` too; a folder or disk that takes no file; a page
without the extra that makes pages.
"""

from __future__ import annotations

import errno
from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from privopt.errors import InputError
from privopt.extra import library
from privopt.files import FULL, Place, beside_database, is_database, reserved, same_file

__all__ = [
    "OVERWRITE",
    "OutputPlace",
    "check_renders",
    "check_target",
    "output",
    "outputs",
    "write_remedy",
]

OVERWRITE = Annotated[
    bool, typer.Option("--overwrite", help="Write over a file that is there already.")
]
_RIGHTS = (errno.EACCES, errno.EPERM, errno.EROFS)


@dataclass(frozen=True, repr=False, eq=False)
class OutputPlace:
    """The place of a command's output; nothing is done where the command writes none."""

    place: Place | None

    def make_room(self, size: int) -> None:
        """Refuse to go on if the disk has not so many bytes."""
        if self.place is not None:
            try:
                self.place.make_room(size)
            except OSError as error:
                raise _unwritable(self.place.path, error) from None

    def write(self, content: str | bytes) -> None:
        """Write the file."""
        if self.place is not None:
            try:
                self.put(content)
            except FileExistsError:
                raise _taken(self.place.path, "It came while this command worked.") from None
            except OSError as error:
                raise _unwritable(self.place.path, error) from None

    def put(self, content: str | bytes) -> None:
        """Write the file; what the system says if that cannot be is for the caller."""
        if self.place is not None:
            text = isinstance(content, str)
            self.place.write(content.encode("utf-8", "replace") if text else content)


@contextmanager
def output(
    path: str | Path | None,
    *,
    overwrite: bool,
    inputs: Iterable[str | Path | None] = (),
    private: bool = False,
    may_exist: bool = False,
    more: str = "",
) -> Generator[OutputPlace]:
    """Hold the place of an output while the work is done; None where the command writes none.

    Parameters
    ----------
    private
        Whether it is for the curator alone: then no one else may read the file.
    may_exist
        Whether the file may be there although it is not to be replaced: writing will refuse.
    more
        What else is said of a file that is there.
    """
    if path is None:
        yield OutputPlace(None)
        return
    target = Path(path)
    check_target(target, inputs)
    with ExitStack() as stack:
        try:
            place = stack.enter_context(
                reserved(target, overwrite=overwrite, may_exist=may_exist, private=private)
            )
        except FileExistsError:
            raise _taken(target, more) from None
        except OSError as error:
            raise _unwritable(target, error) from None
        yield OutputPlace(place)


@contextmanager
def outputs(
    paths: Mapping[str, str | None],
    *,
    overwrite: bool,
    inputs: Iterable[str | Path | None] = (),
    may_exist: bool = False,
    more: str = "",
) -> Generator[dict[str, OutputPlace]]:
    """Hold the places of several outputs of one command, by what they are: each another file."""
    known, read = dict[str, str](), tuple(inputs)
    with ExitStack() as stack:
        places = dict[str, OutputPlace]()
        for what, path in paths.items():
            same = [other for other, at in known.items() if path and same_file(at, path)]
            if same:
                raise InputError(
                    f"the {same[0]} and the {what} would both be written to {path}.",
                    "a file for each.",
                    "choose another path in [output], or another --out.",
                )
            known |= {} if path is None else {what: path}
            place = output(path, overwrite=overwrite, inputs=read, may_exist=may_exist, more=more)
            places[what] = stack.enter_context(place)
        yield places


def check_renders(path: object) -> None:
    """Look for the extra that makes pages, if one is to be written: before the work, too."""
    if path is not None:
        library("jinja2", "report")


def check_target(path: Path, inputs: Iterable[str | Path | None] = ()) -> None:
    """Refuse what no command writes over, whatever is said: inputs, ledgers, no ordinary files."""
    if any(same_file(path, other) for other in inputs if other is not None):
        raise InputError(
            f"{path} is an input of this command.",
            "another file to write to.",
            "choose another --out, or another path in [output].",
        )
    try:
        folder = path.absolute().parent.is_dir() and not path.is_dir()
        ordinary = not path.is_symlink() and (path.is_file() or not path.exists())
        database = ordinary and folder and _belongs_to_a_database(path)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    if database:
        raise InputError(
            f"{path} is a ledger, or another database, or belongs to one.",
            "a file that is none: what is counted there is never written over.",
            "choose another --out.",
        )
    if not folder:
        raise InputError(
            f"{str(path)!r:.120} cannot be written.",
            "a file in a folder that exists.",
            "make the folder first, or choose another path.",
        )
    if not ordinary:
        raise InputError(
            f"{path} is no ordinary file.",
            "a path where there is nothing, or an ordinary file; no symbolic link.",
            "choose another --out.",
        )


def _taken(path: Path, more: str) -> InputError:
    return InputError(
        f"{path} is there already. {more}".rstrip(),
        "a path where there is no file.",
        "choose another --out, or write over it with --overwrite.",
    )


def write_remedy(error: OSError) -> str:
    """What to do about a file that could not be written."""
    if error.errno in FULL:
        return "make room, or choose another --out."
    if error.errno in _RIGHTS:
        return "check the rights of the folder and of the file, or choose another --out."
    return "choose another --out."


def _unwritable(path: Path, error: OSError | ValueError) -> InputError:
    why = getattr(error, "strerror", None) or "no path can have this name"
    remedy = write_remedy(error) if isinstance(error, OSError) else "choose another --out."
    return InputError(
        f"{str(path)!r:.120} cannot be written ({why}).",
        "a folder that may be written to, and a name that it can hold.",
        remedy,
    )


def _belongs_to_a_database(path: Path) -> bool:
    """Whether it is a database, or has the name of what SQLite keeps beside one."""
    named = beside_database(path.name)  # of one that may be made by this very command, too
    return named or (path.is_file() and is_database(path))
