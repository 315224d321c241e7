"""What a ledger would say to a release: the same rules, without the writing.

Nothing is written to the ledger, and none is made. What the ledger would refuse is refused here,
with the same error.
"""

from __future__ import annotations

from dataclasses import dataclass

from privopt.app.job import Job
from privopt.ledger import Budget, Ledger
from privopt.ledger.opening import Given, first_row
from privopt.ledger.protocol import check_fit
from privopt.ledger.request import Request
from privopt.ledger.stores.registry import open_store

__all__ = ["Rehearsal", "rehearsed"]

_NEVER = "1970-01-01T00:00:00Z"  # the time of what is not kept


@dataclass(frozen=True, repr=False)
class Rehearsal:
    """What a release would cost, and what the ledger would hold before and after.

    Attributes
    ----------
    charge
        Of the release: nothing, where it would be replayed.
    replayed
        Whether the key was released before.
    new
        Whether the ledger would be made.
    spent, limit
        As they are now, without the charge; None where no ledger counts.
    """

    charge: Budget
    replayed: bool = False
    new: bool = False
    spent: Budget | None = None
    limit: Budget | None = None

    @property
    def left(self) -> Budget | None:
        """What may still be charged, before the release."""
        return None if self.spent is None or self.limit is None else _left(self.spent, self.limit)

    @property
    def left_after(self) -> Budget | None:
        """What may still be charged, after the release."""
        return None if self.left is None else _left(self.charge, self.left)


def rehearsed(request: Request, job: Job) -> Rehearsal:
    """What would come of a request. The ledger is only read.

    Raises
    ------
    LedgerError
        What the release itself would raise: over the budget, a key that is used, another dataset.
    """
    job.check_ledger()
    if job.ledger is None:
        return Rehearsal(request.charge)
    store = open_store(job.ledger, read_only=False, timeout=0.0)  # not opened yet
    if job.limit is not None and store.blank:
        given = Given(job.limit, job.dataset)
        first = first_row(given, job.limit, store.place, _NEVER, bytes(16))
        check_fit(first, first.subject, request)
        return Rehearsal(request.charge, False, True, first.spent.budget, first.limit.budget)
    with Ledger(job.ledger, job.limit, dataset=job.dataset, read_only=True) as seen:
        replayed = seen.rehearse(request, job.key)
        charge = Budget(0) if replayed else request.charge
        return Rehearsal(charge, replayed, False, seen.spent, seen.limit)


def _left(spent: Budget, limit: Budget) -> Budget:
    return limit.limit.minus(spent.charge).budget
