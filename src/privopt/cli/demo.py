"""The demo: the paper's noise and ours on one instance, then the paper's experiments.

First 39_epri, private demands at 39 nodes: the paper's plan has noise on every released supply; a
decision has it on one measured sum. Then Table 1 of the paper on 14_ieee, with a page of pictures,
and one release of a plan. Output perturbation adds noise to the answer and ends where no dispatch
can serve the demands; the same noise inside the program stays feasible. Last comes a policy, whose
rule is fixed in advance and whose privacy is proven, released through a ledger.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.panel import Panel

import privopt as po
from privopt.cli.experiment import go
from privopt.cli.streams import results
from privopt.cli.view import print_view
from privopt.experiments import Table1, instance
from privopt.experiments.study import streams
from privopt.show.view import Fact, Table, View

FIRST = "39_epri"  # on which the mechanisms are compared
NETWORK = "14_ieee"
ETA = 0.025
NOISE = po.Laplace(epsilon=1.0, alpha=0.1)
KEPT = po.Joint(eta=ETA, beta=0.01)
RUN = 2  # of the instances: one whose released supplies lie within their limits


def run(out: Path, runs: int, jobs: int, *, overwrite: bool = False, as_json: bool = False) -> None:
    """Run the demo, print it and write its page; as JSON, the summary and the page alone."""
    study = Table1(networks=(NETWORK,), runs=runs)
    if as_json:
        go(study, out, jobs, None, overwrite=overwrite, as_json=True)
        return
    console = results()
    started = time.perf_counter()
    _same_instance(console)
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
    _one_release(console)
    _one_certified(console)
    console.print(
        f"[dim]{time.perf_counter() - started:.0f} s. The code: src/privopt/cli/demo.py. All "
        "networks: privopt experiment table1[/]"
    )


def _same_instance(console: Console) -> None:
    """What the paper's noise does, and what a measurement of one sum does, on one instance."""
    drawn = instance(FIRST, 0)
    program, query, kept = drawn.program, drawn.query, po.ExactBox(eta=ETA)
    console.print(
        Panel(
            f"The power network {FIRST}: private demands at 39 nodes. Publish the supply at eleven "
            "of them with epsilon = 1 for a change of 0.1 in one demand.\nThe paper adds noise to "
            "every supply. privopt measures one sum, the total demand, and decides the supplies "
            "in public.",
            title="[bold]privopt[/]: measure, then decide",
            border_style="cyan",
        )
    )
    plan = po.solve(program, query, NOISE, po.Analytic(eta=ETA, margin="unimodal"))
    sums = {"nothing": {}, "the total": {"total": program.data_names}}
    with (
        tempfile.TemporaryDirectory() as folder,
        po.Ledger(Path(folder) / "demands.ledger", limit=po.Budget(2)) as ledger,
    ):
        constant, decision = (
            po.decide(
                program,
                query,
                po.Instrument(W, program=program, privacy=NOISE, domain=drawn.domain).measure(
                    program.d, ledger=ledger, key=f"demo, {name}"
                ),
                kept,
            )
            for name, W in sums.items()
        )
        spent = f"spent {ledger.spent} of {ledger.limit}; any further decision is free"
    off = [plan.distance, constant.distance, decision.distance]
    columns = {
        "epsilon": ["1", "0", f"{decision.epsilon:g}"],
        "privacy": [made.guarantee.privacy.label for made in (plan, constant, decision)],
        "limits kept": ["each, 97.5%", "all, always", "all, 97.5%"],
        "extra cost": [
            f"{100 * made.completed_loss.value:.2g}%" for made in (plan, constant, decision)
        ],
        "off by": [f"{value:.2g}" for value in off],
    }
    names = ("the paper's plan", "nothing measured", "total measured")
    view = View(
        "The same instance",
        Table("mechanism", names, columns),
        (Fact("budget", spent),),
        (
            "Extra cost: once what is not released is optimised again. Off by: root mean square "
            f"distance from the answers, which vary by {decision.spread:.2g}. Both estimated on "
            "draws: of the plan's noise at these demands, of demands for the decisions.",
        ),
        guarantee=decision.guarantee,
    )
    print_view(console, view, marked=False)


def _one_release(console: Console) -> None:
    """One instance, one plan, one release with its claims."""
    first, second, _ = streams(0, NETWORK, RUN)
    drawn = instance(NETWORK, first)
    plan = po.solve(drawn.program, drawn.query, NOISE, KEPT, rng=second)
    release = plan.release()
    middle, exact = (np.asarray(plan.S @ z) for z in (plan.expected, plan.optimum.z))
    columns = {
        "optimum (private)": exact,
        "plan without noise (private)": middle,
        "released": release.values,
    }
    title = "One release, calibrated jointly (no seed)"
    shown = replace(release.view(), title=title, table=Table("supply", release.names, columns))
    print_view(console, shown, marked=False)
    console.print("[dim]The plan keeps away from the limits, to make room for the noise.[/]")
    off = abs(drawn.program.G @ plan.realise(release) - drawn.program.d).max()
    console.print(
        f"The whole dispatch behind it serves every demand exactly (largest residual {off:.0e})."
    )


def _one_certified(console: Console) -> None:
    """One policy, made without the demands, and a release of it that a ledger counts."""
    drawn = instance(NETWORK, streams(0, NETWORK, RUN)[0])
    policy = po.design(
        drawn.program.without_data(),
        drawn.query,
        NOISE,
        KEPT,
        domain=drawn.domain,
        floor=1.0,
        rng=0,
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        po.Ledger(Path(folder) / "demands.ledger", limit=po.Budget(2)) as ledger,
    ):
        release = policy.release(drawn.program.d, ledger=ledger, key="demo")
        spent = f"spent {ledger.spent} of {ledger.limit}"
    title = "The same with proven privacy, through a ledger"
    print_view(console, replace(release.view(), title=title), ("budget", spent), marked=False)
    console.print(
        "[dim]By a policy for every demand of a public domain, made before any demand is known. "
        f"Expected extra cost {100 * policy.completed_loss.value:.2f}% once a release is completed "
        f"({100 * policy.loss:.2f}% as designed); released supplies follow the demands by up to "
        f"{policy.reach.max():.2g} either way.[/]"
    )
