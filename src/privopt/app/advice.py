"""Advice: what a job would release, what it is worth, and whether the budget has room for it.

What is said of cost and distance is a mean over simulated measurements, SAMPLED: one worth, that of
the instrument, is behind the verdict, the table and the pictures.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privopt.app.advice_view import pictures_of, verdict_of, view_of
from privopt.claims.curve import EpsilonPoint
from privopt.claims.guarantee import Guarantee
from privopt.claims.worth import HALF, Worth
from privopt.digits import finite
from privopt.foreign import some
from privopt.kernel.instrument import Instrument
from privopt.ledger import Budget
from privopt.mechanisms.measured.decision import Decision
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.stacked import stacked
from privopt.show.result import Result
from privopt.show.view import View

__all__ = ["Advice"]

_SNAP = 1e-6  # of the largest value or bound of the domain: what solvers leave of a zero
_MANY = 10**6  # times that a charge fits: more are not counted


@dataclass(frozen=True, repr=False, eq=False)
class Advice(Result):
    """What a job would release, what it is worth, and whether the budget has room for it.

    Attributes
    ----------
    instrument
        The sums to measure, with what decisions from them come to at a few epsilons.
    decision
        What would be decided if the sums were those of the middle of the domain.
    charge
        What a measurement costs.
    spent, limit
        Of the ledger; None where the job has none.
    ledger
        Where it is.
    still
        Of the released values whose variables have no room, by name: what they are.
    other
        What the sums were chosen for, if not for this question: they were simulated anew.
    """

    instrument: Instrument
    decision: Decision
    charge: Budget
    ledger: str | None = None
    spent: Budget | None = None
    limit: Budget | None = None
    still: dict[str, float] = field(default_factory=dict[str, float])
    other: str = ""

    @property
    def worth(self) -> Worth:
        """What the values tell, each and all together, over simulated measurements."""
        return self.instrument.worth or self.decision.worth

    @property
    def measures(self) -> bool:
        """Whether anything is measured: if not, the release is a constant, and free."""
        return len(self.instrument.names) > 0 and not self.same

    @property
    def same(self) -> bool:
        """Whether the answer is the same over the whole domain."""
        return len(self.always) == len(self.decision.names)

    @property
    def always(self) -> dict[str, float]:
        """The values that are the same over the whole domain, with what they are.

        They tell nothing, and may be published without privopt: all of it is public.
        """
        own, ends = self.decision.values, self.instrument.domain
        size = max(float(np.abs(one).max(initial=0.0)) for one in (own, *ends))
        snapped = np.where(np.abs(own) <= _SNAP * size, 0.0, own)
        return {
            name: self.still.get(name, float(value))
            for name, value in zip(self.decision.names, snapped, strict=True)
            if name in self.still or name in self.worth.always
        }

    @property
    def keep(self) -> tuple[str, ...]:
        """The values that are worth releasing."""
        left = (*self.leave_out, *self.always)
        return tuple(name for name in self.decision.names if name not in left)

    @property
    def leave_out(self) -> tuple[str, ...]:
        """The values to which a constant, the mean answer, would be nearer."""
        known = self.worth.drop if self.measures else ()
        return tuple(name for name in known if name in self.decision.names)

    @property
    def left(self) -> Budget | None:
        """What may still be charged; None without a ledger."""
        if self.limit is None or self.spent is None:
            return None
        return self.limit.limit.minus(self.spent.charge).budget

    @property
    def fits(self) -> int | None:
        """How many such measurements fit what is left; None without a ledger, or if they are free.

        Counted up to a million.
        """
        left, charge = self.left, self.charge.charge
        if left is None or not any(charge) or not self.measures:
            return None
        times = [have // each for have, each in zip(left.limit, charge, strict=True) if each]
        return min(*times, _MANY)

    @property
    def half(self) -> float | None:
        """The epsilon at which half of what varies would be told, estimated; None: at none."""
        return self.worth.epsilon_for(HALF) if self.measures else None

    @property
    def verdict(self) -> str:
        """The advice in a sentence or two."""
        return verdict_of(self)

    @property
    def sums(self) -> str:
        """What is measured, in words."""
        chosen = (self.instrument.comparison or {}).get("chosen")
        named = len(self.instrument.names) == 1 or chosen in (None, "asked")
        if not named:
            return f"{chosen}"
        name = some(list(self.instrument.names), 10, count=True)
        return "the total" if name == "total" else name

    @property
    def guarantee(self) -> Guarantee:
        """What a release by this job would claim; its numbers are those at the middle."""
        return self.decision.guarantee

    def point(self, epsilon: float) -> EpsilonPoint | None:
        """What was simulated at an epsilon."""
        curve = self.instrument.curve
        points = () if curve is None else curve.points
        return next((one for one in points if one.epsilon == epsilon), None)

    def __repr__(self) -> str:
        return f"Advice({self.verdict})"

    def view(self) -> View:
        """The verdict, then what it rests on."""
        return view_of(self)

    def pictures(self) -> tuple[Picture, ...]:
        """Extra cost and distance at the epsilons that were simulated; none of fewer than two."""
        return pictures_of(self)

    def plot(self) -> Picture:
        """The pictures as one; where only one epsilon was simulated, what is measured."""
        found = self.pictures() or (self.instrument.plot(),)
        return stacked(found, "What the same sums come to", self.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        own, constant = self.point(self.instrument.privacy.epsilon), self.point(0.0)
        amounts = {name: getattr(self, name) for name in ("spent", "limit", "left")}
        return {
            "verdict": self.verdict,
            "measure": list(self.instrument.names) if self.measures else [],
            "epsilon": self.instrument.privacy.epsilon if self.measures else 0.0,
            "tells": finite(self.worth.tells),
            "epsilon_for_half": self.half,
            "epsilon_for_half_is_bound": self.half is not None and self.worth.below,
            "keep": list(self.keep),
            "leave_out": list(self.leave_out),
            "constant": self.always,
            "chosen_for": self.other,
            "loss": None if own is None else own.loss,
            "loss_of_constant": None if constant is None else constant.loss,
            "values": self.worth.to_dict(),
            "at_the_middle": self.decision.worth.to_dict(),
            "provenance": self.worth.provenance.value,
            "charge": self.charge.to_dict(),
            "ledger": self.ledger,
            "fits": self.fits,
            **{name: amount and amount.to_dict() for name, amount in amounts.items()},
        }
