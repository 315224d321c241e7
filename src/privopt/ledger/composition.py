"""Composition: what the recorded charges amount to together, by a tighter rule than their sum.

    basic    epsilon_1 + epsilon_2 + ...             at delta_1 + delta_2 + ... and above
    tight    smallest epsilon with delta(epsilon)    at any delta; delta(epsilon) is that of the sum
             <= delta                                of the privacy losses (`loss`)

The ledger charges and refuses by the first. The second is a report: it changes nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

from privopt.digits import exactly, up
from privopt.errors import InputError
from privopt.ledger import loss
from privopt.ledger.budget import Budget, decimal
from privopt.ledger.events import Event
from privopt.ledger.ledger import Ledger
from privopt.ledger.loss import distance, kind_of, loss_of
from privopt.scalars import real
from privopt.show.pictures.bars import bars
from privopt.show.pictures.picture import Picture
from privopt.show.result import Result
from privopt.show.view import Fact, Table, View

__all__ = ["Composition", "compose"]

ALWAYS = (
    "the ledger decides by the sum of the charges; this report changes neither limit nor charges",
    "all releases concern the same data and the same neighbours, and none was made outside of this "
    "ledger",
    "every charge counts, also one without output",
)
TIGHT = (
    "how many releases were made, and with what noise, was not decided by looking at earlier ones "
    "(the sum holds also then)",
    "losses are rounded to a grid such that epsilon can only grow, and a little of delta (1e-12, "
    "and 1e-15 for each charge) is kept for the rounding of floating point",
)
_RULES = ("by privacy loss distributions", "by adding up")
_APART = "the distance of {} noise on its grid from the continuous law is taken off delta"


@dataclass(frozen=True, repr=False)
class Composition(Result):
    """What all charges of a ledger amount to at one delta.

    Attributes
    ----------
    dataset, delta
        Which data, and at which delta.
    tight, basic
        Epsilon by privacy loss distributions, and by adding up; infinite where the rule gives none
        at this delta.
    spent
        The sums, exactly: what the ledger counts.
    events
        Number of charges of each kind; "as charged" are those of which only the charged epsilon
        and delta are used.
    unfinished
        How many of them have no output.
    assumptions
        What must hold, in sentences.
    """

    dataset: str
    delta: float
    tight: float
    basic: float
    spent: Budget
    events: dict[str, int]
    unfinished: int
    assumptions: tuple[str, ...]

    @property
    def epsilon(self) -> float:
        """The smaller of both: all releases together are (epsilon, delta)-private."""
        return min(self.tight, self.basic)

    def __repr__(self) -> str:
        return (
            f"Composition({self.dataset!r}, {sum(self.events.values())} charges: epsilon "
            f"{_shown(self.epsilon)} at delta={exactly(self.delta)}; added up {self.spent})"
        )

    def view(self) -> View:
        """Epsilon by each rule, and what must hold."""
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.events.items()) or "none"
        return View(
            f"Ledger of {self.dataset}, all charges together at delta = {exactly(self.delta)}: "
            f"epsilon {_shown(self.epsilon)}",
            Table("rule", _RULES, {"epsilon": [_shown(self.tight), _shown(self.basic)]}),
            (
                Fact("charges", f"{kinds}; {self.unfinished} without output"),
                Fact("spent", f"{self.spent}, as the ledger counts"),
            ),
            ("Assuming that", *(f"  - {one}" for one in self.assumptions)),
        )

    def to_pandas(self) -> Any:  # noqa: ANN401 -- pandas is optional
        """Epsilon by each rule; infinite where the rule gives none at this delta."""
        return Table("rule", _RULES, {"epsilon": [self.tight, self.basic]}).to_pandas()

    def plot(self) -> Picture:
        """Epsilon by each rule."""
        known = [
            (rule, epsilon)
            for rule, epsilon in zip(_RULES, (self.tight, self.basic), strict=True)
            if math.isfinite(epsilon)
        ]
        return bars(
            [rule for rule, _ in known],
            [epsilon for _, epsilon in known],
            f"Ledger of {self.dataset}, all {sum(self.events.values())} charges together",
            f"At delta = {exactly(self.delta)}.",
            "epsilon",
            [_shown(epsilon) for _, epsilon in known],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; None where a rule gives no epsilon."""
        epsilons = {"epsilon": self.epsilon, "tight": self.tight, "basic": self.basic}
        return {
            "dataset": self.dataset,
            "delta": self.delta,
            **{name: e if math.isfinite(e) else None for name, e in epsilons.items()},
            "spent": self.spent.to_dict(),
            "events": dict(self.events),
            "unfinished": self.unfinished,
            "assumptions": list(self.assumptions),
        }


def compose(ledger: Ledger, delta: float | None = None) -> Composition:
    """All charges of a ledger together, at one delta. A report: the ledger does not use it.

    Parameters
    ----------
    ledger
        The ledger; one opened with `read_only=True` will do.
    delta
        Chance that the promise fails, well below one over the number of people; the delta of the
        ledger's limit unless given. At delta = 0 nothing is tighter than the sum.
    """
    if not isinstance(ledger, Ledger):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"ledger is a {type(ledger).__name__}.", "a Ledger.", "pass privopt.Ledger(path)."
        )
    charges = [event for event in ledger.events if event.kind == "charge"]
    spent = charges[-1].spent if charges else Budget(0)
    if delta is None:
        exact, delta = ledger.limit.exact[1], ledger.limit.delta
    else:
        needed, remedy = "a number from 0 to below 1.", "1e-6 is common."
        delta = real(delta, "delta", needed, remedy, low=0.0, high=1.0, open_high=True)
        exact = decimal(delta) or 0
    tight = 0.0 if spent == Budget(0) else _tight(charges, delta)
    return Composition(
        dataset=ledger.dataset,
        delta=delta,
        tight=tight,
        basic=spent.epsilon if spent.exact[1] <= exact else math.inf,
        spent=spent,
        events=dict(sorted(Counter(kind_of(event) for event in charges).items())),
        unfinished=sum(not event.released for event in charges),
        assumptions=(*ALWAYS, *_provenance(charges), *(_precision(charges) if tight else ())),
    )


def _tight(charges: list[Event], delta: float) -> float:
    stands = (loss_of(event) for event in charges)
    losses = Counter(one for one in stands if one is not None)
    apart = sum(distance(event) for event in charges)
    found = loss.epsilon(losses, delta)
    if not apart or not math.isfinite(found):
        return found
    # Room for t (1 + exp(epsilon)), if epsilon grows by no more than one for it.
    moved = loss.epsilon(losses, delta - apart * (1 + math.exp(found + 1)))
    return moved if moved <= found + 1 else math.inf


def _provenance(charges: list[Event]) -> tuple[str, ...]:
    claimed = sum(
        event.request is None or event.request.provenance != "PROVEN" for event in charges
    )
    if not claimed:
        return ()
    return (
        f"{claimed} of {len(charges)} charges are as private as claimed: that is assumed or "
        "sampled, not proven",
    )


def _precision(charges: list[Event]) -> tuple[str, ...]:
    apart = dict.fromkeys(kind_of(event) for event in charges if distance(event))
    return (*TIGHT, *(_APART.format(kind) for kind in apart))


def _shown(epsilon: float) -> str:
    return up(epsilon, 6) if math.isfinite(epsilon) else "none"
