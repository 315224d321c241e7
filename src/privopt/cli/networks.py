"""`privopt networks`: the PGLib networks that can be named."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.columns import Columns

from privopt.cli.options import complete_networks
from privopt.cli.streams import JSON, print_json, results
from privopt.errors import InputError

__all__ = ["networks"]


def networks(
    pattern: Annotated[
        str, typer.Argument(help="Only names that contain this.", autocompletion=complete_networks)
    ] = "",
    as_json: JSON = False,
) -> None:
    """List the PGLib networks, smallest first.

    Example: privopt networks ieee
    """
    from privopt.networks.locate import names

    found = [name for name in names() if pattern in name]
    if not found:
        raise InputError(
            f"no PGLib network has {pattern!r} in its name.",
            "part of a name such as 'ieee' or '__api'.",
            "list all of them with: privopt networks",
        )
    if as_json:
        print_json(found)
    else:
        results().print(Columns(found, padding=(0, 2), column_first=True))
