"""Files written whole or not at all.

The content goes to a part beside the file and takes its place when it is complete: whatever stops
the writing, the old file is there, or the new one.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, content: bytes) -> None:
    """Write a file; OSError if that cannot be, and then nothing is left of it."""
    if not path.name or (path.exists() and not path.is_file()):  # a folder, a pipe, a device
        raise OSError(errno.EINVAL, "no ordinary file can be there", str(path))
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except ValueError:  # characters that no path has: nothing was made
        raise OSError(errno.EINVAL, "no path can have this name", str(path)) from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise
