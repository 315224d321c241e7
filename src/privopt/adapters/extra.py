"""Libraries that only an adapter needs, imported when it is called."""

from __future__ import annotations

import importlib
from typing import Any

from privopt.errors import InputError

__all__ = ["library"]


def library(name: str) -> Any:  # noqa: ANN401 -- a module
    """The module of that name; the extra of the same name brings it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(
            f"{name} is not installed.", f"{name}.", f"pip install 'privopt[{name}]'."
        ) from None
