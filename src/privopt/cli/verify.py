"""`privopt verify`: simulate a plan or a policy, or check a release against its ledger."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from privopt.cli.flags import Asked, with_job
from privopt.cli.release import PLAN, POLICY, loaded
from privopt.cli.streams import JSON, as_given, chatter, escape, print_json, results
from privopt.cli.view import facts, print_view, whose_data

__all__ = ["verify"]


@with_job(without=("output",))
def verify(
    asked: Asked,
    *,
    policy: POLICY = None,
    plan: PLAN = False,
    release: Annotated[
        str | None, typer.Option(help="Release file: is it whole, does --ledger hold it?")
    ] = None,
    samples: Annotated[int, typer.Option(help="Simulated releases.", min=1)] = 10_000,
    draws_seed: Annotated[int, typer.Option(help="Seed of the simulation.", min=0)] = 0,
    as_json: JSON = False,
) -> None:
    """Simulate a plan or policy: how often does a limit break? Or check a release.

    The result for a plan is private; a policy is looked at where its public domain is worst. What
    else is said of program, query, noise and domain must agree with a policy. Exit code 1 if what
    is claimed is refuted, or if the ledger does not hold the release.

    Example: privopt verify --policy policy.json --samples 100000
    """
    if release is not None:
        _check(release, asked.job().ledger, as_json)
        return
    from privopt.app.verifying import simulate

    saved = loaded(policy, plan)
    # What the limits are compared with may be given beside a policy: its file need not say.
    job = asked.job() if saved is None else asked.job_beside(saved, used=("feasibility",))
    found = simulate(
        job, saved, plan=plan, samples=samples, seed=draws_seed, status=chatter().status
    )
    if found.private:
        whose_data(job)
    if as_json:
        print_json(found.to_dict())
    else:
        console, verdict = results(), found.verdict
        print_view(console, found.view)
        console.print(f"[{'bold red' if verdict.refuted else 'bold'}]{escape(verdict.words)}[/]")
    if found.verdict.refuted:
        raise typer.Exit(1)


def _check(path: str, ledger: str | None, as_json: bool) -> None:
    """Whether a release file is whole, and whether a ledger holds it."""
    from privopt.app.check import check_release
    from privopt.kernel.release import Release

    made = Release.load(path)
    with as_given(ledger):
        findings = check_release(made, ledger)
    sound = all(one.holds for one in findings)
    if as_json:
        checked = [asdict(one) for one in findings]
        print_json({"release": path, "ledger": ledger, "confirmed": sound, "findings": checked})
    else:
        console = results()
        marks = {True: "[green]yes[/]", False: "[bold red]no[/]"}
        rows = (
            (marks[one.holds], escape(one.what), f"[dim]{escape(one.seen)}[/]") for one in findings
        )
        console.print(facts(*rows))
        if not sound:
            console.print("[bold red]Not confirmed.[/]")
        elif ledger is None:
            console.print(f"Not compared with a ledger. The release says: {escape(made.counted)}.")
        else:
            console.print("[bold]Confirmed[/]: the ledger holds this release.")
    if not sound:
        raise typer.Exit(1)
