"""`privopt audit`: do the releases of a mechanism keep what is claimed of them?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

import privopt as po
from privopt.cli.completing import complete_networks
from privopt.cli.errors import REVEAL, revealing
from privopt.cli.output import OVERWRITE, output
from privopt.cli.progress import live
from privopt.cli.streams import JSON, chatter, escape, print_json, results
from privopt.digits import exactly
from privopt.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from privopt.arrays import Vector
    from privopt.assess import Audit

__all__ = ["audit"]

ETA = 0.025  # of the paper's experiments
FLOOR = 1.0  # noise level of the paper: a certified release that is not a constant


class Mechanism(StrEnum):
    """What can be audited on a network."""

    PAPER = "paper"
    CERTIFIED = "certified"
    OUTPUT = "output"
    NAIVE = "naive"


@dataclass(frozen=True, eq=False)
class Case:
    """A mechanism and two neighbours.

    Attributes
    ----------
    title
        What it is, in words.
    computed
        Epsilon between the two by what is released without noise, where it is known.
    claimed
        The epsilon that is claimed, where the releases do not say it.
    """

    title: str
    mechanism: po.Policy | Callable[[Any], Any]
    d: Vector
    d_prime: Vector
    computed: float | None = None
    claimed: float | None = None


@dataclass(frozen=True, eq=False)
class Naive:
    """A plan whose noise is drawn and added in floating point, as one should not."""

    plan: po.Plan
    rng: np.random.Generator

    def release(self) -> Vector:
        """S z~ + xi."""
        import numpy as np

        base = np.asarray(self.plan.S @ self.plan.expected)
        return base + self.rng.laplace(scale=self.plan.calibration.scale, size=len(base))


def audit(
    network: Annotated[
        str | None,
        typer.Argument(
            help="PGLib name or case file: the paper's random instance.",
            autocompletion=complete_networks,
        ),
    ] = None,
    mechanism: Annotated[
        Mechanism,
        typer.Option(
            help="paper: its algorithm with analytic margins. certified: a designed policy. "
            "output: noise on the optimum. naive: the paper's, with noise in floating point."
        ),
    ] = Mechanism.PAPER,
    samples: Annotated[
        int, typer.Option(help="Releases of each of the two data.", min=100)
    ] = 10_000,
    confidence: Annotated[float, typer.Option(help="Of the bound on epsilon.")] = 0.99,
    epsilon: Annotated[float, typer.Option(help="What the noise is made for.")] = 1.0,
    alpha: Annotated[float, typer.Option(help="Change of one demand that is hidden.")] = 0.1,
    seed: Annotated[int, typer.Option(help="Of the instance and the search.", min=0)] = 0,
    tries: Annotated[
        int, typer.Option(help="Solves of the search for two data far apart.", min=10)
    ] = 100,
    policy: Annotated[
        Path | None, typer.Option(help="A saved policy to audit, instead of a network.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="The data d: CSV of name,value or JSON.")
    ] = None,
    neighbour: Annotated[Path | None, typer.Option(help="Its neighbour d', likewise.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Page of the picture, such as page.html.")
    ] = None,
    overwrite: OVERWRITE = False,
    fail_if_refuted: Annotated[
        bool, typer.Option("--fail-if-refuted", help="Exit code 1 if the claim is refuted: for CI.")
    ] = False,
    reveal: REVEAL = False,
    as_json: JSON = False,
) -> None:
    """Measure how well releases tell two neighbours apart: a bound from below on epsilon.

    Nothing published may come of the audit of real data: each release of them costs privacy. The
    exit code is 0 whatever is found, or with --fail-if-refuted 1 if the claim is refuted.

    Example: privopt audit 3_lmbd --seed 2 --mechanism paper --out page.html
    """
    from privopt.assess import audit as measure

    console, errors = results(), chatter()
    inputs = (policy, data, neighbour, network)
    with output(out, overwrite=overwrite, inputs=inputs, private=policy is not None) as place:
        if policy is not None:
            with revealing(reveal):
                case = _saved(policy, data, neighbour, network)
        else:
            noise = po.Laplace(epsilon=epsilon, alpha=alpha)
            with errors.status("searching two neighbours whose releases lie far apart"):
                case = _searched(network, mechanism, noise, seed, tries)
        with live("audit", errors, "releases") as progress:
            result = measure(
                case.mechanism,
                case.d,
                case.d_prime,
                samples=samples,
                confidence=confidence,
                claimed=case.claimed,
                progress=progress,
            )
        if out is not None:
            place.write(result.plot().to_html(include_plotlyjs=True))
    if as_json:
        print_json({"of": case.title, "computed": case.computed, **result.to_dict()})
    else:
        _print(console, case, result)
        if out is not None:
            console.print(f"Page: [bold]{escape(str(out))}[/]", soft_wrap=True)
    if fail_if_refuted and result.refuted:
        raise typer.Exit(1)


def _searched(
    network: str | None, which: Mechanism, noise: po.Laplace, seed: int, tries: int
) -> Case:
    """A mechanism on the paper's instance, at the pair where its releases lie farthest apart."""
    import numpy as np

    if network is None:
        raise InputError(
            "nothing to audit was named.",
            "a network, or a saved policy.",
            "write privopt audit 3_lmbd, or --policy FILE --data a.json --neighbour b.json.",
        )
    drawn = po.experiments.instance(network, seed)
    program, query, domain = drawn.program, drawn.query, drawn.domain
    kept = po.Analytic(eta=ETA, margin="unimodal")
    margins = None if which is Mechanism.OUTPUT else kept
    found = po.assess.lower_bound(
        program, query, noise, margins, domain=domain, tries=tries, rng=seed
    )
    pair = found.witness

    def plan(d: Vector) -> po.Plan:
        return po.solve(program.at(d), query, noise, kept)

    rng = np.random.default_rng(seed)
    made: dict[Mechanism, Callable[[], po.Policy | Callable[[Any], Any]]] = {
        Mechanism.PAPER: lambda: plan,
        Mechanism.CERTIFIED: lambda: po.design(
            program, query, noise, kept, domain=domain, floor=FLOOR
        ),
        Mechanism.OUTPUT: lambda: lambda d: po.output_perturbation(program.at(d), query, noise),
        Mechanism.NAIVE: lambda: lambda d: Naive(plan(d), rng),
    }
    title = (
        f"{network}, {which.value}: two data of the domain that differ in {pair.entry} by "
        f"{pair.step:.3g}"
    )
    return Case(
        title,
        made[which](),
        pair.d,
        pair.neighbour,
        computed=None if which is Mechanism.CERTIFIED else found.epsilon,
        claimed=noise.epsilon if which is Mechanism.NAIVE else None,
    )


