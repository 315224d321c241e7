"""Quotas: the share of one releaser, beneath the limit for everything.

    spent + charge <= limit                            always, for all releases together
    spent(releaser) + charge <= quota(releaser)        for the releaser of the charge

Both are decided in the transaction that appends the charge, in whole units. What a dataset
promises is the limit: releasers can tell each other what they were told, so what all of them spent
adds up, and a quota divides the limit without adding to it. (Quotas alone would promise their sum,
and only for as many releasers as there are.)

Where any releaser has a quota, a charge must name a releaser that has one. Otherwise a quota would
be evaded by naming nobody. What costs nothing always fits.

The last row that names a releaser holds what it has spent and its quota (`row.Share`), so a charge
reads one row for it. What was spent before the first quota counts too. `verify` computes all of it
anew (`Shares`).
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from privopt.errors import Action, BudgetExceededError, Clause, InputError, LedgerError
from privopt.ledger import chain
from privopt.ledger.budget import Budget, Units
from privopt.ledger.form import LONGEST_NAME, is_name
from privopt.ledger.row import Row, Share
from privopt.ledger.stores.protocol import Store, Transaction

__all__ = [
    "REMEMBERED",
    "Quota",
    "Shares",
    "allotted",
    "charged",
    "check_releaser",
    "known_releaser",
    "quotas",
]

REMEMBERED = 2000  # releasers


@dataclass(frozen=True)
class Quota:
    """The share of one releaser.

    Attributes
    ----------
    releaser
        Whose it is.
    limit, spent
        The most that its releases may cost, and what they have cost.
    """

    releaser: str
    limit: Budget
    spent: Budget

    @property
    def left(self) -> Budget:
        """What may still be charged under the quota, if the limit for everything allows it."""
        return self.limit.limit.minus(self.spent.charge).budget

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; amounts as exact decimals in strings."""
        amounts = {"limit": self.limit, "spent": self.spent, "left": self.left}
        return {"releaser": self.releaser, **{name: b.to_dict() for name, b in amounts.items()}}


def check_releaser(name: object) -> None:
    """Refuse what is no name."""
    if not is_name(name):
        raise InputError(
            f"releaser is {name!r:.40}.",
            f"a printable text of 1 to {LONGEST_NAME} characters.",
            'name the releaser, as in releaser="anna".',
        )


def known_releaser(store: Store, given: str | None) -> str | None:
    """The releaser that a store itself knows, where it does; refuse to be another."""
    known = store.releaser
    if known is None or known == given:
        return given
    if given is not None:
        raise LedgerError(
            f"releaser is {given!r}; {store.place} knows this user as {known!r}.",
            "the user's own name, or none.",
            f"open the ledger without releaser=, or as the user {given!r}.",
        )
    return known


def charged(
    transaction: Transaction, head: Row, releaser: str | None, charge: Units
) -> dict[str, Any]:
    """What a row says of the releaser of its charge; refuse a charge beyond its quota."""
    share = Share() if releaser is None else _share(transaction, releaser)
    after = Share(share.spent.plus(charge), share.limit)
    if charge != (0, 0):
        if head.quotas and after.limit is None:
            raise _without(releaser)
        if after.limit is not None and not after.spent.within(after.limit):
            raise _over(releaser, charge, share.spent, after.limit)
    return {} if releaser is None else Row.named(releaser, after)


def allotted(transaction: Transaction, head: Row, releaser: str, limit: Units) -> dict[str, Any]:
    """What the row of a quota says: whose, what it has spent, the quota, how many have one."""
    share = _share(transaction, releaser)
    count = head.quotas + (share.limit is None)
    return {"releasers": count, **Row.named(releaser, Share(share.spent, limit))}


def quotas(transaction: Transaction) -> tuple[Quota, ...]:
    """Every quota in force, in the order of the names."""
    if not chain.last(transaction).quotas:
        return ()
    shares = {name: _share(transaction, name) for name in transaction.releasers()}
    return tuple(
        Quota(name, share.limit.budget, share.spent.budget)
        for name, share in shares.items()
        if share.limit is not None
    )


def _share(transaction: Transaction, releaser: str) -> Share:
    """What a releaser has spent and may spend, by the last row that names it."""
    row = chain.last_of(transaction, releaser)
    return (None if row is None else row.share) or Share()


class Shares:
    """Whether the shares of releasers follow from the rows before: a part of `verify`.

        spent in a row = spent in the last row before it that names the releaser, + its charge
        quota in a row = the quota there, unless this row sets it
        count in a row = the count in the row before, + 1 if this row sets a first quota

    and a charge fits. The releasers met last are remembered, so that memory does not grow with
    their number; an older one is looked up in the store, and checked like any row.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, Share] = OrderedDict()
        self._forgotten = False

    def follow(self, before: Row | None, row: Row, transaction: Transaction) -> bool:
        """Whether a row says what follows; then it is remembered."""
        count = 0 if before is None else before.quotas
        name, share = row.releaser, row.share
        if name is None or share is None:
            return row.quotas == count and _fits(row, count, Share())
        was = self._before(name, row.seq, transaction)
        self._remember(name, share)
        if row.kind == "quota":
            return share.spent == was.spent and row.quotas == count + (was.limit is None)
        follows = share == Share(was.spent.plus(row.charge), was.limit)
        return follows and row.quotas == count and _fits(row, count, share)

    def _before(self, name: str, seq: int, transaction: Transaction) -> Share:
        known = self._known.pop(name, None)
        if known is None and self._forgotten:
            row = chain.last_of(transaction, name, seq)
            known = None if row is None else row.share
        return known or Share()

    def _remember(self, name: str, share: Share) -> None:
        self._known[name] = share
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
            self._forgotten = True


def _fits(row: Row, count: int, share: Share) -> bool:
    """Whether a charge is within the quota of its releaser, which it needs where any has one."""
    if row.charge == (0, 0):
        return True
    return share.spent.within(share.limit) if share.limit is not None else not count


def _over(releaser: str | None, charge: Units, spent: Units, limit: Units) -> LedgerError:
    return BudgetExceededError(
        f"the release costs {charge.budget}, and {limit.minus(spent).budget} is left of "
        f"{limit.budget}, the quota of the releaser {releaser!r}. Nothing was charged or released.",
        "a charge that fits what is left for the releaser.",
        ("ask for less (a smaller epsilon or delta)", Clause(Action.SET_QUOTA, ".")),
    )


def _without(releaser: str | None) -> LedgerError:
    got = "no releaser was named" if releaser is None else f"the releaser {releaser!r} has no quota"
    return BudgetExceededError(
        f"{got}, and the ledger has quotas. Nothing was charged or released.",
        "a releaser that has a quota.",
        (
            "open the ledger with releaser= and a name that `ledger.quotas` lists",
            Clause(Action.SET_QUOTA, "."),
        ),
    )
