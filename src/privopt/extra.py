"""Libraries that only some users need, imported when something asks for them."""

from __future__ import annotations

import importlib
from typing import Any

from privopt.errors import InputError

__all__ = ["library"]


def library(name: str, extra: str | None = None) -> Any:  # noqa: ANN401 -- a module
    """The module of that name; the extra that brings it has the same name unless given."""
    try:
        return importlib.import_module(name)
    except ImportError:
        top = name.partition(".")[0]
        wanted = extra or top
        raise InputError(
            f"{top} is not installed.",
            f"{top}.",
            f"pip install 'privopt[{wanted}]'; in a checkout, pip install '.[{wanted}]'.",
        ) from None
