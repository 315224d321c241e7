"""`privopt release --dry-run`: what a release would cost and what would be left, on the screen."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from privopt.cli.output import check_target
from privopt.cli.streams import as_given, escape, print_json, results
from privopt.cli.view import facts, mark
from privopt.digits import exactly

if TYPE_CHECKING:
    from privopt.app.job import Job
    from privopt.app.rehearsal import Rehearsal
    from privopt.ledger.request import Request

__all__ = ["rehearse"]


def rehearse(request: Request, job: Job, *, as_json: bool, poor: tuple[str, ...]) -> None:
    """Ask the ledger what it would say, and print it. Public: it depends on no private value."""
    from privopt.app.rehearsal import rehearsed

    if job.ledger is not None and not os.path.lexists(job.ledger):
        check_target(Path(job.ledger))
    with as_given(job.ledger):
        found = rehearsed(request, job)
    amounts = {
        "limit": found.limit,
        "spent": found.spent,
        "left": found.left,
        "left_after": found.left_after,
    }
    if as_json:
        print_json(
            {
                "dry_run": True,
                "mechanism": request.mechanism,
                "privacy": request.provenance,
                "charge": found.charge.to_dict(),
                "alpha": request.alpha,
                "replayed": found.replayed,
                "ledger": job.ledger,
                "new": found.new,
                "warnings": list(poor),
                **{name: amount and amount.to_dict() for name, amount in amounts.items()},
            }
        )
    else:
        _print(results(), request, job, found)


def _print(console: Console, request: Request, job: Job, found: Rehearsal) -> None:
    mark(console, "Dry run: nothing was charged or released", private=False)
    charge = f"{found.charge}, for changes up to {exactly(request.alpha)}"
    if found.replayed:
        charge = f"nothing: {job.key!r} was released before and would be replayed"
    rows = [
        ("would charge", escape(charge)),
        ("made by", escape(f"{request.mechanism}, privacy {request.provenance}")),
    ]
    if job.ledger is None:
        rows.append(("ledger", "[yellow]none: nothing would count it[/]"))
    else:
        made = " (would be made)" if found.new else ""
        rows += [
            ("ledger", escape(f"{job.ledger}{made}")),
            ("now", f"spent {found.spent} of {found.limit}: {found.left} left"),
            ("after it", f"{found.left_after} left"),
        ]
    console.print(facts(*rows))
    console.print("The data were read and have a finite number for each entry.")
