"""What a ledger would say to a release: the same rules, without the writing.

Nothing is written to the ledger, and none is made. What the ledger would refuse is refused here,
with the same error. All of it is public: it depends on no private value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from privopt.app.job import Job
from privopt.app.preparing import Prepared
from privopt.claims.units import UnitLabels
from privopt.claims.worth import Worth
from privopt.digits import exactly
from privopt.ledger import Budget
from privopt.ledger.anchor import Anchor
from privopt.ledger.opening import Given, first_row
from privopt.ledger.protocol import check_fit
from privopt.ledger.request import Request, words_of
from privopt.ledger.stores.registry import open_store, shown_as
from privopt.ledger.writing import check_gone
from privopt.show.units import counted_in, unit_facts
from privopt.show.view import Fact, View
from privopt.show.worth import AT_MIDDLE, worth_facts

__all__ = ["Rehearsal", "rehearsed"]

_NEVER = "1970-01-01T00:00:00Z"  # the time of what is not kept


@dataclass(frozen=True, repr=False)
class Rehearsal:
    """What a release would cost, and what the ledger would hold before and after.

    Attributes
    ----------
    request, job, poor, worth
        What would be charged, by which job, what is worth knowing before it is paid for, and what
        the values would tell.
    charge
        Of the release: nothing, where it would be replayed.
    replayed, new
        Whether the key was released before, and whether the ledger would be made.
    spent, limit
        As they are now, without the charge; None where no ledger counts.
    units
        Of alpha and of the values, if the program has one.
    """

    request: Request
    job: Job
    poor: tuple[str, ...]
    worth: Worth | None
    charge: Budget
    replayed: bool = False
    new: bool = False
    spent: Budget | None = None
    limit: Budget | None = None
    units: UnitLabels | None = None

    @property
    def left(self) -> Budget | None:
        """What may still be charged, before the release."""
        return None if self.spent is None or self.limit is None else _left(self.spent, self.limit)

    @property
    def left_after(self) -> Budget | None:
        """What may still be charged, after the release."""
        return None if self.left is None else _left(self.charge, self.left)

    def view(self) -> View:
        """What would be charged, by what, and what the ledger would have left."""
        asked = self.request
        hidden = f"changes up to {counted_in(exactly(asked.alpha), self.units)}"
        if asked.relation:
            unit = "" if self.units is None else self.units.data
            hidden = words_of(asked.relation, asked.alpha, unit)
        charge = f"{self.charge}, for {hidden}"
        if self.replayed:
            charge = f"nothing: {self.job.key!r} was released before and would be replayed"
        made = f"{self.request.mechanism}, privacy {self.request.provenance}"
        facts = [Fact("would charge", charge), Fact("made by", made)]
        over = AT_MIDDLE if self.request.mechanism == "measurement" else ""
        facts += [*unit_facts(self.units), *worth_facts(self.worth, self.units, over)]
        if self.job.ledger is None:
            facts.append(Fact("ledger", "none: nothing would count it"))
        else:
            new = " (would be made)" if self.new else ""
            facts += [
                Fact("ledger", f"{shown_as(self.job.ledger)}{new}"),
                Fact("now", f"spent {self.spent} of {self.limit}: {self.left} left"),
                Fact("after it", f"{self.left_after} left"),
            ]
        return View("Dry run: nothing was charged or released", facts=tuple(facts))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        amounts = {name: getattr(self, name) for name in ("limit", "spent", "left", "left_after")}
        return {
            "dry_run": True,
            "mechanism": self.request.mechanism,
            "privacy": self.request.provenance,
            "charge": self.charge.to_dict(),
            "alpha": self.request.alpha,
            **({} if self.units is None else {"unit": self.units.data}),
            "replayed": self.replayed,
            "ledger": self.job.ledger and shown_as(self.job.ledger),
            "new": self.new,
            "warnings": list(self.poor),
            "worth": None if self.worth is None else self.worth.to_dict(),
            **{name: amount and amount.to_dict() for name, amount in amounts.items()},
        }


def rehearsed(ready: Prepared[Any], job: Job) -> Rehearsal:
    """What would come of a prepared release. The ledger is only read.

    What the release would raise is raised: over the budget, a key that is used, another dataset.
    """
    return replace(_rehearsed(ready, job), units=ready.units)


def _rehearsed(ready: Prepared[Any], job: Job) -> Rehearsal:
    job.check_ledger()
    request = ready.request
    if job.ledger is None:
        return Rehearsal(request, job, ready.poor, ready.worth, request.charge)
    store = open_store(job.ledger, read_only=False, timeout=0.0)  # not opened yet
    if job.limit is not None and store.blank:
        if job.anchor is not None:
            anchor = Anchor(job.anchor.path)
            check_gone(store, anchor.look(), anchor.place)
        given = Given(job.limit, job.dataset)
        first = first_row(given, job.limit, store.name, _NEVER, bytes(16))
        check_fit(first, first.subject, request)
        state = (request.charge, False, True, first.spent.budget, first.limit.budget)
        return Rehearsal(request, job, ready.poor, ready.worth, *state)
    with job.ledger_at(job.ledger, read_only=True) as seen:
        replayed = seen.rehearse(request, job.key)
        charge = Budget(0) if replayed else request.charge
        return Rehearsal(
            request, job, ready.poor, ready.worth, charge, replayed, False, seen.spent, seen.limit
        )


def _left(spent: Budget, limit: Budget) -> Budget:
    return limit.limit.minus(spent.charge).budget
