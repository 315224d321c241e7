"""The `privopt` command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import privopt
from privopt.cli.audit import audit
from privopt.cli.errors import Commands
from privopt.cli.experiment import app as experiment
from privopt.cli.ledger import ledger
from privopt.cli.networks import networks

app = typer.Typer(
    name="privopt",
    help="Differentially private convex optimisation with feasibility guarantees.",
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
) -> None:
    """Release the supplies of a power network privately, beside what breaks without privopt.

    Example: privopt demo --runs 50
    """
    from privopt.cli.demo import run

    run(out, runs, jobs)


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(help="Folder of an experiment's results.")],
) -> None:
    """Write the page of an experiment's results anew.

    Example: privopt report results
    """
    from privopt.report import write

    typer.echo(f"Page: {write(folder)}")


app.command()(networks)
app.command()(audit)
app.add_typer(experiment, name="experiment")
app.add_typer(ledger, name="ledger")
