"""`privopt init`: a job file to start from. That of a network runs as it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privopt.cli.completing import complete_networks
from privopt.cli.init_program import program_job, quoted
from privopt.cli.output import OVERWRITE, output
from privopt.cli.streams import chatter, escape
from privopt.errors import InputError

if TYPE_CHECKING:
    from privopt.networks import Network

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
        Path | None,
        typer.Option(help="MATPOWER case file (.m) of your own to start from instead."),
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
            help="Also write a data file to fill in: the loads of the network or case, or a line "
            "for each entry of d. For its owner alone (0600)."
        ),
    ] = None,
    overwrite: OVERWRITE = False,
) -> None:
    """Write a job file with comments, ready for solve, design, release, verify and frontier.

    That of a network runs as it is. That of a case file, whose loads are private, has a "?" for the
    domain, and that of a program for alpha too: there only you can decide.

    Example: privopt init --network 14_ieee --out job.toml --data loads.csv
    """
    given = {"--network": network, "--case": case, "--program": program}
    named = [flag for flag, value in given.items() if value is not None]
    if len(named) > 1:
        raise InputError(f"{' and '.join(named)} were given.", "one of them.", "leave one out.")
    if out is not None and out == data:
        raise InputError(f"--out and --data are both {out}.", "two files.", "choose another.")
    with (
        output(out, overwrite=overwrite, inputs=[case, program]) as job,
        output(data, overwrite=overwrite, inputs=[case, program], private=True) as filled,
    ):
        text, table = _written(network, case, program, out, data)
        filled.write(table)
        job.write(text)
    if out is None:
        typer.echo(text, nl=False)
        return
    open_ = "the domain" if program is None else "alpha and the domain"
    first = "" if program is None and case is None else f"fill in {open_} in it, then: "
    chatter().print(
        f"Job: [bold]{escape(str(out))}[/]. Next: {first}privopt design {escape(str(out))} "
        "--out policy.json",
        soft_wrap=True,
    )


def _written(
    network: str | None,
    case: Path | None,
    program: Path | None,
    out: Path | None,
    data: Path | None,
) -> tuple[str, str]:
    """The texts of the job and of its data."""

    def named(path: Path) -> Path:
        return path if out is None else _relative(path, out)

    filled = None if data is None else named(data)
    if program is not None:
        return program_job(program, named(program), filled)
    from privopt.networks import load

    found = load(_network(network or "14_ieee") if case is None else case)
    whole = found.program()
    pairs = zip(whole.data_names, whole.d.tolist(), strict=True)
    lines = (f"{entry},{value!r}\n" for entry, value in pairs)
    own = None if case is None else named(case)
    return _job(found, own, filled), "name,value\n" + "".join(lines)


def _network(name: str) -> Path:
    """The file of a PGLib network; one's own file is named by another flag."""
    from privopt.networks.pglib import find

    if name.endswith(".m") or os.sep in name:
        raise InputError(
            f"--network is {name!r:.80}.",
            "a PGLib name such as '14_ieee'.",
            "name a file of your own with --case: its loads count as private.",
        )
    return find(name)


def _relative(path: Path, out: Path) -> Path:
    """A file as the job names it: relative to the job's folder, where it can be."""
    folder = out.absolute().parent
    where = path.absolute()
    return where.relative_to(folder) if where.is_relative_to(folder) else where


