"""`privopt release`: draw the noise, charge the ledger, write what may be published."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from privopt.cli.errors import tell_curator
from privopt.cli.flags import Asked, with_job
from privopt.cli.keeping import keep, show
from privopt.cli.output import OVERWRITE, check_target, output
from privopt.cli.streams import (
    JSON,
    as_given,
    chatter,
    check_output,
    escape,
    print_json,
    results,
)  # fmt: skip
from privopt.cli.view import print_view, warn, whose_data
from privopt.errors import InputError

if TYPE_CHECKING:
    from privopt.app.job import Job
    from privopt.app.preparing import Prepared
    from privopt.kernel.release import Release
    from privopt.ledger import Ledger
    from privopt.mechanisms.policy import Policy

__all__ = ["PLAN", "POLICY", "loaded", "release"]

POLICY = Annotated[str | None, typer.Option(help="Saved policy, instead of a program.")]
PLAN = Annotated[bool, typer.Option("--plan", help="A plan, although the job has a domain.")]
_CLAMPS = (
    "[dim]Private entries outside of the policy's domain are clamped to it. Which, the curator can "
    "see at no charge: --dry-run --reveal.[/]"
)


@with_job()
def release(
    asked: Asked,
    *,
    policy: POLICY = None,
    plan: PLAN = False,
    overwrite: OVERWRITE = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Check everything and say what it would cost; release nothing."
        ),
    ] = False,
    as_json: JSON = False,
) -> None:
    """Draw the noise and write what may be published.

    By a policy (saved, or designed where the job has a domain) or by a plan. With a ledger it is
    charged before the noise is drawn, and the same key replays it, free. Exit code 4 if the budget
    does not allow it: then nothing was charged or released.

    A saved policy says what is released: a job file or flags that say something else are refused.

    The place to write to is taken before the charge: --out, or else standard output. What is
    charged is kept in the ledger too, and `privopt ledger fetch` gives it again.

    A policy clamps data to its public domain. That it did depends on d and is not said, unless the
    curator asks with --reveal. With --dry-run that is told before anything is charged: the data are
    read and checked, nothing is charged or released, and no ledger is made.

    Example: privopt release --policy policy.json --data d.csv --ledger d.ledger --key may
    """
    from privopt.app.preparing import charged_ledger, prepare, released, telling

    saved = loaded(policy, plan)
    job = asked.job() if saved is None else asked.job_beside(saved)
    out = job.out("release")
    again = False
    if out is not None and not overwrite and os.path.lexists(out):
        with as_given(job.ledger):
            again = released(job)
    inputs = (*job.inputs, policy)
    words = "Nothing was charged or released."
    with (
        telling() as opened,
        output(out, overwrite=overwrite, inputs=inputs, may_exist=again, more=words) as place,
    ):
        ready = prepare(job, saved, plan=plan, status=chatter().status)
        whose_data(job)
        warn(ready.poor)
        place.make_room(ready.room)
        if dry_run:
            if asked.reveal:
                tell_curator(ready.look())
            _rehearse(ready, job, as_json=as_json)
            if ready.clamps and not asked.reveal:
                chatter().print(_CLAMPS, soft_wrap=True)
            return
        if out is None:
            check_output(ready.room)
        with as_given(job.ledger):
            ledger = charged_ledger(job, ready.room)
        opened.append(ledger)
        made = ready.draw(ledger)
        if out is not None:
            keep(made, place, out, job)
        show(lambda console: _print(console, made, ledger, out), made, out, job, as_json=as_json)
    if as_json and made.replayed and made.ledger is not None:  # else it is said with the ledger
        chatter().print(f"Replayed from row {made.ledger.row} of the ledger: free, the same values "
                        "as before.")  # fmt: skip
    if asked.reveal and not made.replayed:  # not before the charge: see SECURITY.md
        tell_curator(ready.look())
    elif ready.clamps and not made.replayed:
        chatter().print(_CLAMPS, soft_wrap=True)
    if made.ledger is None:
        chatter().print(
            "[yellow]warning[/] No ledger counted this release. Epsilons about the same data add "
            "up: write --ledger FILE --limit 1.0 --key NAME."
        )


def loaded(policy: str | None, plan: bool) -> Policy | None:
    """The saved policy that was named, if any."""
    from privopt.mechanisms.policy import Policy

    if policy is not None and plan:
        raise InputError("--plan was given with --policy.", "one of them.", "leave one out.")
    return None if policy is None else Policy.load(policy)


def _rehearse(ready: Prepared, job: Job, *, as_json: bool) -> None:
    """Ask the ledger what it would say, and print it."""
    from privopt.app.rehearsal import rehearsed
    from privopt.ledger.stores.registry import file_of

    file = None if job.ledger is None else file_of(job.ledger)
    if file is not None and not os.path.lexists(file):
        check_target(file)
    with as_given(job.ledger):
        found = rehearsed(ready, job)
    if as_json:
        print_json(found.to_dict())
        return
    console = results()
    print_view(console, found.view())
    console.print("The data were read and have a finite number for each entry.")


def _print(console: Console, made: Release, ledger: Ledger | None, out: str | None) -> None:
    spent = () if ledger is None else (("budget", f"spent {ledger.spent} of {ledger.limit}"),)
    print_view(console, made.view(), *spent)
    if out is not None:
        console.print(f"Release: [bold]{escape(out)}[/]", soft_wrap=True)
