"""`privopt report`: a page, of an experiment's results or of a file that may be published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privopt.cli.output import OVERWRITE, output
from privopt.cli.streams import JSON, print_json
from privopt.errors import InputError

__all__ = ["report"]


def report(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="Folder of an experiment's results; or a release, policy, measurement, decision "
            "or instrument.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="File of the page, if it is not of an experiment.")
    ] = None,
    overwrite: OVERWRITE = False,
    as_json: JSON = False,
) -> None:
    """Write a page that works offline: of an experiment, or of a file that may be published.

    Example: privopt report release.json --out release.html
    """
    if folder.is_file():
        from privopt.report.sheet import publication

        text = publication(folder)
        page = folder.with_suffix(".html") if out is None else out
        again = overwrite or _holds(page, text)
        with output(page, overwrite=again, inputs=[folder]) as place:
            place.write(text)
    else:
        from privopt.report import write

        if out is not None:
            raise InputError(
                "--out was given for an experiment, whose page is report.html in its folder.",
                "no --out.",
                "leave it out.",
            )
        page = write(folder, overwrite=overwrite)
    if as_json:
        print_json({"page": str(page)})
    else:
        typer.echo(f"Page: {page}")


def _holds(page: Path, text: str) -> bool:
    """Whether the page is there already, as it would be written."""
    try:
        return page.is_file() and page.read_bytes() == text.encode("utf-8", "replace")
    except OSError:
        return False
