"""`privopt experiment`: the paper's tables and figure run again, and what a proof costs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from privopt.cli.completing import complete_listed_networks
from privopt.cli.errors import Commands
from privopt.cli.progress import live
from privopt.cli.streams import JSON, chatter, print_json
from privopt.errors import InputError

if TYPE_CHECKING:
    from privopt.experiments import Results
    from privopt.experiments.study import Study
    from privopt.report.compare import Comparison

__all__ = ["app", "go", "print_table"]

app = typer.Typer(
    help="The paper's tables and figure, run again beside the printed numbers; and what a proof "
    "of privacy costs.",
    no_args_is_help=True,
    cls=Commands,
)

Networks = Annotated[
    str | None,
    typer.Option(
        help="PGLib names or case files, separated by commas. Only lines and ratings are taken "
        "from them; costs, demands and supply limits are the paper's random ones.",
        autocompletion=complete_listed_networks,
    ),
]
Algorithms = Annotated[str | None, typer.Option(help="Algorithms, separated by commas.")]
Runs = Annotated[int, typer.Option(help="Random instances.", min=1)]
Samples = Annotated[int, typer.Option(help="Draws for each verification.", min=1)]
Jobs = Annotated[int, typer.Option(help="Processes; 0 for one a core.", min=0)]
Cluster = Annotated[
    str | None, typer.Option(help="Address of a Dask scheduler, to use its workers instead.")
]
Seed = Annotated[int, typer.Option(help="Seed: the same numbers whatever the processes.", min=0)]
Out = Annotated[Path, typer.Option(help="Folder of the results; a run begun there goes on.")]


@app.command()
def table1(
    networks: Networks = None,
    runs: Runs = 100,
    samples: Samples = 1000,
    jobs: Jobs = 0,
    cluster: Cluster = None,
    seed: Seed = 0,
    out: Out = Path("results"),
    algorithms: Algorithms = None,
    as_json: JSON = False,
) -> None:
    """Identity queries on six networks: violation and loss of each algorithm.

    Example: privopt experiment table1 --networks 3_lmbd,14_ieee --runs 20 --out results
    """
    from privopt.experiments import Table1

    study = Table1()
    study = Table1(
        runs=runs,
        samples=samples,
        seed=seed,
        networks=_listed(networks) or study.networks,
        algorithms=_listed(algorithms) or study.algorithms,
    )
    go(study, out, jobs, cluster, as_json=as_json)


@app.command()
def table2(
    networks: Networks = None,
    runs: Runs = 100,
    samples: Samples = 1000,
    jobs: Jobs = 0,
    cluster: Cluster = None,
    seed: Seed = 0,
    out: Out = Path("results"),
    algorithms: Algorithms = None,
    authors_clusters: Annotated[
        bool,
        typer.Option(
            "--authors-clusters",
            help="The authors' stronger rule: nodes answer the noise of their own sum only.",
        ),
    ] = False,
    as_json: JSON = False,
) -> None:
    """Sums over 1, 3, 6 and 9 clusters of nodes of 118_ieee.

    Example: privopt experiment table2 --runs 20 --out results
    """
    from privopt.experiments import Table2

    study = Table2()
    study = Table2(
        runs=runs,
        samples=samples,
        seed=seed,
        separate=authors_clusters,
        networks=_listed(networks) or study.networks,
        algorithms=_listed(algorithms) or study.algorithms,
    )
    go(study, out, jobs, cluster, as_json=as_json)


@app.command()
def figure2(
    networks: Networks = None,
    runs: Runs = 100,
    samples: Samples = 1000,
    jobs: Jobs = 0,
    cluster: Cluster = None,
    seed: Seed = 0,
    out: Out = Path("results"),
    sums: Annotated[int, typer.Option(help="Sums that are released.", min=1)] = 9,
    cbars: Annotated[
        str | None, typer.Option(help="Largest costs cbar, separated by commas.")
    ] = None,
    printed_deviation: Annotated[
        bool,
        typer.Option(
            "--printed-deviation",
            help="The paper's (9) as printed, which is not the deviation of the solution.",
        ),
    ] = False,
    as_json: JSON = False,
) -> None:
    """Expected loss against the variance of cost and of solution, as phi grows.

    Example: privopt experiment figure2 --runs 5 --out results
    """
    from privopt.experiments import Figure2

    study = Figure2()
    study = Figure2(
        runs=runs,
        samples=samples,
        seed=seed,
        sums=sums,
        published=printed_deviation,
        networks=_listed(networks) or study.networks,
        cbars=_numbers(cbars) or study.cbars,
    )
    go(study, out, jobs, cluster, as_json=as_json)


@app.command()
def certified(
    networks: Networks = None,
    runs: Runs = 100,
    samples: Samples = 10_000,
    jobs: Jobs = 0,
    cluster: Cluster = None,
    seed: Seed = 0,
    out: Out = Path("results"),
    algorithms: Algorithms = None,
    tries: Annotated[
        int, typer.Option(help="Solves of each search for the true epsilon of PIQ-a.", min=10)
    ] = 100,
    pieces: Annotated[
        int, typer.Option(help="Most affine pieces that a certificate of PIQ-a may have.", min=1)
    ] = 2000,
    as_json: JSON = False,
) -> None:
    """Assumed against proven privacy on Table 1's instances: true epsilon, loss, noise.

    118_ieee takes minutes a run; the other networks seconds.

    Example: privopt experiment certified --networks 3_lmbd,14_ieee --runs 5 --out results
    """
    from privopt.experiments import CertifiedTable

    study = CertifiedTable()
    study = CertifiedTable(
        runs=runs,
        samples=samples,
        seed=seed,
        tries=tries,
        pieces=pieces,
        networks=_listed(networks) or study.networks,
        algorithms=_listed(algorithms) or study.algorithms,
    )
    go(study, out, jobs, cluster, as_json=as_json)


@app.command()
def loads(
    networks: Annotated[
        str | None,
        typer.Option(
            help="PGLib names or case files, separated by commas.",
            autocompletion=complete_listed_networks,
        ),
    ] = None,
    runs: Annotated[int, typer.Option(help="Draws of the released generators.", min=1)] = 5,
    samples: Samples = 1000,
    jobs: Jobs = 0,
    cluster: Cluster = None,
    seed: Seed = 0,
    out: Out = Path("results"),
    algorithms: Algorithms = None,
    as_json: JSON = False,
) -> None:
    """PGLib's own loads, generators and costs: where a private plan exists, and its cost.

    Example: privopt experiment loads --networks 14_ieee,24_ieee_rts --runs 1 --out results
    """
    from privopt.experiments import Loads

    study = Loads()
    study = Loads(
        runs=runs,
        samples=samples,
        seed=seed,
        networks=_listed(networks) or study.networks,
        algorithms=_listed(algorithms) or study.algorithms,
    )
    go(study, out, jobs, cluster, as_json=as_json)


def go(
    study: Study, out: Path, jobs: int, cluster: str | None, *, as_json: bool = False
) -> Results:
    """Run a study with a bar, write its page, print its table."""
    from privopt.experiments import CertifiedTable, Figure2, Loads, Table1, run
    from privopt.report import write

    console = Console(highlight=False)
    try:
        with live(study.name, chatter()) as progress:
            results = run(
                study, out, jobs=jobs or os.cpu_count() or 1, cluster=cluster, progress=progress
            )
    except KeyboardInterrupt:
        console.print("stopped; the same command goes on from here.")
        raise typer.Exit(130) from None
    if isinstance(study, Table1):
        from privopt.experiments.drawing import write_drawing

        write_drawing(out, study.networks[-1], study.seed)
    page = write(out)
    if as_json:
        print_json({"name": study.name, "page": str(page), "summary": results.summary})
        return results
    if isinstance(study, Figure2):
        _print_figure(console, results)
    elif isinstance(study, (CertifiedTable, Loads)):
        from privopt.cli.proofs import print_policies

        print_policies(console, results)
    else:
        print_table(console, study.name, out)
    console.print(f"Page: [bold]{escape(str(page))}[/]")
    return results


def print_table(console: Console, name: str, out: Path) -> None:
    """The reproduced means beside the printed ones."""
    from privopt.report.compare import compare
    from privopt.report.folder import read

    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption="Percent, mean over the runs. Violation: no feasible solution has the released "
        "values. In brackets what the paper printed, green within 3 standard errors. Runs without "
        "a plan (infeasible, or failed) count in no mean.",
    )
    for heading in ("network", "algorithm", "violation", "loss", "no plan"):
        right = heading in ("violation", "loss", "no plan")
        table.add_column(heading, justify="right" if right else "left", no_wrap=True)
    folder = read(out)
    found = folder.table1 if name == "table1" else folder.table2
    if found is None:
        return
    last = ""
    for line in compare(name, found):
        row = line.row
        label = row.network if row.sums is None else f"{row.network}, {row.sums} sums"
        none = row.infeasible + row.failed
        table.add_row(
            escape(label) if label != last else "",
            row.algorithm,
            _cell(line.violation),
            _cell(line.loss),
            f"{none} of {row.runs}" if none else "",
        )
        last = label
    console.print(table)


def _cell(pair: Comparison) -> str:
    if pair.found is None:
        return "[dim]-[/]"
    text = f"{pair.found.mean:.2f}"
    if pair.printed is None:
        return text
    colour = "green" if pair.within else "red"
    return f"{text} [{colour}]({pair.printed.mean:.2f})[/]"


def _print_figure(console: Console, results: Results) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption="Means over the runs.")
    headings = ("panel", "cbar", "phi", "loss %", "var. of loss", "var. of z", "no plan")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "panel" else "right")
    for row in results.summary:
        numbers = [row[k] for k in ("loss", "loss_variance", "solution_variance")]
        none = row["infeasible_runs"] + row["failed_runs"]
        table.add_row(
            str(row["panel"]),
            f"{row['cbar']:g}",
            f"{row['phi']:g}",
            *("-" if value is None else f"{value:.3f}" for value in numbers),
            f"{none} of {row['runs']}" if none else "",
        )
    console.print(table)
    if all(row["status"] != "solved" for row in results.rows):
        console.print(
            "[yellow]No run had a plan[/]: with this noise the limits cannot be kept. Try another "
            "network, or fewer sums."
        )


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
