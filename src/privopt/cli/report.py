"""`privopt report`: a page, of an experiment's results or of a file that may be published."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import privopt as po
from privopt.cli.output import OVERWRITE, check_renders, output
from privopt.cli.streams import JSON, as_given, escape, named, print_json, results
from privopt.errors import InputError
from privopt.recognise import kind_of

__all__ = ["report"]


def report(
    path: Annotated[
        str,
        typer.Argument(
            metavar="FILE|FOLDER",
            help="Folder of an experiment's results; or a release, measurement, decision, "
            "instrument or ledger.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="File of the page, if it is not of an experiment.")
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(
            metavar="LEDGER",
            help="Ledger to compare a release, measurement or decision with; only read.",
        ),
    ] = None,
    network: Annotated[
        str | None,
        typer.Option(help="Network of a release or measurement (name or case file), for its map."),
    ] = None,
    overwrite: OVERWRITE = False,
    as_json: JSON = False,
) -> None:
    """Write a page that works offline: of an experiment, or of a file that may be published.

    A release, measurement or decision is compared with the ledger that is named, and the page says
    what was found; without a ledger it says UNCHECKED. The values of a decided release are compared
    with the decision beside it (release.decision.json). Exit code 1 if the ledger does not hold it.
    The page of a ledger shows its budget and what was spent when.

    Example: privopt report release.json --ledger d.ledger --out release.html
    """
    check_renders(path)
    stamp, findings, holds, folder = None, None, None, Path(path)
    if folder.is_file():
        if kind_of(folder) == "ledger":
            text = _ledger(folder, ledger, network)
        else:
            from privopt.app.check import verdict
            from privopt.report.sheet import compared, page_of, published, stamp_of

            found = published(folder)
            with as_given(ledger):
                findings = compared(found, ledger, folder)
            holds = None if findings is None else verdict(findings)
            on = None if network is None else po.networks.load(network)
            text, stamp = page_of(found, findings, on, folder), stamp_of(found, findings)
        page = folder.with_suffix(".html") if out is None else out
        pages = (page,)
        again = overwrite or _holds(page, text)
        with output(page, overwrite=again, inputs=[folder, ledger]) as place:
            place.write(text)
    else:
        from privopt.recognise import use_of
        from privopt.report import write

        known = use_of(path)
        if known is not None and known[0] != "an experiment's folder":
            raise InputError(
                f"{named(path)} is {known[0]}.",
                "an experiment's folder, or a file that may be published.",
                f"{known[1].replace(path, named(path))}.",
            )
        for name, value in {"out": out, "ledger": ledger, "network": network}.items():
            if value is not None:
                raise InputError(
                    f"--{name} was given for an experiment, whose pages are written into its "
                    "folder.",
                    "neither --out nor --ledger nor --network.",
                    "leave it out.",
                )
        pages = write(folder, overwrite=overwrite)
    if as_json:
        looked = {} if findings is None else {"findings": [asdict(one) for one in findings]}
        more = {} if stamp is None else {"stamp": stamp.mark, "confirmed": holds}
        first, *others = pages
        more |= {"pages": list(map(str, pages))} if others else {}
        print_json({"page": str(first), **more, **looked})
    else:
        console = results()
        if stamp is not None:
            colour = {"good": "green", "warn": "yellow", "bad": "red"}[stamp.kind]
            console.print(f"[bold {colour}]{stamp.mark}[/]  {escape(stamp.meaning)}")
        for page in pages:
            typer.echo(f"Page: {page}")
    if holds is False:
        raise typer.Exit(1)


def _ledger(path: Path, ledger: Path | None, network: str | None) -> str:
    """The page of a ledger, which is only read."""
    from privopt.report.ledger import ledger_page

    if ledger is not None or network is not None:
        raise InputError(
            f"--{'ledger' if ledger is not None else 'network'} was given for a ledger.",
            "a release, measurement or decision.",
            "leave it out.",
        )
    with as_given(path), po.Ledger(path, read_only=True) as seen:
        return ledger_page(seen)


def _holds(page: Path, text: str) -> bool:
    """Whether the page is there already, as it would be written."""
    try:
        return page.is_file() and page.read_bytes() == text.encode("utf-8", "replace")
    except OSError:
        return False
