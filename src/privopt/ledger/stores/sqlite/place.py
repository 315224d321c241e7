"""Where the file of a ledger may lie, and under which name: before anything is opened.

On a local drive: the ledger rests on file locks and on writes that are on the disk when the system
says so. Network drives promise neither. On Linux the kind of drive is read from /proc/self/mounts;
elsewhere it is not checked, and the ledger's report says so.
"""

from __future__ import annotations

import os
from pathlib import Path

from privopt.errors import InputError, LedgerError
from privopt.files import beside_database

__all__ = ["check_drive", "check_name", "is_blank", "resolved"]

MOUNTS = Path("/proc/self/mounts")
# fmt: off
NETWORK = frozenset((
    "9p", "afs", "autofs", "beegfs", "ceph", "cifs", "coda", "davfs", "davfs2", "drvfs", "gfs",
    "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs3", "nfs4", "ocfs2", "pvfs2",
    "smb2", "smb3", "smbfs", "vboxsf", "vmhgfs",
))
# File systems in user space that reach over a network.
FUSE = (
    "afp", "blobfuse", "ceph", "curlftpfs", "davfs", "gcsfuse", "gluster", "goofys", "google",
    "gvfs", "juicefs", "mountpoint", "nfs", "onedrive", "rclone", "s3", "smb", "sshfs", "vmhgfs",
)
# fmt: on


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


def check_drive(path: Path) -> str:
    """Words on the drive that holds the path; refuse a network drive."""
    kind = _kind(path)
    if kind is None:
        return "not checked: whether this is a network drive is only checked on Linux"
    over_network = kind in NETWORK or (
        kind.startswith("fuse.") and kind.removeprefix("fuse.").startswith(FUSE)
    )
    if over_network:
        raise LedgerError(
            f"{path} lies on a network drive ({kind}).",
            "a local drive: locks and writes of a network drive cannot be relied on.",
            "keep the ledger on a local disk of the machine that makes the releases.",
        )
    return f"local drive ({kind})"


def _kind(path: Path) -> str | None:
    """File system of the mount that holds the path: the last one of the longest mount point."""
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    target, found, longest = os.path.realpath(path.parent), None, -1
    for line in lines:
        parts = line.split(" ")
        if len(parts) < 3:
            continue
        point = _unescape(parts[1])
        inside = target == point or target.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= longest:
            found, longest = parts[2], len(point)
    return found


def _unescape(text: str) -> str:
    """Mount points are written with octal escapes for space, tab, newline and backslash."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text
