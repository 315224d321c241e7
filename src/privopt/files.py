"""Files written whole or not at all, at a place that was there before their content.

    with reserved(path) as place:      a part beside the file: new, this process's own, with room
        place.write(content)           the part takes the name, in one step

Without `overwrite` the name is taken by a link, which fails where something is: of two writers one
gets it, and the other is told. With `overwrite` the part takes the place of the file and keeps its
rights. File and folder are on the disk when `write` returns; whatever stops it, the old file is
there, or the new one. A symbolic link, a pipe, a device and a database (a ledger is one) are never
written over; with `overwrite` that is looked at once more when the part is on the disk, right
before it takes the name. What comes to the path between that look and the rename, which follow each
other, is replaced all the same: no system call does both on every system. Private files are the
owner's alone (0600); of one that is there, others never read the new content.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "FULL",
    "Place",
    "beside_database",
    "is_database",
    "reserved",
    "same_file",
    "sync",
    "write_whole",
]

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # how a system says that a disk is
_DATABASE = b"SQLite format 3\0"
_DATABASES: dict[tuple[int, int], int] = {}  # device and number of a file, its descriptor
_NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EMLINK)
_OURS = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_LOOK = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, repr=False, eq=False)
class Place:
    """A place for one file, held by a part beside it. Made by `reserved`.

    Attributes
    ----------
    path
        The file to be.
    part, file
        The part, and its open descriptor.
    """

    path: Path
    part: Path
    file: int
    overwrite: bool
    private: bool

    def make_room(self, size: int) -> None:
        """Take so many bytes of the disk; OSError if it does not have them."""
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self.file, 0, size)
        else:  # macOS
            _write(self.file, bytes(size))

    def write(self, content: bytes) -> None:
        """Give the file this content; FileExistsError if another took the name meanwhile."""
        there = _looked_at(self.path)
        if there is not None and not self.overwrite:
            raise _taken(self.path)
        _write(self.file, content)
        os.ftruncate(self.file, len(content))
        if there is not None:
            _keep_rights(self.file, there, private=self.private)
        os.fsync(self.file)
        if self.overwrite:
            _looked_at(self.path)  # a ledger may have come while the disk was waited for
            self.part.replace(self.path)
        else:
            _link(self.part, self.path)
        with contextlib.suppress(OSError):  # where folders cannot be, the disk decides
            sync(self.path.parent)


@contextlib.contextmanager
def reserved(
    path: Path, *, overwrite: bool = False, may_exist: bool = False, private: bool = False
) -> Generator[Place]:
    """Hold a place for a file; OSError if none can be there. Nothing is left of one not written.

    Parameters
    ----------
    overwrite
        Whether an ordinary file that is there may be replaced.
    may_exist
        Whether one may be there although it is not to be replaced: `write` will refuse.
    private
        Whether the file is for its owner alone.
    """
    try:
        there = _looked_at(path)
        if there is not None and not (overwrite or may_exist):
            raise _taken(path)
        part = path.with_name(f".privopt-{secrets.token_hex(8)}.part")
        file = os.open(part, _OURS, 0o600 if private else 0o666)
    except ValueError:  # characters that no path has: nothing was made
        raise OSError(errno.EINVAL, "no path can have this name", str(path)) from None
    try:
        yield Place(path, part, file, overwrite, private)
    finally:
        os.close(file)
        part.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file, or replace one; OSError if that cannot be, and then nothing is left of it."""
    with reserved(path, overwrite=True, private=private) as place:
        place.write(content)


def same_file(one: str | Path, other: str | Path) -> bool:
    """Whether two paths are one file, under whatever names; or one name where there is none."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return os.path.abspath(one) == os.path.abspath(other)


def beside_database(name: str) -> bool:
    """Whether a file's name is that of what SQLite keeps beside a database."""
    return name.endswith(("-journal", "-wal", "-shm"))


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, as a ledger is; OSError if it cannot be looked at.

    One that is stays open here: to close it would drop the locks that a ledger of this process
    holds on it. A forked child holds no such locks, and closes it.
    """
    there = os.lstat(path)
    if (there.st_dev, there.st_ino) in _DATABASES:
        return True
    file = os.open(path, _LOOK)
    if os.read(file, len(_DATABASE)) != _DATABASE:
        os.close(file)
        return False
    there = os.fstat(file)
    _DATABASES[there.st_dev, there.st_ino] = file  # while it is open, no other file is this one
    return True


def _forget_databases() -> None:
    """Close, in a forked child, what its parent keeps open."""
    while _DATABASES:
        os.close(_DATABASES.popitem()[1])


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_databases)


def _looked_at(path: Path) -> os.stat_result | None:
    """What is at a path; None if nothing is, OSError if it is nothing that may be replaced."""
    if path.name in ("", ".."):
        raise OSError(errno.EINVAL, "no file can have this name", str(path))
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):  # a folder, a pipe, a device, a symbolic link
        raise OSError(errno.EINVAL, "no ordinary file can be there", str(path))
    if is_database(path):
        raise OSError(errno.EINVAL, "a database, as a ledger is, is never written over", str(path))
    return found


def _taken(path: Path) -> FileExistsError:
    return FileExistsError(errno.EEXIST, "a file is there already", str(path))


def _write(file: int, content: bytes) -> None:
    os.lseek(file, 0, os.SEEK_SET)
    left = memoryview(content)
    while left:
        left = left[os.write(file, left) :]


def _keep_rights(file: int, there: os.stat_result, *, private: bool) -> None:
    """The owner, group and rights of the file that is replaced."""
    mine = os.fstat(file)
    with contextlib.suppress(OSError):  # only root gives files away
        if (mine.st_uid, mine.st_gid) != (there.st_uid, there.st_gid):
            os.fchown(file, there.st_uid, there.st_gid)
    os.fchmod(file, there.st_mode & (0o770 if private else 0o777))


def _link(part: Path, path: Path) -> None:
    """Give a part its name where nothing has it; the part itself goes later."""
    try:
        os.link(part, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.close(os.open(path, _OURS, 0o600))  # a disk without links: the name is taken first
        part.replace(path)


def sync(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
