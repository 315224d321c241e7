"""`privopt init`: a job file to start from. That of a network runs as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privopt.cli.options import complete_networks
from privopt.cli.output import OVERWRITE, output
from privopt.cli.streams import chatter, escape
from privopt.errors import InputError

__all__ = ["init"]


def init(
    network: Annotated[
        str | None,
        typer.Option(
            help="PGLib network to start from; 14_ieee unless given.",
            autocompletion=complete_networks,
        ),
    ] = None,
    case: Annotated[
        Path | None, typer.Option(help="MATPOWER case file (.m) of your own to start from instead.")
    ] = None,
    program: Annotated[
        Path | None,
        typer.Option(help="Program file to start from instead, as PublicProgram.save writes."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write; standard output unless given.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="File of the private data. One that is there is taken as it is, in the unit that "
            "its first line says; else it is written, to be filled in: the loads of the network or "
            "case, or a line for each entry of d, for its owner alone (0600)."
        ),
    ] = None,
    overwrite: OVERWRITE = False,
) -> None:
    """Write a job file with comments, ready for release, frontier, measure, decide and the others.

    It measures sums of the private data, the best that `privopt choose` finds (of many entries, the
    total), and decides from that. That of a network runs as it is. That of a case file, whose loads
    are private, has a "?" for the domain, and that of a program for alpha too: there only you can
    decide.

    Example: privopt init --network 14_ieee --out job.toml --data loads.csv
    """
    given = {"--network": network, "--case": case, "--program": program}
    named = [flag for flag, value in given.items() if value is not None]
    if len(named) > 1:
        raise InputError(f"{' and '.join(named)} were given.", "one of them.", "leave one out.")
    if out is not None and out == data:
        raise InputError(f"--out and --data are both {out}.", "two files.", "choose another.")
    there = data is not None and data.exists()
    unit = _unit_of(data) if data is not None and there else None
    with (
        output(out, overwrite=overwrite, inputs=[case, program, data]) as job,
        output(
            None if there else data, overwrite=False, inputs=[case, program], private=True
        ) as filled,
    ):
        text, table = _written(network, case, program, out, data, unit)
        filled.write(table)
        job.write(text)
    if there:
        said = f", in {unit} as its first line says" if unit is not None else ""
        chatter().print(f"Data: [bold]{escape(str(data))}[/] is there, and taken as it is{said}.")
    if out is None:
        typer.echo(text, nl=False)
        return
    open_ = "the domain" if program is None else "alpha and the domain"
    first = "" if program is None and case is None else f"fill in {open_} in it, then: "
    then = "advise" if 'measure = "choose"' in text else "release --dry-run"
    chatter().print(
        f"Job: [bold]{escape(str(out))}[/]. Next: {first}privopt {then} {escape(str(out))}",
        soft_wrap=True,
    )


def _unit_of(data: Path) -> str | None:
    """The unit that the first line of a table says, if it is one."""
    from privopt.adapters.table_rows import opened
    from privopt.app.tables import is_table

    if not is_table(str(data), {}):
        return None
    with opened(data, {}) as table:
        return table.columns.unit


def _written(
    network: str | None,
    case: Path | None,
    program: Path | None,
    out: Path | None,
    data: Path | None,
    unit: str | None,
) -> tuple[str, str]:
    """The texts of the job and of its data; files are named relative to the job's folder."""
    from privopt.app.starting import network_job, program_job

    def named(path: Path) -> Path:
        folder, where = (out or path).absolute().parent, path.absolute()
        near = out is not None and where.is_relative_to(folder)
        return path if out is None else where.relative_to(folder) if near else where

    filled = None if data is None else named(data)
    if program is not None:
        return program_job(program, named(program), filled)
    if case is not None:
        return network_job(case, named(case), filled, unit)
    return network_job(network or "14_ieee", None, filled, unit)
