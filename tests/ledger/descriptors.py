"""Which files this process has open."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")


def open_files(folder: Path) -> list[str]:
    """Files of a folder that this process has open."""
    found: list[str] = []
    for each in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # the listing itself
            found.append(os.readlink(f"/proc/self/fd/{each}"))
    return [path for path in found if path.startswith(str(folder))]
