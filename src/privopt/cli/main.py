"""The `privopt` command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import privopt
from privopt.cli.audit import audit
from privopt.cli.design import design
from privopt.cli.errors import CODES, Commands
from privopt.cli.experiment import app as experiment
from privopt.cli.frontier import frontier
from privopt.cli.init import init
from privopt.cli.ledger import ledger
from privopt.cli.networks import networks
from privopt.cli.release import release
from privopt.cli.report import report
from privopt.cli.solve import solve
from privopt.cli.streams import JSON
from privopt.cli.verify import verify

app = typer.Typer(
    name="privopt",
    help="Publish part of an optimal solution with differential privacy, and say what is "
    "proven.\n\nStart with: privopt init --out job.toml, then: privopt design job.toml",
    epilog=CODES,
    rich_markup_mode="markdown",
    no_args_is_help=True,
    cls=Commands,
    pretty_exceptions_show_locals=False,  # locals may hold private data
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"privopt {privopt.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Publish part of a solution privately, and say what is proven."""


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder of the page.")] = Path("demo"),
    runs: Annotated[int, typer.Option(help="Random instances.", min=1)] = 20,
    jobs: Annotated[int, typer.Option(help="Processes; 0 for one a core.", min=0)] = 0,
    as_json: JSON = False,
) -> None:
    """Release the supplies of a power network privately, beside what breaks without privopt.

    Example: privopt demo --runs 50
    """
    from privopt.cli.demo import run

    run(out, runs, jobs, as_json=as_json)


for command in (init, design, solve, release, verify, frontier, report, networks, audit):
    app.command()(command)
app.add_typer(ledger, name="ledger")
app.add_typer(experiment, name="experiment")
