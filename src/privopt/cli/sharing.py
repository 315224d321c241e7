"""`privopt ledger quota`, `anchor` and `copy`: who may spend, and what keeps copies apart."""

from __future__ import annotations

from typing import Annotated

import typer

import privopt as po
from privopt.cli.ledger import DELTA, PATH, YES
from privopt.cli.streams import JSON, as_given, chatter, escape, named, print_json, results
from privopt.errors import InputError

__all__ = ["anchor", "copy", "quota"]

KEPT = Annotated[
    str | None,
    typer.Option(
        "--anchor",
        metavar="ANCHOR",
        help="Where the ledger's head is kept: a file, or ROW:DIGEST.",
    ),
]


def quota(
    path: PATH,
    epsilon: Annotated[str | None, typer.Argument(help="The quota; none: show them.")] = None,
    delta: DELTA = None,
    releaser: Annotated[str | None, typer.Option(help="Whose quota it is.")] = None,
    yes: YES = False,
    kept: KEPT = None,
    as_json: JSON = False,
) -> None:
    """Show the quotas, or set that of one releaser, on record.

    A charge must fit the limit and the quota of its releaser. From the first quota on, every charge
    must name a releaser that has one. Delta is 0 unless it is given, or stays as it was. Raising a
    quota is asked for.

    Example: privopt ledger quota loads.ledger 0.5 --releaser anna
    """
    if epsilon is None and delta is None:
        with as_given(path), po.Ledger(path, read_only=True, anchor=kept) as seen:
            _show(seen, as_json=as_json)
        return
    if releaser is None:
        raise InputError("no releaser was named.", "whose quota it is.", "--releaser anna.")
    with as_given(path), po.Ledger(path, anchor=kept) as opened:
        old = next((one.limit for one in opened.quotas if one.releaser == releaser), None)
        exact = (0, 0) if old is None else old.exact
        new = po.Budget(
            exact[0] if epsilon is None else epsilon, exact[1] if delta is None else delta
        )
        raised = old is not None and not new.limit.within(old.limit)
        if raised and not yes:
            typer.confirm(
                f"Raise the quota of {escape(releaser)} from {old} to {new}? That stays "
                "on record; the limit for everything still decides.",
                abort=True,
                err=as_json,
            )
        opened.set_quota(new, releaser=releaser)
        _show(opened, as_json=as_json)


def _show(seen: po.Ledger, *, as_json: bool) -> None:
    if as_json:
        print_json(
            limit=seen.limit.to_dict(),
            spent=seen.spent.to_dict(),
            quotas=[one.to_dict() for one in seen.quotas],
        )
        return
    console = results()
    console.print(f"limit {seen.limit}; spent {seen.spent}")
    for one in seen.quotas:
        amounts = f"quota {one.limit}; spent {one.spent}; left {one.left}"
        console.print(f"releaser {escape(one.releaser)}: {amounts}", soft_wrap=True)
    if not seen.quotas:
        console.print("no quotas")


def anchor(
    path: PATH,
    to: Annotated[
        str | None,
        typer.Argument(metavar="ANCHOR", help="File to keep the head in; none: print it."),
    ] = None,
    as_json: JSON = False,
) -> None:
    """Print the head of a ledger, or begin an anchor that keeps it. The ledger is not changed.

    An anchor that is there is brought to the head; one that is ahead of the ledger, or of another
    ledger, is refused and stays. Give it to later commands with --anchor.

    Example: privopt ledger anchor loads.ledger /mnt/other/loads.anchor
    """
    with as_given(path), po.Ledger(path, read_only=True) as seen:
        row, digest = seen.head if to is None else seen.anchor_at(to)
    head = f"{row}:{digest}"
    if as_json:
        print_json(head=head, anchor=to and named(to))
        return
    if to is None:
        typer.echo(head)
        return
    results().print(
        f"{escape(named(to))} keeps the head: row {row}. Use it with --anchor.", soft_wrap=True
    )


def copy(
    path: PATH,
    to: Annotated[
        str, typer.Argument(metavar="TO", help="Where to: a file, or the address of a store.")
    ],
    close: Annotated[
        bool, typer.Option("--close", help="Close the old ledger: only the copy is charged.")
    ] = False,
    kept: KEPT = None,
    as_json: JSON = False,
) -> None:
    """Copy a ledger to another file or store; every row, its digest and the head are kept.

    Both are checked as a whole. Nothing may be there yet, and an interrupted copy leaves no ledger.

    A copy must not be charged beside its original: each would count alone. To move a ledger, use
    --close: the old one then says where it goes on, and can only be looked at.

    Example: privopt ledger copy loads.ledger archive/loads.ledger --close
    """
    with as_given(path), po.Ledger(path, read_only=not close, anchor=kept) as source:
        made = source.copy(to, close=close)
    with made:
        (row, digest), spent = made.head, made.spent
    if as_json:
        print_json(copy=named(to), closed=close, head=f"{row}:{digest}", spent=spent.to_dict())
        return
    results().print(f"{escape(named(to))}: {row} rows, spent {spent}, head", soft_wrap=True)
    results().print(f"  {row}:{digest}", soft_wrap=True)
    if close:
        results().print(f"{escape(named(path))} is closed: it goes on there.", soft_wrap=True)
    else:
        chatter().print(
            f"[yellow]Charge only one of the two[/]: {escape(named(path))} does not know of its "
            "copy. To move a ledger, use --close.",
            soft_wrap=True,
        )
