"""The `privopt` command."""

from __future__ import annotations

from typing import Annotated

import typer

import privopt

app = typer.Typer(
    name="privopt",
    help="Differentially private convex optimisation with feasibility guarantees.",
    no_args_is_help=True,
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
    seed: Annotated[int, typer.Option(help="Seed of the made-up data and the simulations.")] = 0,
    samples: Annotated[int, typer.Option(help="Draws for each verification.", min=100)] = 20_000,
) -> None:
    """Release the shipments of a supply network privately, beside what breaks without privopt.

    Example: privopt demo --seed 3
    """
    from privopt.cli.demo import run

    run(seed, samples)
