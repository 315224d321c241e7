"""`privopt measure`: noisy sums of the private data, from which anything may be decided, free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privopt.cli.check import CLAMP, RECEIPT
from privopt.cli.choosing import kept_in, with_sums
from privopt.cli.counting import (
    NO_LEDGER,
    REPLAY,
    check_counted,
    check_resumable,
    known_key,
    say_counted,
)
from privopt.cli.flags import Asked, with_job
from privopt.cli.keeping import keep, show
from privopt.cli.output import OVERWRITE, output
from privopt.cli.release import CLAMPS, DRY_RUN, drawn, print_made, rehearse
from privopt.cli.streams import JSON, chatter
from privopt.cli.view import warn, whose_data

if TYPE_CHECKING:
    pass

__all__ = ["measure"]


@with_job(without=("objective", "repeat"))
def measure(
    asked: Asked,
    *,
    overwrite: OVERWRITE = False,
    dry_run: DRY_RUN = False,
    clamp: CLAMP = False,
    receipt: RECEIPT = None,
    no_ledger: NO_LEDGER = False,
    replay: REPLAY = False,
    as_json: JSON = False,
) -> None:
    """Measure sums of the private data: the one step that reads them, and the one that is charged.

    --measure says which sums: total (unless given), each, choose (the best of many, looked for once
    on public draws and kept; needs query and feasibility), nothing, groups of names, or a file of
    zones (lines entry,zone) or of an instrument. `privopt decide` makes decisions from the
    measurement, as many as you like, at no further charge.

    Data are clamped to the domain: look at them first with `privopt check`, or say --clamp.

    The ledger is charged before d is read, and the same key replays it, free: asked before a new
    file is written, or said with --replay. Exit code 4 if the budget does not allow it: then
    nothing was charged or measured. Without a ledger nothing is measured, unless --no-ledger says
    that nothing shall count it.

    Example: privopt measure job.toml --data d.csv --ledger d.ledger --key may --out may.json
    """
    from privopt.app.preparing import prepare_measurement, telling

    job = asked.job()
    check_counted(job, no_ledger=no_ledger or dry_run, refused=no_ledger)
    out = job.out("measurement")
    known = known_key(job, [out], replay=replay or dry_run)
    inputs, words = (*job.inputs, kept_in(job, out)), "Nothing was charged or measured."
    with (
        telling() as opened,
        output(out, overwrite=overwrite, inputs=inputs, may_exist=known, more=words) as place,
    ):
        job = with_sums(job, out)
        ready = prepare_measurement(job, chatter().status)
        whose_data(job)
        warn(ready.poor)
        place.make_room(ready.room)
        if dry_run:
            rehearse(ready, job, as_json=as_json, no_ledger=no_ledger)
            chatter().print(CLAMPS, soft_wrap=True)
            return
        check_resumable(job, out)
        made = drawn(ready, job, out, opened, clamp=clamp, receipt=receipt, replayed=known)
        if out is not None:
            keep(made, place, out, job)
        show(lambda to: print_made(to, made, opened[0], out), made, out, job, as_json=as_json)
    replayed = made.release is not None and made.release.replayed
    if not replayed:
        chatter().print(CLAMPS, soft_wrap=True)
    say_counted(
        job,
        None if made.ledger is None else made.ledger.row,
        what="measurement",
        charged=made.release is not None,
        replayed=replayed,
    )
