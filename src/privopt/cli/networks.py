"""`privopt networks`: the PGLib networks that can be named."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.columns import Columns
from rich.console import Console

from privopt.errors import InputError
from privopt.networks import names

__all__ = ["networks"]


def networks(
    pattern: Annotated[str, typer.Argument(help="Only names that contain this.")] = "",
) -> None:
    """List the PGLib networks, smallest first.

    Example: privopt networks ieee
    """
    found = [name for name in names() if pattern in name]
    if not found:
        raise InputError(
            f"no PGLib network has {pattern!r} in its name.",
            "part of a name such as 'ieee' or '__api'.",
            "list all of them with: privopt networks",
        )
    Console(highlight=False).print(Columns(found, padding=(0, 2), column_first=True))
