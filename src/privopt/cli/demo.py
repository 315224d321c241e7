"""The demo: depots supply clinics over a road network; the clinics' needs are private.

    minimise   sum of supply cost + transport cost
    subject to supply + inflow - outflow = need at every node,  0 <= supply, flows <= capacity

What three of the five depots ship is to be published. Output perturbation adds noise and often ends
where no flow can serve the needs; the same noise inside the program stays feasible.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

import privopt as po
from privopt.baselines import InputPerturbation, OutputPerturbation

DEPOTS = ("north", "east", "south", "west", "centre")
CLINICS = ("ash", "birch", "cedar", "elm", "fir", "maple", "oak", "pine")
# Two-way roads and their capacity.
ROADS = (
    ("north", "ash", 6), ("north", "birch", 5), ("east", "birch", 5), ("east", "cedar", 6),
    ("south", "elm", 6), ("south", "fir", 5), ("west", "fir", 4), ("west", "maple", 6),
    ("centre", "oak", 6), ("centre", "pine", 6), ("ash", "oak", 4), ("cedar", "pine", 4),
    ("elm", "pine", 4), ("maple", "oak", 4), ("birch", "oak", 3),
)  # fmt: skip
RELEASED = ("supply[north]", "supply[east]", "supply[south]")
ETA = 0.05


def supply_network(seed: int) -> po.ConvexProgram:
    """The built-in program: 5 depots, 8 clinics with private needs, 15 two-way roads."""
    rng = np.random.default_rng(seed)
    nodes = DEPOTS + CLINICS
    names = [f"supply[{name}]" for name in DEPOTS] + [f"flow[{a},{b}]" for a, b, _ in ROADS]
    G = np.zeros((len(nodes), len(names)))
    for j, name in enumerate(DEPOTS):
        G[nodes.index(name), j] = 1.0
    for k, (a, b, _) in enumerate(ROADS):
        G[nodes.index(a), len(DEPOTS) + k] = -1.0
        G[nodes.index(b), len(DEPOTS) + k] = 1.0
    needs = np.concatenate([np.zeros(len(DEPOTS)), rng.uniform(2.0, 4.0, len(CLINICS)).round(2)])
    capacity = np.array([float(c) for *_, c in ROADS])
    return po.ConvexProgram(
        linear=np.concatenate([rng.uniform(1, 9, len(DEPOTS)), np.zeros(len(ROADS))]),
        quadratic=np.concatenate([rng.uniform(0.05, 0.1, len(DEPOTS)), np.full(len(ROADS), 0.02)]),
        G=G,
        d=needs,
        lower=np.concatenate([np.zeros(len(DEPOTS)), -capacity]),
        upper=np.concatenate([np.full(len(DEPOTS), 8.0), capacity]),
        names=names,
        private=range(len(DEPOTS), len(nodes)),
    )


def run(seed: int, samples: int) -> None:
    """Run the demo and print it."""
    console = Console(highlight=False)
    started = time.perf_counter()
    program = supply_network(seed)
    query = po.Identity(RELEASED)
    laplace = po.Laplace(epsilon=1.0, alpha=0.2)
    bounded = po.TruncatedLaplace(epsilon=1.0, delta=1e-4, alpha=0.2)
    console.print(
        Panel(
            f"Five depots supply eight clinics over {len(ROADS)} roads. The clinics' needs are "
            f"private.\nPublish what three depots ship: {escape(', '.join(RELEASED))}.\n"
            f"[dim]{program}; epsilon = 1 for a change of 0.2 in one clinic's need[/]",
            title="[bold]privopt[/]: a private, feasible release",
            border_style="cyan",
        )
    )
    optimum = program.solve()
    console.print(f"Non-private optimum, for the curator only: cost [bold]{optimum.cost:.3f}[/]\n")
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        title="How often can what was published not be served?",
        caption=f"{samples} draws, 99% interval. Promises are proven; the privacy of a plan rests "
        "on an assumed sensitivity. With 'each limit', some limit may fail more often. Input "
        f"perturbation serves noisy needs: off by {laplace.alpha / laplace.epsilon:g} a clinic.",
    )
    for heading in ("release", "impossible, %", "cost", "promised", "privacy"):
        table.add_column(heading, justify="right" if heading == "cost" else "left", no_wrap=True)
    with console.status("adding noise to the answer ..."):
        _add_baseline(table, "output perturbation", po.output_perturbation(program, query, laplace),
                      samples)  # fmt: skip
    with console.status("adding noise to the data ..."):
        _add_baseline(table, "input perturbation", po.input_perturbation(program, query, laplace),
                      500)  # fmt: skip
    cases: tuple[tuple[str, Callable[[], po.Plan]], ...] = (
        ("the paper's margins", lambda: po.solve(
            program, query, laplace, po.Analytic(eta=ETA, margin="unimodal"))),
        ("exact margins", lambda: po.solve(program, query, laplace, po.Analytic(eta=ETA))),
        ("calibrated jointly", lambda: po.solve(
            program, query, laplace, po.Joint(eta=ETA, beta=0.01), rng=seed)),
        ("always feasible", lambda: po.solve(program, query, bounded, po.Always())),
    )  # fmt: skip
    plans: dict[str, po.Plan] = {}
    for label, make in cases:
        with console.status(f"{label} ..."):
            plans[label] = make()
            _add_plan(table, label, plans[label], samples, seed)
    console.print(table)
    plan = plans["calibrated jointly"]
    release = plan.release()
    shown = Table(box=box.SIMPLE_HEAD, title="One release, calibrated jointly (no seed)")
    shown.add_column("value")
    shown.add_column("optimum (private)", justify="right", style="dim")
    shown.add_column("released", justify="right", style="bold green")
    exact = np.asarray(plan.S @ optimum.z)
    for name, before, after in zip(release.names, exact, release.values, strict=True):
        shown.add_row(escape(name), f"{before:.4f}", f"{after:.4f}")
    console.print(shown)
    _print_claims(console, release)
    served = np.abs(program.G @ plan.realise(release) - program.d).max()
    console.print(
        f"Every clinic's need is met exactly in the solution behind it (largest residual "
        f"{served:.0e}).\n"
        f"[dim]{time.perf_counter() - started:.1f} s. The code: privopt/cli/demo.py[/]"
    )


def _add_baseline(
    table: Table, label: str, made: OutputPerturbation | InputPerturbation, samples: int
) -> None:
    found = made.verify(samples=samples, rng=0).completion
    table.add_row(label, _share(found), "", "[red]none[/]", _known(made.guarantee.privacy))


def _add_plan(table: Table, label: str, plan: po.Plan, samples: int, seed: int) -> None:
    found = plan.verify(samples=samples, rng=seed).completion
    feasibility = plan.guarantee.feasibility
    promise = {
        po.Scope.ROW: f"each limit {1 - ETA:.0%}",
        po.Scope.JOINT: f"all limits {1 - ETA:.0%}",
    }[feasibility.scope]
    if "probability 1" in feasibility.statement:
        promise = "all, always"
    table.add_row(
        f"[bold]{label}[/]",
        _share(found),
        f"{plan.loss:+.2%}",
        f"[green]{promise}[/]",
        _known(plan.guarantee.privacy),
    )


def _share(found: po.Estimate) -> str:
    low, high = (100 * end for end in found.interval)
    colour = "red" if found.value > 2 * ETA else "green"
    return f"[{colour}]{100 * found.value:4.1f}[/] [dim]({low:.1f}-{high:.1f})[/]"


def _known(claim: po.Claim) -> str:
    colour = "green" if claim.provenance is po.Provenance.PROVEN else "yellow"
    return f"[{colour}]{claim.provenance.value.lower()}[/]"


def _print_claims(console: Console, release: po.Release) -> None:
    lines = [f"charged: epsilon = {release.epsilon:.6f}, delta = {release.delta:g}"]
    for title, claim in (
        ("privacy", release.guarantee.privacy),
        ("feasibility", release.guarantee.feasibility),
    ):
        lines.append(f"[bold]{title}[/] {claim.provenance.value}: {escape(claim.statement)}")
        lines.append(f"  [dim]because {escape(claim.because)}[/]")
    console.print(Panel("\n".join(lines), title="What is claimed, and why", border_style="cyan"))
