"""Quotas: the share of one releaser, or of one purpose, beneath the limit for everything.

    spent + charge <= limit                    always, for all releases together
    spent(name) + charge <= quota(name)        for the releaser and for the purpose of the charge

Both are decided in the transaction that appends the charge, in whole units. What a dataset
promises is the limit: releasers can tell each other what they were told, so what all of them spent
adds up, and a quota divides the limit without adding to it. (Quotas alone would promise their sum,
and only for as many releasers as there are.)

Where any releaser has a quota, a charge must name a releaser that has one; likewise for purposes.
Otherwise a quota would be evaded by naming nobody. What costs nothing always fits.

The last row that names a releaser or a purpose holds what it has spent and its quota (`row.Share`),
so a charge reads one row for each. What was spent before the first quota counts too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from privopt.errors import Action, BudgetExceededError, Clause, InputError, LedgerError
from privopt.ledger import chain
from privopt.ledger.budget import Budget, Units
from privopt.ledger.form import LONGEST_NAME, is_name
from privopt.ledger.row import BY, Row, Share
from privopt.ledger.stores.protocol import Store, Transaction

__all__ = ["Names", "Quota", "allotted", "charged", "one_name", "quotas"]


@dataclass(frozen=True)
class Names:
    """Who makes a release, and what for; None where nothing was said."""

    releaser: str | None = None
    purpose: str | None = None

    def __post_init__(self) -> None:
        for by in BY:
            name = self.of(by)
            if name is not None and not is_name(name):
                raise InputError(
                    f"{by} is {name!r:.40}.",
                    f"a printable text of 1 to {LONGEST_NAME} characters.",
                    f'name the {by}, as in {by}="planning".',
                )

    def of(self, by: str) -> str | None:
        """The releaser, or the purpose."""
        return getattr(self, by)

    def known_to(self, store: Store) -> Names:
        """With the releaser that a store itself knows, where it does; refuse to be another."""
        known = store.releaser
        if known is None or known == self.releaser:
            return self
        if self.releaser is not None:
            raise LedgerError(
                f"releaser is {self.releaser!r}; {store.place} knows this user as {known!r}.",
                "the user's own name, or none.",
                f"open the ledger without releaser=, or as the user {self.releaser!r}.",
            )
        return replace(self, releaser=known)


@dataclass(frozen=True)
class Quota:
    """The share of one releaser, or of one purpose.

    Attributes
    ----------
    by, name
        "releaser" or "purpose", and which one.
    limit, spent
        The most that its releases may cost, and what they have cost.
    """

    by: str
    name: str
    limit: Budget
    spent: Budget

    @property
    def left(self) -> Budget:
        """What may still be charged under the quota, if the limit for everything allows it."""
        return self.limit.limit.minus(self.spent.charge).budget

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; amounts as exact decimals in strings."""
        amounts = {"limit": self.limit, "spent": self.spent, "left": self.left}
        return {self.by: self.name, **{name: one.to_dict() for name, one in amounts.items()}}


def one_name(names: Names) -> tuple[str, str]:
    """What a quota is for: the releaser, or the purpose, and its name; refuse both and neither."""
    given = [(by, name) for by in BY if (name := names.of(by)) is not None]
    if len(given) != 1:
        raise InputError(
            "a quota was set for both a releaser and a purpose." if given else "no name was given.",
            "one releaser, or one purpose.",
            'set_quota(Budget(1), releaser="anna").',
        )
    return given[0]


def charged(transaction: Transaction, head: Row, names: Names, charge: Units) -> dict[str, Any]:
    """What a row says of the names of its charge; refuse a charge beyond their quotas."""
    held: dict[str, Any] = {}
    for by in BY:
        name = names.of(by)
        share = Share() if name is None else _share(transaction, by, name)
        after = Share(share.spent.plus(charge), share.limit)
        if charge != (0, 0):
            if head.count(by) and after.limit is None:
                raise _without(by, name)
            if after.limit is not None and not after.spent.within(after.limit):
                raise _over(by, name, charge, share.spent, after.limit)
        if name is not None:
            held |= Row.named(by, name, after)
    return held


def allotted(
    transaction: Transaction, head: Row, by: str, name: str, limit: Units
) -> dict[str, Any]:
    """What the row of a quota says: the name, what it has spent, the quota, how many have one."""
    share = _share(transaction, by, name)
    count = head.count(by) + (share.limit is None)
    return {f"{by}s": count, **Row.named(by, name, Share(share.spent, limit))}


def quotas(transaction: Transaction) -> tuple[Quota, ...]:
    """Every quota in force, by releaser and then by purpose, in the order of their names."""
    head, found = chain.last(transaction), list[Quota]()
    for by in BY:
        for name in transaction.names(by) if head.count(by) else ():
            share = _share(transaction, by, name)
            if share.limit is not None:
                found.append(Quota(by, name, share.limit.budget, share.spent.budget))
    return tuple(found)


def _share(transaction: Transaction, by: str, name: str) -> Share:
    """What a name has spent and may spend, by the last row that names it."""
    row = chain.last_of(transaction, by, name)
    return (None if row is None else row.share(by)) or Share()


def _over(by: str, name: str | None, charge: Units, spent: Units, limit: Units) -> LedgerError:
    return BudgetExceededError(
        f"the release costs {charge.budget}, and {limit.minus(spent).budget} is left of "
        f"{limit.budget}, the quota of the {by} {name!r}. Nothing was charged or released.",
        f"a charge that fits what is left for the {by}.",
        ("ask for less (a smaller epsilon or delta)", Clause(Action.SET_QUOTA, ".")),
    )


def _without(by: str, name: str | None) -> LedgerError:
    got = f"no {by} was named" if name is None else f"the {by} {name!r} has no quota"
    return BudgetExceededError(
        f"{got}, and the ledger has quotas by {by}. Nothing was charged or released.",
        f"a {by} that has a quota.",
        (
            f"open the ledger with {by}= and a name that `ledger.quotas` lists",
            Clause(Action.SET_QUOTA, "."),
        ),
    )
