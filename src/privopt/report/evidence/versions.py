"""What was used: versions of privopt, Python, the libraries that draw and solve, the system.

No path, no user and no host is among them.
"""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import privopt

__all__ = ["versions"]

_LIBRARIES = ("numpy", "scipy", "opendp", "clarabel", "highspy")


def versions() -> dict[str, str]:
    """Versions by name; those of what is not installed are left out."""
    found = {"privopt": privopt.__version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # such as a solver that this machine does not have
            continue
    return found | {"system": platform.system(), "machine": platform.machine()}
