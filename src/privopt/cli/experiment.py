"""`privopt experiment`: the paper's tables and figure run again, and whether its privacy holds."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from privopt.cli.errors import Commands
from privopt.cli.interrupt import CODE
from privopt.cli.options import complete_listed_networks, own_parameters, parameter, signed
from privopt.cli.progress import live
from privopt.cli.streams import JSON, chatter, escape, print_json, results
from privopt.cli.usage import CommandLine
from privopt.errors import InputError

if TYPE_CHECKING:
    from privopt.experiments import Results
    from privopt.experiments.study import Study

__all__ = ["app", "go"]

app = CommandLine(
    help="The paper's tables and figure, run again beside the printed numbers; and whether its "
    "privacy holds.",
    no_args_is_help=True,
    cls=Commands,
)

_NETWORKS = (
    "PGLib names or case files, separated by commas. Only lines and ratings are taken from them; "
    "costs, demands and supply limits are the paper's random ones."
)
Algorithms = Annotated[
    str | None, typer.Option(metavar="NAME,...", help="Algorithms, separated by commas.")
]
Samples = Annotated[int, typer.Option(help="Draws for each verification.", min=1)]


@dataclass(frozen=True)
class StudyOptions:
    """What every study is asked. The fields are the options that its commands share."""

    networks: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help=_NETWORKS, autocompletion=complete_listed_networks),
    ] = None
    runs: Annotated[int, typer.Option(help="Random instances.", min=1)] = 100
    samples: Samples = 1000
    jobs: Annotated[int, typer.Option(help="Processes; 0 for one a core.", min=0)] = 0
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Address of a Dask scheduler, to use its workers instead."
        ),
    ] = None
    seed: Annotated[
        int, typer.Option(help="Seed: the same numbers whatever the processes.", min=0)
    ] = 0
    out: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Folder of the results; a run begun there goes on."),
    ] = Path("results")
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace other results in the folder.")
    ] = False
    as_json: JSON = False

    def run(self, kind: Callable[..., Study], algorithms: str | None = None, **own: object) -> None:
        """Run a study of a kind with its own options; what is not given stays as the study's."""
        named = {"networks": _listed(self.networks), "algorithms": _listed(algorithms)}
        given = own | {name: words for name, words in named.items() if words}
        study = kind(runs=self.runs, samples=self.samples, seed=self.seed, **given)
        go(study, self.out, self.jobs, self.cluster, overwrite=self.overwrite, as_json=self.as_json)


def _study(*instead: Parameter) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command of a function of `StudyOptions`: these, some otherwise, and its own."""
    hints, other = get_type_hints(StudyOptions, include_extras=True), {p.name: p for p in instead}
    options = [
        other.get(one.name) or parameter(one.name, hints[one.name], one.default)
        for one in dataclasses.fields(StudyOptions)
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**given: Any) -> None:  # noqa: ANN401 -- whatever the command takes
            common = {one.name: given.pop(one.name) for one in options}
            command(StudyOptions(**common), **given)

        *before, json = options
        return app.command()(signed(run, [*before, *own_parameters(command), json]))

    return decorate


@_study()
def table1(asked: StudyOptions, *, algorithms: Algorithms = None) -> None:
    """Identity queries on six networks: violation and loss of each algorithm.

    Example: privopt experiment table1 --networks 3_lmbd,14_ieee --runs 20 --out results
    """
    from privopt.experiments import Table1

    asked.run(Table1, algorithms)


@_study()
def table2(
    asked: StudyOptions,
    *,
    algorithms: Algorithms = None,
    authors_clusters: Annotated[
        bool,
        typer.Option(
            "--authors-clusters",
            help="The authors' stronger rule: nodes answer the noise of their own sum only.",
        ),
    ] = False,
) -> None:
    """Sums over 1, 3, 6 and 9 clusters of nodes of 118_ieee.

    Example: privopt experiment table2 --runs 20 --out results
    """
    from privopt.experiments import Table2

    asked.run(Table2, algorithms, separate=authors_clusters)


@_study()
def figure2(
    asked: StudyOptions,
    *,
    sums: Annotated[int, typer.Option(help="Sums that are released.", min=1)] = 9,
    cbars: Annotated[
        str | None,
        typer.Option(metavar="NUMBER,...", help="Largest costs cbar, separated by commas."),
    ] = None,
    printed_deviation: Annotated[
        bool,
        typer.Option(
            "--printed-deviation",
            help="The paper's (9) as printed, which is not the deviation of the solution.",
        ),
    ] = False,
) -> None:
    """Expected loss against the variance of cost and of solution, as phi grows.

    Example: privopt experiment figure2 --runs 5 --out results
    """
    from privopt.experiments import Figure2

    given = {} if cbars is None else {"cbars": _numbers(cbars)}
    asked.run(Figure2, None, sums=sums, published=printed_deviation, **given)


@_study(parameter("samples", Samples, 10_000))
def privacy(
    asked: StudyOptions,
    *,
    algorithms: Algorithms = None,
    tries: Annotated[
        int, typer.Option(help="Solves of each search for the true epsilon of PIQ-a.", min=10)
    ] = 100,
) -> None:
    """Assumed against proven privacy on Table 1's instances: true epsilon, loss, distance.

    Example: privopt experiment privacy --networks 3_lmbd,14_ieee --runs 5 --out results
    """
    from privopt.experiments import PrivacyTable

    asked.run(PrivacyTable, algorithms, tries=tries)


def go(
    study: Study,
    out: Path,
    jobs: int,
    cluster: str | None,
    *,
    overwrite: bool = False,
    as_json: bool = False,
) -> Results:
    """Run a study with a bar, write its page, print its table."""
    from privopt.cli.tables import print_figure, print_privacy, print_table
    from privopt.experiments import Figure2, PrivacyTable, Table1, run
    from privopt.experiments.drawing import check_drawing, write_drawing
    from privopt.report.page import check_page, page_for, write

    console = results()
    if not overwrite:  # before the work, which may take hours
        check_page(out)
        check_drawing(out)
    try:
        with live(study.name, chatter()) as progress:
            found = run(
                study,
                out,
                jobs=jobs or os.cpu_count() or 1,
                cluster=cluster,
                progress=progress,
                overwrite=overwrite,
            )
    except KeyboardInterrupt:
        chatter().print("stopped; the same command goes on from here.")
        raise typer.Exit(CODE) from None
    if isinstance(study, Table1):
        write_drawing(out, study.networks[-1], study.seed)
    write(out, overwrite=overwrite)
    page = out / page_for(study.name)
    if as_json:
        print_json({"name": study.name, "page": str(page), "summary": found.summary})
        return found
    if isinstance(study, Figure2):
        print_figure(console, found)
    elif isinstance(study, PrivacyTable):
        print_privacy(console, found)
    else:
        print_table(console, study.name, out)
    console.print(f"Page: [bold]{escape(str(page))}[/]")
    return found


def _numbers(text: str | None) -> tuple[float, ...]:
    """Numbers above 1 written with commas."""
    try:
        found = tuple(float(part) for part in _listed(text))
    except ValueError:
        found = (0.0,)
    if any(not 1 < number < float("inf") for number in found):
        raise InputError(
            f"{text!r} are no largest costs.", "numbers above 1.", "write for example 10,50."
        )
    return found


def _listed(text: str | None) -> tuple[str, ...]:
    """A list written with commas; nothing if none was given."""
    if text is None:
        return ()
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    if not parts or len(set(parts)) < len(parts):
        raise InputError(
            f"{text!r} is empty, or names something twice.",
            "names separated by commas.",
            "write for example 3_lmbd,14_ieee.",
        )
    return parts
