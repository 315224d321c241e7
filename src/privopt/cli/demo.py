"""The demo: one release told from the noise to the ledger, then the paper's experiment.

First 39_epri, private demands at 39 nodes, eleven supplies to be published in three ways: noise on
the finished answer, noise inside the program (the paper's plan), and noise on one measured sum from
which the supplies are decided. Its page is `demo.html`. Then Table 1 of the paper on 14_ieee, with
a page of its own, `report.html`.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.panel import Panel

import privopt as po
from privopt.cli.experiment import go
from privopt.cli.streams import chatter, escape, results
from privopt.cli.view import print_view
from privopt.experiments import Table1
from privopt.experiments.runner import check_standing
from privopt.experiments.story import ETA, Story, story
from privopt.experiments.story import NETWORK as FIRST
from privopt.extra import library
from privopt.files import write_whole
from privopt.report.demo import demo_page, small_percent
from privopt.report.page import EXTRA, check_page, page_for
from privopt.show.view import Fact, Table, View

__all__ = ["run"]

NETWORK = "14_ieee"
PAGE = "demo.html"


def run(out: Path, runs: int, jobs: int, *, overwrite: bool = False, as_json: bool = False) -> None:
    """Run the demo, print it and write its pages; as JSON, the summary and the page alone."""
    study = Table1(networks=(NETWORK,), runs=runs)
    if as_json:
        go(study, out, jobs, None, overwrite=overwrite, as_json=True)
        return
    console = results()
    for name in EXTRA:
        library(name, "report")
    started = time.perf_counter()
    if not overwrite:
        check_page(out, PAGE)
        check_standing(study, out)
    _three_ways(console, out)
    console.print(
        Panel(
            f"The power network {NETWORK}: private demands at 14 nodes, to be served within the "
            "limits of supply and lines.\nPublish the supply at up to four nodes with epsilon = 1 "
            f"for a change of 0.1 in one demand; a limit may fail in {ETA:.1%} of releases (each "
            "limit: PIQ-a, exact margins; all together: the others).\n"
            f"[dim]{runs} random instances, 1000 releases of each, as in Table 1 of the paper[/]",
            title="[bold]privopt[/]: the paper's experiments",
            border_style="cyan",
        )
    )
    go(study, out, jobs, None, overwrite=overwrite)
    console.print(f"The story of the first release: [bold]{escape(str(out / PAGE))}[/]")
    console.print(
        f"[dim]{time.perf_counter() - started:.0f} s. The code: src/privopt/cli/demo.py and "
        "src/privopt/experiments/story.py. All networks: privopt experiment table1[/]"
    )


def _three_ways(console: Console, out: Path) -> None:
    """One instance, published in three ways; its table, and its page."""
    console.print(
        Panel(
            f"The power network {FIRST}: private demands at 39 nodes. Publish the supply at eleven "
            "of them with epsilon = 1 for a change of 0.1 in one demand.\nNoise outside: on the "
            "finished answer. Noise inside: the paper's plan, whose margins leave room for it. "
            "Measured: noise on one sum, the total demand; the supplies are decided in public.",
            title="[bold]privopt[/]: where to put the noise",
            border_style="cyan",
        )
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        po.Ledger(Path(folder) / "demands.ledger", limit=po.Budget(2)) as ledger,
    ):
        with chatter().status("publishing in three ways"):
            told = story(ledger)
        text = demo_page(told, ledger, page_for("table1"))
        spent = f"spent {ledger.spent} of {ledger.limit}; any further decision is free"
    print_view(console, _view(told, spent), marked=False)
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / PAGE, text.encode())


def _view(told: Story, spent: str) -> View:
    ways = (*told.ways, told.constant)
    columns = {
        "epsilon": [f"{way.epsilon:.4g}" for way in ways],
        "privacy": [way.guarantee.privacy.label for way in ways],
        "limits kept": [way.limits for way in ways],
        "impossible": [small_percent(way.impossible) for way in ways],
        "extra cost": ["-" if way.loss is None else small_percent(way.loss) for way in ways],
        "off by": [f"{way.distance:.2g}" for way in ways],
    }
    names = (*(way.name for way in told.ways), "constant")
    return View(
        "The same instance",
        Table("mechanism", names, columns),
        (Fact("budget", spent),),
        (
            "Impossible: share of simulated releases that no dispatch within the limits has. Extra "
            "cost: once what is not released is optimised again. Off by: root mean square distance "
            "from the answer without privacy, per unit. The constant is decided without "
            "measuring anything.",
        ),
        guarantee=told.measured.guarantee,
    )
