"""A folder written whole or not at all: a folder beside it takes its name in one step.

    manifest.json    the SHA-256 of each file; what one signs
    SHA256SUMS       the same for `sha256sum -c SHA256SUMS`, the manifest too

Nothing that is there is ever written over: the name is taken by a new folder, which fails where
something is, and the finished folder then takes the place of that empty one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from privopt.errors import InputError
from privopt.files import FULL, sync

__all__ = [
    "MANIFEST",
    "SUMS",
    "check_free",
    "filled_folder",
    "sums",
    "taken",
    "write",
    "write_manifest",
]

MANIFEST, SUMS = "manifest.json", "SHA256SUMS"


@contextlib.contextmanager
def filled_folder(target: Path) -> Generator[Path]:
    """A new folder to fill, which is named `target` at the end; InputError if it cannot be."""
    check_free(target)
    part = target.absolute().with_name(f".privopt-{secrets.token_hex(8)}.part")
    try:
        part.mkdir(mode=0o777)
        try:
            yield part
            for path in (*part.rglob("*"), part):
                if path.is_dir():
                    sync(path)
            _name(part, target)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except FileExistsError:
        raise taken(target) from None
    except OSError as error:
        full = error.errno in FULL
        raise InputError(
            f"{str(target)!r:.120} cannot be written ({error.strerror}).",
            "a folder in which another can be made.",
            "make room, or choose another --out." if full else "choose another --out.",
        ) from None


def check_free(target: Path) -> None:
    """Refuse a name that something has, or that no folder can have."""
    full = os.path.lexists(target)
    there = "\0" not in str(target) and target.absolute().parent.is_dir()
    if full:
        raise taken(target)
    if not there:
        raise InputError(
            f"{str(target)!r:.120} cannot be a new folder.",
            "a name for it, in a folder that exists.",
            "make the folder around it first, or choose another --out.",
        )


def taken(target: Path) -> InputError:
    """The error of a name that something has."""
    return InputError(
        f"{target} is there already.",
        "a name for a new folder: evidence is never written over.",
        "choose another --out.",
    )


def write(folder: Path, path: str, content: str | bytes) -> None:
    """Write a file of the folder, on the disk when this returns."""
    target = folder / path
    target.parent.mkdir(exist_ok=True)
    with target.open("xb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())


def write_manifest(folder: Path, about: Mapping[str, Any]) -> None:
    """Write the manifest of all files that are there, and then the sums."""
    text = json.dumps({**about, "files": sums(folder)}, indent=2) + "\n"
    write(folder, MANIFEST, text)
    write(folder, SUMS, "".join(f"{digest}  {path}\n" for path, digest in sums(folder).items()))


def sums(folder: Path) -> dict[str, str]:
    """SHA-256 of every file, by its path in the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def _name(part: Path, target: Path) -> None:
    target.mkdir()  # fails where anything is
    try:
        part.replace(target)  # an empty folder gives way to another
    except OSError:
        target.rmdir()
        raise
    with contextlib.suppress(OSError):  # where folders cannot be, the disk decides
        sync(target.absolute().parent)