def _job(network: Network, case: Path | None, data: Path | None) -> str:
    """The text of the file: the generator with the widest range is released."""
    program = network.program()
    units = range(len(network.generators))
    free = [j for j in units if program.upper[j] > program.lower[j]]
    if len(free) < 2:
        raise InputError(
            f"{network.name} has fewer than two generators that can vary.",
            "one to release, and another that answers the noise.",
            "start from another network, such as 14_ieee.",
        )
    widest = max(free, key=lambda j: float(program.upper[j] - program.lower[j]))
    others = ", ".join(program.names[j] for j in free if j != widest)
    return _TEXT.format(
        first=_RUNS if case is None else _OPEN,
        program=_NETWORK.format(f'network = "{network.name}"'.ljust(30))
        if case is None
        else _CASE.format(f"case = {quoted(str(case))}".ljust(30)),
        own="the network's own" if case is None else "those of the case file",
        domain=_AROUND if case is None else _ENDS,
        released=f'identity = ["{program.names[widest]}"]'.ljust(30),
        others=others if len(others) <= 60 else f"{others[:60].rpartition(',')[0]}, ...",
        alpha=f"alpha = {1 / network.base_mva:g}".ljust(30),
        quarter=f"{0.25 * network.base_mva:g}",
        data="# [data]  " if data is None else "[data]    ",
        file=('# file = "loads.csv"' if data is None else f"file = {quoted(str(data))}").ljust(30),
    )


_TEXT = """\
# A job of privopt: what is published of a solution, how privately, and how the limits are kept.
# {first} Each command reads it; a flag takes the place of an entry (--epsilon 0.5).
#
#   privopt design job.toml --out policy.json      make a policy, from public data alone
#   privopt verify --policy policy.json            simulate it: how often does a limit break?
#   privopt release job.toml --policy policy.json --ledger loads.ledger --limit 2.0 --key may \\
#       --out release.json                         charge the ledger, then read the data and publish
#   privopt report release.json                    a page of the release, to publish
#   privopt frontier job.toml --over epsilon --from 0.2 --to 5 --out frontier.html
#   privopt solve job.toml                         instead: the paper's plan, its privacy assumed
#
# What follows a # is a comment, or an entry that is not in use. Paths start at this file's folder.

[program]                      # what is solved: the cheapest supply of all loads within the limits
{program}
# file = "program.json"        # any program: privopt.PublicProgram(program).save("program.json")

{data}                     # the private data: the loads; {own} unless given
{file} # lines such as demand[1],0.25 ({quarter} MW at bus 1), or JSON

[query]                        # what is published
{released} # the supply of these generators. Others make up for the noise, here:
#                                {others}
# sum = [["p[1]", "p[2]"]]     # or sums over groups of them
# linear = "S.csv"             # or any linear values S z of the solution z

[privacy]
noise = "laplace"              # or gaussian, or truncated; these need delta = 1e-6 too
epsilon = 1.0                  # privacy loss of one release: smaller is more private, and noisier
{alpha} # a change of one load by up to this stays hidden: 1 MW

[feasibility]                  # how often the limits of generators and lines hold
kind = "exact-box"             # all together; joint too (cheaper, needs beta); analytic: each alone
eta = 0.05                     # at most 5% of the releases may break a limit

[domain]                       # where the loads can lie: public; what lies outside is clamped to it
{domain}

# [design]                     # without it the cheapest policy; `design` says what it tells
# within = 0.05                # the largest expected distance of a release from the true answer
# floor = 1.0                  # at least the paper's noise, to compare with the paper

# [ledger]                     # counts what all releases about these data cost together
# path = "loads.ledger"
# limit = 2.0                  # the most that they may cost, in epsilon; for a new ledger
# key = "may"                  # names the release: asked again, it is the same, and free

# [output]                     # what commands write, as --out; in this folder or below it
# policy = "policy.json"       # `design`
# release = "release.json"     # `release`
# page = "frontier.html"       # `frontier`
"""
_RUNS = "It runs as it is."
_OPEN = 'Fill in what is "?".'
_NETWORK = """\
{} # a PGLib test network (`privopt networks` lists them); or instead:
# case = "mygrid.m"            # a MATPOWER file of your own, whose loads are private"""
_CASE = """\
{} # a MATPOWER file of your own, whose loads are private; or instead:
# network = "14_ieee"          # a PGLib test network (`privopt networks` lists them)"""
_AROUND = (
    "around = 0.1                   "
    "# 10% about the network's own loads; or lower = ... and upper = ..."
)
_ENDS = """\
#                                Do not take it from the private loads.
lower = "?"                    # FILL IN: least values, one number for all of them,
upper = "?"                    # FILL IN: and largest; or a list, a table by name, a file"""
