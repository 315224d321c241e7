"""`privopt init`: a job file to start from. That of a network runs as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from privopt.cli.completing import complete_networks
from privopt.cli.init_program import program_job
from privopt.cli.streams import chatter, check_folder, whole_file
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
            help="Also write a data file to fill in: PGLib's loads, or a line for each entry of d."
        ),
    ] = None,
) -> None:
    """Write a job file with comments, ready for solve, design, release, verify and frontier.

    That of a network runs as it is. That of a program has a "?" where only you can decide: alpha
    and the domain.

    Example: privopt init --network 14_ieee --out job.toml --data loads.csv
    """
    if network is not None and program is not None:
        raise InputError("--network was given with --program.", "one of them.", "leave one out.")
    for path in (out, data):
        check_folder(path)
        if path is not None and path.exists():
            raise InputError(
                f"{path} is there already.", "a path where there is no file.", "choose another."
            )
    named = data if out is None or data is None else _relative(data, out)
    if program is None:
        text, table = _network_job(network or "14_ieee", named)
    else:
        text, table = program_job(
            program, program if out is None else _relative(program, out), named
        )
    if data is not None:
        whole_file(data, table)
    if out is None:
        typer.echo(text, nl=False)
        return
    whole_file(out, text)
    first = "" if program is None else "fill in alpha and the domain in it, then: "
    chatter().print(
        f"Job: [bold]{escape(str(out))}[/]. Next: {first}privopt design {escape(str(out))} "
        "--out policy.json",
        soft_wrap=True,
    )


def _network_job(name: str, data: Path | None) -> tuple[str, str]:
    """The job of a network, and its loads as a file of data."""
    from privopt.networks import load
    from privopt.networks.pglib import find

    found = load(find(name))
    program = found.program()
    pairs = zip(program.data_names, program.d.tolist(), strict=True)
    lines = (f"{entry},{value!r}\n" for entry, value in pairs)
    return _job(found, data), "name,value\n" + "".join(lines)


def _relative(data: Path, out: Path) -> Path:
    """The data file as the job names it: relative to the job's folder, where it can be."""
    folder = out.absolute().parent
    where = data.absolute()
    return where.relative_to(folder) if where.is_relative_to(folder) else where


def _job(network: Network, data: Path | None) -> str:
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
        network=f'network = "{network.name}"'.ljust(30),
        released=f'identity = ["{program.names[widest]}"]'.ljust(30),
        others=others if len(others) <= 60 else f"{others[:60].rpartition(',')[0]}, ...",
        alpha=f"alpha = {1 / network.base_mva:g}".ljust(30),
        quarter=f"{0.25 * network.base_mva:g}",
        data="# [data]  " if data is None else "[data]    ",
        file=('# file = "loads.csv"' if data is None else f"file = {_quoted(data)}").ljust(30),
    )


def _quoted(path: Path) -> str:
    return json.dumps(str(path), ensure_ascii=False)


_TEXT = """\
# A job of privopt: what is published of a solution, how privately, and how the limits are kept.
# It runs as it is. Each command reads it; a flag takes the place of an entry (--epsilon 0.5).
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
{network} # a PGLib test network (`privopt networks` lists them); or instead:
# case = "mygrid.m"            # a MATPOWER file of your own, whose loads are private
# file = "program.json"        # any program: privopt.PublicProgram(program).save("program.json")

{data}                     # the private data: the loads; the network's own unless given
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
around = 0.1                   # 10% about the network's own loads; or lower = ... and upper = ...

# [design]                     # without it the cheapest policy; `design` says what it tells
# within = 0.05                # the largest expected distance of a release from the true answer
# floor = 1.0                  # at least the paper's noise, to compare with the paper

# [ledger]                     # counts what all releases about these data cost together
# path = "loads.ledger"
# limit = 2.0                  # the most that they may cost, in epsilon; for a new ledger
# key = "may"                  # names the release: asked again, it is the same, and free

# [output]
# path = "release.json"        # what a command writes, as --out
"""
