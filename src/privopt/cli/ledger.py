"""`privopt ledger`: make a ledger, look at it, check it, set its limit, fetch what it stored."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import privopt as po
from privopt.cli.output import OVERWRITE, output
from privopt.cli.streams import (
    JSON,
    as_given,
    check_output,
    escape,
    named,
    print_json,
    print_json_list,
    results,
)
from privopt.cli.usage import CommandLine, Group
from privopt.cli.view import print_view, tabulated
from privopt.errors import InputError, LedgerError
from privopt.foreign import shown

if TYPE_CHECKING:
    from privopt.ledger import Event
    from privopt.ledger.anchor import Mark
    from privopt.ledger.stores.protocol import Roles
    from privopt.show.view import Table

__all__ = ["DELTA", "PAGE", "PATH", "READERS", "RELEASERS", "YES", "ledger", "roles_of"]

ledger = CommandLine(
    help="What was spent on a dataset: make a ledger, look at it, check it, set its limit.",
    no_args_is_help=True,
    cls=Group,
)

_WIDTH = 16  # of a bar

PATH = Annotated[
    str, typer.Argument(metavar="LEDGER", help="File of the ledger, or the address of its store.")
]
DELTA = Annotated[str | None, typer.Option(metavar="NUMBER", help="Delta, a decimal such as 1e-6.")]
ANCHOR = Annotated[
    str | None,
    typer.Option(metavar="ANCHOR", help="Where the ledger's head is kept: a file, or ROW:DIGEST."),
]
YES = Annotated[bool, typer.Option("--yes", help="Raise it without asking.")]
RELEASERS = Annotated[
    list[str] | None, typer.Option("--releaser", help="A role that may charge; more than once.")
]
READERS = Annotated[
    list[str] | None, typer.Option("--reader", help="A role that may look; more than once.")
]
PAGE = 500  # events of a table


@ledger.command()
def create(
    path: PATH,
    epsilon: Annotated[str, typer.Argument(help="The most that all releases may cost: 1, 0.5.")],
    delta: DELTA = None,
    dataset: Annotated[str | None, typer.Option(help="Name of the data; the file's name.")] = None,
    alpha: Annotated[
        float | None, typer.Option(help="Change of one private entry that must stay hidden.")
    ] = None,
    anchor: ANCHOR = None,
    releaser: RELEASERS = None,
    reader: READERS = None,
    as_json: JSON = False,
) -> None:
    """Make a new ledger with a limit; on a server, let roles in.

    Example: privopt ledger create loads.ledger 1.0 --delta 1e-6 --dataset loads-2026 --alpha 0.1
    """
    from privopt.ledger.stores.registry import exists, open_store

    limit, place = po.Budget(epsilon, delta or 0), named(path)
    roles = [*(releaser or []), *(reader or [])]
    if roles:
        roles_of(open_store(path, read_only=False, timeout=10.0)).check_roles(roles)
    if exists(path):
        raise LedgerError(
            f"{place} is there already.",
            "a path where there is no file yet.",
            f"look at it with: privopt ledger show {place}",
        )
    with (
        as_given(path),
        po.Ledger(path, limit, dataset=dataset, alpha=alpha, anchor=anchor) as made,
    ):
        if roles:
            roles_of(made.store).grant(releaser or [], reader or [])
        if as_json:
            print_json(dataset=made.dataset, limit=made.limit.to_dict(), path=place)
            return
        results().print(
            f"Ledger of [bold]{escape(made.dataset)}[/], limit {made.limit}: {escape(place)}",
            soft_wrap=True,
        )


@ledger.command()
def show(
    path: PATH,
    last: Annotated[int, typer.Option(help="Only the last events; 0 for all.", min=0)] = 0,
    at: Annotated[
        float | None,
        typer.Option(
            "--compose", metavar="DELTA", help="Also what all charges amount to at this delta."
        ),
    ] = None,
    anchor: ANCHOR = None,
    as_json: JSON = False,
) -> None:
    """Show what was spent, what is left, and every charge. The ledger is not changed.

    Long ledgers are shown page by page, as they are read, and in plain text. With --compose the
    charges are also added up by their privacy loss distributions: a report, the limit stays.

    Example: privopt ledger show loads.ledger --last 20 --compose 1e-6
    """
    from privopt.ledger import compose
    from privopt.ledger.inspection import exact, state

    with as_given(path), po.Ledger(path, read_only=True, anchor=anchor) as seen:
        events = iter(seen.recent(last)) if last else seen.history()
        pages = iter(lambda: list(islice(events, PAGE)), [])
        pages, now = chain([next(pages)], pages), seen.recent(1)[-1]
        together = None if at is None else compose(seen, at)
        if as_json:
            entries = _state(seen, now)
            entries |= {} if together is None else {"together": together.to_dict()}
            print_json_list(entries, "events", ((one.to_dict() for one in page) for page in pages))
            return
        console = results()
        print_view(console, replace(state(seen, now), notes=()), *_bars(now), marked=False)
        first = next(pages)
        if len(first) < PAGE:
            console.print(tabulated(exact(first)))
        else:  # a table of rich takes a millisecond for a row
            for page in chain([first], pages):
                typer.echo(_plain(exact(page)))
    if first[0].row > 1:
        console.print(f"[dim]rows 1 to {first[0].row - 1} came before: --last 0[/]")
    if together is not None:
        console.print(escape(str(together), lines=True), soft_wrap=True)


def _plain(table: Table) -> str:
    """A table as lines of text; what files hold stays on its line."""
    columns = {name: [shown(cell) for cell in cells] for name, cells in table.columns.items()}
    return str(replace(table, columns=columns))


def _state(seen: po.Ledger, now: Event) -> dict[str, Any]:
    """What is spent and left, and the quotas where there are any, for JSON."""
    from privopt.ledger.inspection import unit_kept

    subject, quotas, unit = seen.subject, seen.quotas, unit_kept(seen)
    return {
        "dataset": subject.dataset,
        "alpha": subject.alpha,
        "private": subject.entries,
        **({"neighbours": subject.neighbours_in(unit)} if subject.relation else {}),
        **({"unit": unit} if unit else {}),
        "spent": now.spent.to_dict(),
        "limit": now.limit.to_dict(),
        "left": now.limit.limit.minus(now.spent.charge).budget.to_dict(),
        **({"quotas": [one.to_dict() for one in quotas]} if quotas else {}),
    }


@ledger.command()
def verify(
    path: PATH,
    head: Annotated[
        str | None,
        typer.Option(
            metavar="HEAD", help="A head noted earlier, ROW:DIGEST: nothing before changed."
        ),
    ] = None,
    anchor: ANCHOR = None,
    as_json: JSON = False,
) -> None:
    """Check every row: the chain, the sums, the limit at each charge. The ledger is not changed.

    Exit code 2 if a row is not as it was written; the message names the first one.

    Example: privopt ledger verify loads.ledger --head 12:9f86d081...
    """
    noted = None if head is None else _head(head)
    with as_given(path), po.Ledger(path, read_only=True, anchor=anchor) as seen:
        report = seen.verify(noted)
    mark = f"{report.head[0]}:{report.head[1]}"
    if as_json:
        counted = ("dataset", "rows", "charges", "released", "unfinished", "redacted")
        counts = {name: getattr(report, name) for name in counted}
        amounts = {"spent": report.spent.to_dict(), "limit": report.limit.to_dict()}
        print_json({**counts, **amounts, "head": mark, "drive": report.drive})
        return
    console = results()
    console.print(escape(report.summary(), lines=True), soft_wrap=True)
    if noted is not None:
        console.print(f"Nothing up to row {noted[0]} was changed since that head was noted.")
    console.print("Note the head elsewhere, and check against it later:")
    console.print(f"  --head {mark}", soft_wrap=True)


@ledger.command()
def limit(
    path: PATH,
    epsilon: Annotated[str | None, typer.Argument(help="The new limit; none: show it.")] = None,
    delta: DELTA = None,
    yes: YES = False,
    anchor: ANCHOR = None,
    as_json: JSON = False,
) -> None:
    """Show the limit, or set it, on record.

    What is not given stays as it is. Raising the limit weakens what was promised to the people in
    the data, so it is asked for.

    Example: privopt ledger limit loads.ledger 0.5
    """
    console = results()
    if epsilon is None and delta is None:
        with as_given(path), po.Ledger(path, read_only=True) as seen:
            if as_json:
                print_json(limit=seen.limit.to_dict(), spent=seen.spent.to_dict())
                return
            console.print(f"limit {seen.limit}; spent {seen.spent}")
        return
    with as_given(path), po.Ledger(path, anchor=anchor) as opened:
        old = opened.limit
        new = po.Budget(
            old.exact[0] if epsilon is None else epsilon, old.exact[1] if delta is None else delta
        )
        if not new.limit.within(old.limit) and not yes:
            typer.confirm(
                f"Raise the limit from {old} to {new}? That weakens the promise "
                "made to the people in the data, and stays on record.",
                abort=True,
                err=as_json,
            )
        opened.set_limit(new)
        if as_json:
            print_json(
                limit=opened.limit.to_dict(), spent=opened.spent.to_dict(), was=old.to_dict()
            )
            return
        console.print(f"limit {opened.limit}; it was {old}. On record.")
        if not opened.spent.charge.within(new.limit):
            console.print(f"{opened.spent} is spent: nothing more is released.")


@ledger.command()
def fetch(
    path: PATH,
    row: Annotated[int | None, typer.Option(help="Row of the charge; see `show`.", min=1)] = None,
    key: Annotated[str | None, typer.Option(help="Key it was released under.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write it to; else standard output.")
    ] = None,
    overwrite: OVERWRITE = False,
    as_json: JSON = False,
) -> None:
    """Get a stored release once more, to the byte. Nothing is charged and no data are read.

    A release is JSON as it is; with --json and --out, what was written is said as JSON.

    For a release that was paid for and whose file was lost, or never written. The ledger is not
    changed.

    Example: privopt ledger fetch loads.ledger --key may --out may.json
    """
    with output(out, overwrite=overwrite, inputs=[path], more="Nothing was charged.") as place:
        with as_given(path), po.Ledger(path, read_only=True) as seen:
            stored = seen.fetch(row=row, key=key)
        place.write(stored)
    if out is None:
        check_output(len(stored))
        typer.echo(stored)
        return
    if as_json:
        print_json(release=str(out), bytes=len(stored), charge={"epsilon": "0", "delta": "0"})
        return
    results().print(f"Release: [bold]{escape(str(out))}[/]. Nothing was charged.", soft_wrap=True)


@ledger.command()
def redact(
    path: PATH,
    row: Annotated[int, typer.Argument(help="Row of the charge; see `show`.", min=1)],
    yes: Annotated[bool, typer.Option("--yes", help="Blank it without asking.")] = False,
    anchor: ANCHOR = None,
    as_json: JSON = False,
) -> None:
    """Blank key, request and output of a charge, for good. The charge stays, and the chain holds.

    Example: privopt ledger redact loads.ledger 12
    """
    with as_given(path), po.Ledger(path, anchor=anchor) as opened:
        if not yes:
            typer.confirm(
                f"Blank row {row}? Its release cannot be fetched or replayed afterwards.",
                abort=True,
                err=as_json,
            )
        opened.redact(row)
    if as_json:
        print_json(redacted=row)
        return
    results().print(f"Row {row} is redacted. What it charged stays.")


def _bars(now: Event) -> list[tuple[str, str]]:
    """How much of epsilon and (if there is any) of delta is spent, as facts."""
    both = zip(("epsilon", "delta"), now.spent.exact, now.limit.exact, strict=True)
    return [
        (f"{name} spent", _bar(spent, limit))
        for name, spent, limit in both
        if name == "epsilon" or spent or limit
    ]


def _bar(spent: Fraction, limit: Fraction) -> str:
    share = min(1.0, float(spent / limit)) if limit else float(spent > 0)
    colour = "green" if share < 0.8 else "yellow" if share < 1 else "red"
    full = round(_WIDTH * share)
    return f"[{colour}]{'█' * full}[/][dim]{'░' * (_WIDTH - full)}[/] {100 * share:.0f}%"


def roles_of(store: object) -> Roles:
    """The roles of a store; refuse one that knows none."""
    from privopt.ledger.stores.protocol import Roles

    if not isinstance(store, Roles):
        raise InputError(
            "a ledger in a file knows no roles.",
            "a ledger on a server (postgresql://...).",
            "set the rights of the file, or copy the ledger to a server: privopt ledger copy.",
        )
    return store


def _head(text: str) -> Mark:
    from privopt.ledger.anchor import Mark

    mark = Mark.read(text)
    if mark is None:
        raise InputError(
            f"--head is {text!r:.80}.",
            "a row number, a colon and 64 hexadecimal digits.",
            "copy what `privopt ledger verify` printed.",
        )
    return mark
