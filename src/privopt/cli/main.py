"""The `privopt` command."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

import privopt
from privopt.cli.advise import advise
from privopt.cli.audit import audit
from privopt.cli.check import check
from privopt.cli.choose import choose
from privopt.cli.decide import decide
from privopt.cli.errors import CODES, Commands
from privopt.cli.evidence import evidence
from privopt.cli.experiment import app as experiment
from privopt.cli.frontier import frontier
from privopt.cli.init import init
from privopt.cli.ledger import ledger
from privopt.cli.measure import measure
from privopt.cli.networks import networks
from privopt.cli.open import open_workbench
from privopt.cli.release import release
from privopt.cli.report import report
from privopt.cli.roles import grant, revoke
from privopt.cli.sharing import anchor, copy, quota
from privopt.cli.solve import solve
from privopt.cli.streams import JSON
from privopt.cli.usage import CommandLine
from privopt.cli.verify import verify


class _Privopt(CommandLine):
    """The commands as a program of its own: called by no other Python."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 -- typer's own signature
        """Run one command of the command line."""
        if not sys.warnoptions:  # a library's warning may quote or depend on d
            warnings.simplefilter("ignore")
        _occupy_streams()
        return super().__call__(*args, **kwargs)


def _occupy_streams() -> None:
    """Put nothing in the place of closed standard streams, or the next file would be one."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one


app = _Privopt(
    name="privopt",
    help="Publish part of an optimal solution with differential privacy, and say what is "
    "proven.\n\nStart with: privopt init --out job.toml, then: privopt release job.toml --dry-run",
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
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder of the page.")] = Path("demo"),
    runs: Annotated[int, typer.Option(help="Random instances.", min=1)] = 20,
    jobs: Annotated[int, typer.Option(help="Processes; 0 for one a core.", min=0)] = 0,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace other results in the folder.")
    ] = False,
    as_json: JSON = False,
) -> None:
    """Release the supplies of a power network privately, beside what breaks without privopt.

    Example: privopt demo --runs 50
    """
    from privopt.cli.demo import run

    run(out, runs, jobs, overwrite=overwrite, as_json=as_json)


for command in (
    init, check, advise, choose, measure, decide, release, solve, verify, frontier, report,
    evidence, networks, audit,
):  # fmt: skip
    app.command()(command)
app.command("open")(open_workbench)
for command in (quota, anchor, copy, grant, revoke):
    ledger.command()(command)
app.add_typer(ledger, name="ledger")
app.add_typer(experiment, name="experiment")
