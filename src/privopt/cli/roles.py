"""`privopt ledger grant` and `revoke`: who may charge a ledger on a server, and who may look."""

from __future__ import annotations

from typing import Annotated

import typer

import privopt as po
from privopt.cli.ledger import PATH, READERS, RELEASERS, roles_of
from privopt.cli.streams import JSON, as_given, escape, print_json, results

__all__ = ["grant", "revoke"]


def grant(
    path: PATH, releaser: RELEASERS = None, reader: READERS = None, as_json: JSON = False
) -> None:
    """Let roles of the server charge a ledger (releasers) or look at it (readers); none: show them.

    The roles must exist. Only the owner of the ledger, who made it, gives rights.

    Example: privopt ledger grant 'postgresql://olga@db/power?ledger=loads' --releaser anna
    """
    change = bool(releaser or reader)
    with as_given(path), po.Ledger(path, read_only=not change) as opened:
        if change:
            roles_of(opened.store).grant(releaser or [], reader or [])
        _show(roles_of(opened.store).roles(), as_json=as_json)


def revoke(
    path: PATH,
    role: Annotated[list[str], typer.Argument(help="Roles that may do nothing any more.")],
    as_json: JSON = False,
) -> None:
    """Take all rights to a ledger from roles. What they charged stays.

    Example: privopt ledger revoke 'postgresql://olga@db/power?ledger=loads' anna
    """
    with as_given(path), po.Ledger(path) as opened:
        roles_of(opened.store).revoke(role)
        _show(roles_of(opened.store).roles(), as_json=as_json)


def _show(roles: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        print_json(roles=roles)
        return
    console = results()
    for name, what in roles.items():
        console.print(f"{escape(name)}: {what}", soft_wrap=True)
    if not roles:
        console.print("no roles but the owner's")
