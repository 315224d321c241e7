"""`privopt audit`: do the releases of a mechanism keep what is claimed of them?"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from privopt.cli.errors import REVEAL, revealing
from privopt.cli.options import complete_networks
from privopt.cli.output import OVERWRITE, check_renders, output
from privopt.cli.progress import live
from privopt.cli.streams import JSON, chatter, escape, print_json, results
from privopt.cli.view import print_view

__all__ = ["audit"]


class Mechanism(StrEnum):
    """What can be audited on a network."""

    PAPER = "paper"
    OUTPUT = "output"
    NAIVE = "naive"


def audit(
    network: Annotated[
        str | None,
        typer.Argument(
            help="PGLib name or case file: the paper's random instance.",
            autocompletion=complete_networks,
        ),
    ] = None,
    mechanism: Annotated[
        Mechanism,
        typer.Option(
            help="paper: its algorithm with analytic margins. output: noise on the optimum. "
            "naive: the paper's, with noise in floating point."
        ),
    ] = Mechanism.PAPER,
    samples: Annotated[
        int, typer.Option(help="Releases of each of the two data.", min=100)
    ] = 10_000,
    confidence: Annotated[float, typer.Option(help="Of the bound on epsilon.")] = 0.99,
    epsilon: Annotated[float, typer.Option(help="What the noise is made for.")] = 1.0,
    alpha: Annotated[float, typer.Option(help="Change of one demand that is hidden.")] = 0.1,
    seed: Annotated[int, typer.Option(help="Of the instance and the search.", min=0)] = 0,
    tries: Annotated[
        int, typer.Option(help="Solves of the search for two data far apart.", min=10)
    ] = 100,
    instrument: Annotated[
        Path | None, typer.Option(help="A saved instrument or measurement, instead of a network.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="The data d of a saved mechanism: CSV of name,value or JSON. Unless given, it is "
            "audited at its worst neighbours, which are made up."
        ),
    ] = None,
    neighbour: Annotated[Path | None, typer.Option(help="Its neighbour d', likewise.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Page of the picture, such as page.html.")
    ] = None,
    overwrite: OVERWRITE = False,
    fail_if_refuted: Annotated[
        bool, typer.Option("--fail-if-refuted", help="Exit code 1 if the claim is refuted: for CI.")
    ] = False,
    reveal: REVEAL = False,
    as_json: JSON = False,
) -> None:
    """Measure how well releases tell two neighbours apart: a bound from below on epsilon.

    Of a saved instrument or measurement the worst neighbours are picked, from public data; or name
    two files. Nothing published may come of the audit of real data: each release of them costs
    privacy. The exit code is 0 whatever is found, or with --fail-if-refuted 1 if the claim is
    refuted.

    Example: privopt audit --instrument instrument.json --out page.html
    """
    from privopt.assess import audit as measure
    from privopt.experiments.audited import saved_case, searched_case
    from privopt.noise import Laplace

    console, errors = results(), chatter()
    check_renders(out)
    inputs = (instrument, data, neighbour, network)
    with output(out, overwrite=overwrite, inputs=inputs, private=data is not None) as place:
        if instrument is not None:
            with revealing(reveal):
                case = saved_case(instrument, data, neighbour, network)
        else:
            noise = Laplace(epsilon=epsilon, alpha=alpha)
            with errors.status("searching two neighbours whose releases lie far apart"):
                case = searched_case(network, mechanism.value, noise, seed, tries)
        with live("audit", errors, "releases") as progress:
            result = measure(
                case.mechanism,
                case.d,
                case.d_prime,
                samples=samples,
                confidence=confidence,
                claimed=case.claimed,
                progress=progress,
            )
        if out is not None:
            from privopt.report.audit import audit_page

            own = data is not None
            place.write(audit_page(result, case.title, case.computed, private=own))
    if as_json:
        print_json({"of": case.title, "computed": case.computed, **result.to_dict()})
    else:
        known = case.computed
        told = f"epsilon {known or 0:.4g}, by what is released without noise"
        more = () if known is None else (("computed", told),)
        view = replace(result.view(), title=f"Audit of {case.title}", warnings=())
        print_view(console, view, *more, marked=False)
        console.print(f"[{'bold red' if result.refuted else 'bold'}]{escape(result.verdict)}[/]")
        if out is not None:
            console.print(f"Page: [bold]{escape(str(out))}[/]", soft_wrap=True)
    if fail_if_refuted and result.refuted:
        raise typer.Exit(1)