def _saved(policy: Path, data: Path | None, neighbour: Path | None, network: str | None) -> Case:
    """A saved policy at two data that are its neighbours."""
    import numpy as np

    from privopt.app.data import read_values

    if data is None or neighbour is None or network is not None:
        raise InputError(
            "a policy is audited on two files of data, and on no network.",
            "--policy FILE --data a.json --neighbour b.json.",
            "pass all three, and nothing before them.",
        )
    made = po.Policy.load(policy)
    d, d_prime = (read_values(path, made.program.data_names) for path in (data, neighbour))
    apart = np.abs(d - d_prime)[made.program.private]
    limit = made.privacy.alpha * (1 + 1e-9)
    if np.count_nonzero(apart) != 1 or apart.max() > limit:
        raise InputError(
            f"{data} and {neighbour} are no neighbours.",
            f"data that differ in one private entry, by at most {exactly(made.privacy.alpha)}.",
            "change one entry of the one to make the other.",
        )
    return Case(f"the policy {policy}", made, d, d_prime)


def _print(console: Console, case: Case, result: Audit) -> None:
    """What was measured, and what follows."""
    from privopt.assess.audit import LIMIT

    console.print(f"[bold]Audit[/] of {escape(case.title)}")
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    at = f" at delta {result.delta:g}" if result.delta else ""
    claimed = "nothing" if result.claimed is None else f"epsilon {result.claimed:.6g}{at}"
    rows = [
        ("releases", f"{result.samples} of each; half chose the event, half tested it"),
        ("event", result.event),
        ("after d", result.at_d.summary()),
        ("after d'", result.at_d_prime.summary()),
        ("measured", f"epsilon >= {result.epsilon:.4g}{at}"),
        ("claimed", claimed),
    ]
    if case.computed is not None:
        known = f"epsilon {case.computed:.4g}, by what is released without noise"
        rows.insert(-1, ("computed", known))
    for name, text in rows:
        table.add_row(name, escape(text))
    console.print(table)
    console.print(f"[{'bold red' if result.refuted else 'bold'}]{escape(result.verdict)}[/]")
    console.print(f"[dim]{LIMIT.capitalize()}.[/]")
