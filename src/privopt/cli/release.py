"""`privopt release`: draw the noise, charge the ledger, write what may be published."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from privopt.cli.check import CLAMP, RECEIPT, check_looked_at
from privopt.cli.choosing import kept_in, with_sums
from privopt.cli.counting import (
    NO_LEDGER,
    REPLAY,
    check_counted,
    check_resumable,
    known_key,
    say_counted,
    say_new_ledger,
)
from privopt.cli.flags import Asked, with_job
from privopt.cli.keeping import keep, show
from privopt.cli.output import OVERWRITE, check_target, outputs
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

if TYPE_CHECKING:
    from privopt.app.job import Job
    from privopt.app.preparing import Made, Prepared
    from privopt.kernel.measurement import Measurement
    from privopt.kernel.release import Release
    from privopt.ledger import Ledger
    from privopt.mechanisms.measured.decision import Decision

__all__ = ["CLAMPS", "DRY_RUN", "PLAN", "rehearse", "release"]

PLAN = Annotated[bool, typer.Option("--plan", help="A plan, although the job has a domain.")]
DRY_RUN = Annotated[
    bool,
    typer.Option("--dry-run", help="Check everything and say what it would cost; release nothing."),
]
_TAKEN = "Nothing was charged or released."
CLAMPS = (
    "[dim]Private entries outside of the domain are clamped to it. Which, the curator can "
    "see at no charge: privopt check.[/]"
)


@with_job()
def release(
    asked: Asked,
    *,
    plan: PLAN = False,
    overwrite: OVERWRITE = False,
    dry_run: DRY_RUN = False,
    clamp: CLAMP = False,
    receipt: RECEIPT = None,
    no_ledger: NO_LEDGER = False,
    replay: REPLAY = False,
    as_json: JSON = False,
) -> None:
    """Draw the noise and write what may be published.

    By a measurement and a decision (where the job has a domain) or by a plan. The ledger is charged
    before the noise is drawn, and the same key replays it, free: asked before a new file is
    written, or said with --replay. Exit code 4 if the budget does not allow it: then nothing was
    charged or released. Without a ledger nothing is released, unless
    --no-ledger says that nothing shall count it.

    What was measured is written beside --out (release.measurement.json) before anything is decided,
    and the decision then (release.decision.json). If the command is stopped between, the same
    command under the same key goes on, free; without a ledger, `privopt decide --measurement` does.

    The place to write to is taken before the charge: --out, or else standard output. What is
    charged is kept in the ledger too, and `privopt ledger fetch` gives it again.

    Data are clamped to the public domain. That they were depends on d and is not said. So someone
    looks at them before: at a terminal you are shown what would be clamped, and asked; without one,
    the receipt that `privopt check` wrote for this data file will do, or --clamp. With --dry-run
    the data are read and checked, nothing is charged or released, and no ledger is made.

    Example: privopt release job.toml --data d.csv --ledger d.ledger --key may --out release.json
    """
    from privopt.app.preparing import prepare, telling

    job = asked.job()
    check_counted(job, no_ledger=no_ledger or dry_run, refused=no_ledger)
    out = job.out("release")
    measured = job.made_by(plan=plan) == "measured"
    paths = {"release": out} | (rests_on(job, out) if measured else {})
    known = known_key(job, [out, paths.get("measurement")], replay=replay or dry_run)
    inputs, words = (*job.inputs, kept_in(job, out) if measured else None), _TAKEN
    if measured and (there := paths["measurement"]) is not None and os.path.lexists(there):
        words += f" To go on from what was measured: privopt decide --measurement {there}."
    with (
        telling() as opened,
        outputs(paths, overwrite=overwrite, inputs=inputs, may_exist=known, more=words) as places,
    ):

        def keep_part(part: Measurement | Decision) -> None:
            if (path := paths[part.kind]) is not None:
                keep(part, places[part.kind], path, job)

        if measured:
            job = with_sums(job, out)
        ready = prepare(job, plan=plan, status=chatter().status, keep=keep_part)
        whose_data(job)
        warn(ready.poor)
        for kind, room in {"release": ready.room, **ready.rooms}.items():
            places[kind].make_room(room)
        if dry_run:
            rehearse(ready, job, as_json=as_json, no_ledger=no_ledger)
            if ready.clamps:
                chatter().print(CLAMPS, soft_wrap=True)
            return
        if measured:
            check_resumable(job, out)
        made = drawn(ready, job, out, opened, clamp=clamp, receipt=receipt, replayed=known)
        if out is not None:
            keep(made, places["release"], out, job)
        show(lambda to: print_made(to, made, opened[0], out), made, out, job, as_json=as_json)
    if ready.clamps and not made.replayed:
        chatter().print(CLAMPS, soft_wrap=True)
    say_counted(
        job,
        None if made.ledger is None else made.ledger.row,
        what="release",
        charged=made.epsilon > 0 or not measured,
        replayed=made.replayed,
    )


def rests_on(job: Job, out: str | None) -> dict[str, str | None]:
    """Where a release's measurement and decision are written."""
    return {kind: job.out_beside(kind, out) for kind in ("measurement", "decision")}


def drawn(
    ready: Prepared[Made],
    job: Job,
    out: str | None,
    opened: list[Ledger | None],
    *,
    clamp: bool,
    receipt: str | None,
    replayed: bool,
) -> Made:
    """Ask the curator whatever is to be asked, open the ledger, then charge and draw."""
    from privopt.app.preparing import charged_ledger

    if out is None:
        check_output(ready.room)
    with as_given(job.ledger):
        say_new_ledger(job)
    check_looked_at(ready, job, clamp=clamp, receipt=receipt, replayed=replayed)
    with as_given(job.ledger):
        opened.append(charged_ledger(job, ready.room))
    return ready.draw(opened[0])


def rehearse(ready: Prepared[Any], job: Job, *, as_json: bool, no_ledger: bool) -> None:
    """Ask the ledger what it would say, and print it."""
    if job.ledger is None and not no_ledger:
        chatter().print(
            "[yellow]warning[/] No ledger is named. To go on, write --ledger FILE --limit 1.0 "
            "--key NAME, or --no-ledger."
        )
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


def print_made(
    console: Console, made: Release | Measurement, ledger: Ledger | None, out: str | None
) -> None:
    """What was charged, and where it is written."""
    spent = () if ledger is None else (("budget", f"spent {ledger.spent} of {ledger.limit}"),)
    print_view(console, made.view(), *spent)
    if out is not None:
        console.print(f"{made.kind.capitalize()}: [bold]{escape(out)}[/]", soft_wrap=True)
