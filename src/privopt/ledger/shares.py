"""Whether the shares of releasers and purposes follow from the rows before: a part of `verify`.

    spent(name) in a row = spent(name) in the last row before it that has the name, + its charge
    quota(name) in a row = the quota there, unless this row sets it
    count in a row       = the count in the row before, + 1 if this row sets a first quota

and a charge fits: whatever costs something, where quotas exist, names one and is within it.

The names met last are remembered, so that memory does not grow with the number of names; an older
one is looked up in the store, and checked like any row.
"""

from __future__ import annotations

from collections import OrderedDict

from privopt.ledger import chain
from privopt.ledger.row import BY, Row, Share
from privopt.ledger.stores.protocol import Transaction

__all__ = ["MOST", "Shares"]

MOST = 2000  # names that are remembered


class Shares:
    """The shares of names, by the rows seen so far."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], Share] = OrderedDict()
        self._forgotten = False

    def follow(self, before: Row | None, row: Row, transaction: Transaction) -> bool:
        """Whether a row says what follows; then it is remembered."""
        return all(self._follows(before, row, by, transaction) for by in BY)

    def _follows(self, before: Row | None, row: Row, by: str, transaction: Transaction) -> bool:
        count = 0 if before is None else before.count(by)
        name, share = row.name(by), row.share(by)
        if name is None or share is None:
            return row.count(by) == count and _fits(row, count, Share())
        was = self._before(by, name, row.seq, transaction)
        self._remember(by, name, share)
        if row.kind == "quota":
            new = was.limit is None
            return share.spent == was.spent and row.count(by) == count + new
        follows = share == Share(was.spent.plus(row.charge), was.limit)
        return follows and row.count(by) == count and _fits(row, count, share)

    def _before(self, by: str, name: str, seq: int, transaction: Transaction) -> Share:
        known = self._known.pop((by, name), None)
        if known is None and self._forgotten:
            row = chain.last_of(transaction, by, name, seq)
            known = None if row is None else row.share(by)
        return known or Share()

    def _remember(self, by: str, name: str, share: Share) -> None:
        self._known[by, name] = share
        if len(self._known) > MOST:
            self._known.popitem(last=False)
            self._forgotten = True


def _fits(row: Row, count: int, share: Share) -> bool:
    """Whether a charge is within the quota of its name, which it needs where any name has one."""
    if row.charge == (0, 0):
        return True
    return share.spent.within(share.limit) if share.limit is not None else not count
