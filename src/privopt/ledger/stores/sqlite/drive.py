"""Where a ledger may lie: on a local drive.

The ledger rests on file locks and on writes that are on the disk when the system says so. Network
drives promise neither. On Linux the kind of drive is read from /proc/self/mounts; elsewhere it is
not checked, and the ledger's report says so.
"""

from __future__ import annotations

import os
from pathlib import Path

from privopt.errors import LedgerError

__all__ = ["check_drive"]

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
