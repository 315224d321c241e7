"""Advice on a job: what to measure, which values to release, what that costs, and if it fits.

    advise(job)      the instrument of the job, simulated         which sums and epsilon, what cost
                     the decision at the middle of the domain     which values are worth releasing
                     the ledger, if the job has one               how often that fits what is left

Everything here is public: no private data are read, nothing is charged, and a ledger is only read.
What is said of cost and distance is a mean over public draws, SAMPLED.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from privopt.app.job import Job, needed
from privopt.app.making import instrument_of
from privopt.app.measuring import tried
from privopt.claims.curve import EpsilonPoint
from privopt.claims.guarantee import Guarantee
from privopt.claims.worth import HALF, Worth, tells_words
from privopt.digits import exactly, finite, up
from privopt.foreign import some
from privopt.kernel.instrument import Instrument
from privopt.ledger import Budget, Ledger
from privopt.ledger.stores.registry import exists
from privopt.mechanisms.measured.decision import Decision
from privopt.mechanisms.measured.epsilons import simulate_instrument
from privopt.show.comparison import curve_table
from privopt.show.pictures.curve import curve
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.stacked import stacked
from privopt.show.result import Result
from privopt.show.units import axis, unit_column, unit_facts
from privopt.show.view import Fact, Table, View
from privopt.show.worth import narrow_words, what_would_do

__all__ = ["Advice", "advise"]

_COST = (
    "Expected extra cost, once the rest is optimised again. Dashed: the constant, which costs no "
    "epsilon."
)
_FAR = (
    "Expected distance of the values from the answer without privacy. Above the line of the mean "
    "answer, values tell nothing."
)
_LITTLE = 0.1  # of what varies: less is little for its price
_FEW = 3  # values that are named
_EACH = (
    "Off by: how far a value lies from the non-private answer, if the sums are those of the middle "
    "of the domain (root mean square over public draws); constant: how far the mean answer does, "
    "which costs no epsilon. All else here is a mean over simulated measurements."
)
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
    """

    instrument: Instrument
    decision: Decision
    charge: Budget
    ledger: str | None = None
    spent: Budget | None = None
    limit: Budget | None = None

    @property
    def worth(self) -> Worth:
        """What all values together tell, over simulated measurements."""
        return self.instrument.worth or self.decision.worth

    @property
    def measures(self) -> bool:
        """Whether anything is measured: if not, the release is a constant, and free."""
        return len(self.instrument.names) > 0

    @property
    def keep(self) -> tuple[str, ...]:
        """The values that are worth releasing."""
        return tuple(name for name in self.decision.names if name not in self.leave_out)

    @property
    def leave_out(self) -> tuple[str, ...]:
        """The values to which a constant, the mean answer, would be nearer."""
        return self.decision.worth.drop if self.measures else ()

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
        if left is None or not any(charge):
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
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        worth, all_of = self.worth, len(self.decision.names)
        if not self.measures:
            yield (
                "Release the constant: it costs no epsilon, and no sum that was tried leads to a "
                "cheaper decision."
            )
            return
        epsilon = exactly(self.instrument.privacy.epsilon)
        if not worth.tells >= _LITTLE:
            yield f"Do not spend epsilon {epsilon} on this: the values would tell {worth.verdict}."
            yield what_would_do(worth)
            return
        what = _listed(self.keep) if all_of <= _FEW or self.leave_out else f"all {all_of} values"
        if self.leave_out and self.keep:
            what += f", and leave out {_listed(self.leave_out)}"
        told = f"tells {tells_words(worth.tells)} of what varies in the answers"
        yield f"Measure {self._sums} at epsilon {epsilon}, and release {what}: that {told}."
        if self.fits == 0:
            yield f"It does not fit what is left of the budget, {self.left}."

    @property
    def _sums(self) -> str:
        chosen = (self.instrument.comparison or {}).get("chosen")
        named = len(self.instrument.names) == 1 or chosen in (None, "asked")
        if not named:
            return f"{chosen}"
        name = _listed(self.instrument.names)
        return "the total" if name == "total" else name

    @property
    def guarantee(self) -> Guarantee:
        """What a release by this job would claim; its numbers are those at the middle."""
        return self.decision.guarantee

    def __repr__(self) -> str:
        return f"Advice({self.verdict})"

    def view(self) -> View:
        """The verdict, then what it rests on."""
        table, curve = self.instrument.table, self.instrument.curve
        own, units = self.decision.worth, self.decision.units
        sums = self.instrument.view().table
        narrow = self.worth.narrow or own.narrow
        left_out = ["no" if name in self.leave_out else "yes" for name in self.decision.names]
        columns = {
            "release": left_out,
            "off by": own.errors.tolist(),
            "constant": own.spreads.tolist(),
            **unit_column(units, len(self.decision.names)),
        }
        return View(
            "Advice",
            Table("value", self.decision.names, columns, "each value, at the middle of the domain"),
            tuple(self._facts()),
            (_EACH,),
            self.guarantee.in_units(units),
            (narrow_words(narrow),) if narrow else (),
            lead=self.verdict,
            more=tuple(
                one
                for one in (
                    sums if len(sums) else None,
                    table if table is not None and len(table) > 1 else None,
                    None if curve is None else curve_table(curve),
                )
                if one is not None
            ),
        )

    def _facts(self) -> Iterator[Fact]:
        epsilon, worth = self.instrument.privacy.epsilon, self.worth
        yield Fact("verdict", self.verdict)
        if self.measures:
            count = len(self.instrument.names)
            many = "1 sum" if count == 1 else f"{count} sums"
            yield Fact("measure", f"{self._sums} ({many} of the private data)", many, "to measure")
            odds = up(math.exp(min(epsilon, 700.0)), 3)
            yield Fact(
                "epsilon",
                f"{exactly(epsilon)}: the odds of any conclusion about one of those who are "
                f"protected change by a factor of at most {odds}",
                exactly(epsilon),
                f"epsilon: odds change by a factor of at most {odds}",
            )
        else:
            yield Fact("measure", "nothing: the release is a constant")
        told = tells_words(worth.tells) if self.measures and worth.varies else "nothing"
        yield Fact("tells", worth.verdict, told, "of what varies in the answers is told")
        yield from unit_facts(self.decision.units)
        if self.half is not None:
            yield Fact("half is told", f"at about epsilon {up(self.half, 2)} (SAMPLED)")
        if self.leave_out:
            yield Fact("leave out", f"{_listed(self.leave_out)}: a constant would be nearer")
        yield from self._costs()
        yield from self._budget()

    def _costs(self) -> Iterator[Fact]:
        own, constant = self._point(self.instrument.privacy.epsilon), self._point(0.0)
        if own is not None and own.loss is not None and self.measures:
            error = "" if own.loss_error is None else f" +- {100 * own.loss_error:.2g}"
            yield Fact(
                "extra cost",
                f"{100 * own.loss:.3g}%{error}, once the rest is optimised again (SAMPLED)",
                f"{100 * own.loss:.3g}%",
                "expected extra cost",
            )
        if constant is not None and constant.loss is not None:
            yield Fact("a constant", f"{100 * constant.loss:.3g}% extra cost, and no epsilon")
        elif constant is not None:
            yield Fact("a constant", "none can be completed for all data of the domain")

    def _budget(self) -> Iterator[Fact]:
        if self.ledger is None:
            yield Fact("budget", "not known: the job has no ledger")
            return
        yield Fact("budget", f"{self.left} left of {self.limit} ({self.ledger})")
        fits = self.fits
        if fits is not None:
            times = "once" if fits == 1 else f"{fits} times" if fits else "not at all"
            yield Fact("fits", f"{times}, at {self.charge}", str(fits), "times it fits the budget")

    def _point(self, epsilon: float) -> EpsilonPoint | None:
        curve = self.instrument.curve
        points = () if curve is None else curve.points
        return next((one for one in points if one.epsilon == epsilon), None)

    def pictures(self) -> tuple[Picture, ...]:
        """Extra cost and distance at the epsilons that were simulated; none of fewer than two."""
        line = self.instrument.curve
        points = [] if line is None else [one for one in line.points if one.epsilon > 0]
        still = None if line is None else next((p for p in line.points if p.epsilon == 0), None)
        if len(points) < 2:
            return ()
        losses = [(one.epsilon, None if one.loss is None else 100 * one.loss) for one in points]
        constant = None if still is None or still.loss is None else 100 * still.loss
        return (
            curve(losses, "epsilon", "extra cost, %", [("the constant", constant)],
                  name="Cost by epsilon", caption=_COST),
            curve([(one.epsilon, one.distance) for one in points], "epsilon",
                  axis("distance", self.decision.units),
                  [("", None), ("the mean answer", self.worth.spread)], name="Distance by epsilon",
                  caption=_FAR, ink="box"),
        )  # fmt: skip

    def plot(self) -> Picture:
        """The pictures as one; where only one epsilon was simulated, what is measured."""
        found = self.pictures() or (self.instrument.plot(),)
        return stacked(found, "What the same sums come to", self.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        own, constant = self._point(self.instrument.privacy.epsilon), self._point(0.0)
        amounts = {name: getattr(self, name) for name in ("spent", "limit", "left")}
        return {
            "verdict": self.verdict,
            "measure": list(self.instrument.names),
            "epsilon": self.instrument.privacy.epsilon if self.measures else 0.0,
            "tells": finite(self.worth.tells),
            "epsilon_for_half": self.half,
            "keep": list(self.keep),
            "leave_out": list(self.leave_out),
            "loss": None if own is None else own.loss,
            "loss_of_constant": None if constant is None else constant.loss,
            "values": self.decision.worth.to_dict(),
            "provenance": self.worth.provenance.value,
            "charge": self.charge.to_dict(),
            "ledger": self.ledger,
            "fits": self.fits,
            **{name: amount and amount.to_dict() for name, amount in amounts.items()},
        }


def advise(job: Job, progress: Callable[[int, int], None] | None = None) -> Advice:
    """Advice on a job; `progress` is called with simulated decisions, done and in all.

    Sums that the job names are simulated as they are; where it says "choose", the best of many are
    found (or, if the job holds an instrument that was chosen before, that one is taken).
    """
    instrument = instrument_of(job, progress)
    if instrument.curve is None:
        source = needed(job.source, "program", "--network 14_ieee")
        instrument = simulate_instrument(
            source.designable,
            needed(job.query, "query", "--identity 'p[1]'"),
            instrument,
            needed(job.feasibility, "feasibility", "--feasibility exact-box --eta 0.05"),
            fidelity=job.fidelity if isinstance(job.fidelity, float) else 0.0,
            balance=job.balance,
            rng=job.seed,
            settings=job.settings,
            progress=progress,
        )
    kernel = instrument.kernel
    charge = Budget(0)
    if instrument.calibration is not None:
        charge = kernel.request(kernel.identity or ("", "")).charge
    return Advice(instrument, tried(job, instrument), charge, *_budget(job))


def _budget(job: Job) -> tuple[str | None, Budget | None, Budget | None]:
    """The ledger of a job, what is spent and the limit; of one that is not made yet, its limit."""
    if job.ledger is None:
        return None, None, None
    if not exists(job.ledger):
        return job.ledger, Budget(0), job.limit
    with Ledger(job.ledger, job.limit, dataset=job.dataset, read_only=True) as seen:
        return job.ledger, seen.spent, seen.limit


def _listed(names: tuple[str, ...]) -> str:
    return some(list(names), 10, count=len(names) > 10)
