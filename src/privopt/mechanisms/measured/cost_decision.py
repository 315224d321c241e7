"""A decision about the optimal cost: its mean, and an interval that holds it. Public.

    V(u) = min { c(z) : A z <= b,  G z = d(u),  cones }            lower <= V(u) <= upper on U(y)

Everything here is a function of y and public data, so it adds nothing to what the measurement cost.
What is proven, for every d of the domain: P(an interval is stated and V(d) lies outside) <= eta,
over the noise of the measurement. `check()` finds both ends again in exact fractions and sums that
are rounded outwards, without a solver.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from privopt.claims.estimate import MeanEstimate, estimate_to_dict, mean_from_dict
from privopt.claims.guarantee import Guarantee
from privopt.claims.terms import IntervalTerms
from privopt.claims.units import UnitLabels
from privopt.claims.worth import Worth
from privopt.claims.worth_file import worth_from_dict, worth_to_dict
from privopt.errors import InputError
from privopt.feasibility.always import Always
from privopt.feasibility.exact_box import ExactBox
from privopt.kernel.measurement import Measurement
from privopt.kernel.release import Release
from privopt.kernel.wire import Public
from privopt.mechanisms.measured import cost_view
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.claiming import guaranteed_cost
from privopt.mechanisms.measured.cost_certificate import CostCertificate
from privopt.mechanisms.measured.telling import narrow_of
from privopt.model.program import ConvexProgram
from privopt.model.program_file import program_from_dict, program_to_dict
from privopt.plain import listed, number
from privopt.show.pictures.picture import Picture
from privopt.show.result import Result
from privopt.show.view import View

__all__ = ["NAMES", "CostDecision"]

NAMES = ("cost",)


@dataclass(frozen=True, repr=False, eq=False)
class CostDecision(Public, Result):
    """The optimal cost, decided from measurements.

    Attributes
    ----------
    estimate
        Mean of the optimal cost over draws of the private data after the measurement, cut to U(y).
    interval
        Lower and upper end: the optimal cost lies between them for all data of U(y).
    measurements
        What it rests on.
    guarantee
        Privacy, that of the measurements; and the interval.
    certificate
        Why the interval holds.
    worth
        Root mean square distance of the value from the optimal cost over draws that are not cut,
        beside that of the best constant over the prior.
    program
        What is solved, without d.
    """

    kind: ClassVar[str] = "cost decision"
    version: ClassVar[int] = 1

    estimate: MeanEstimate
    interval: tuple[float, float]
    measurements: tuple[Measurement, ...]
    guarantee: Guarantee
    certificate: CostCertificate
    worth: Worth
    program: ConvexProgram

    @property
    def value(self) -> float:
        """The mean of the optimal cost: what is released. A solver's error is cut at the ends."""
        return float(np.clip(self.estimate.value, *self.interval))

    @property
    def data(self) -> dict[str, float]:
        """The public entries of d that the cost is that of, by name; at the middle of U(y)."""
        rule, names = self.certificate.rule, self.program.data_names
        public = np.setdiff1d(np.arange(len(names)), self.program.private)
        return {names[i]: float(rule.target[i]) for i in public}

    @property
    def width(self) -> float:
        """Of the interval."""
        return self.interval[1] - self.interval[0]

    @property
    def error(self) -> float:
        """Root mean square distance of the value from the optimal cost."""
        return self.worth.distance

    @property
    def spread(self) -> float:
        """The same of the best constant: how much the optimal cost varies over the prior."""
        return self.worth.spread

    @property
    def epsilon(self) -> float:
        """What the measurements cost; the decision itself costs nothing."""
        return sum(one.epsilon for one in self.measurements)

    @property
    def delta(self) -> float:
        """What the measurements cost."""
        return sum(one.delta for one in self.measurements)

    def __repr__(self) -> str:
        return cost_view.in_short(self)

    def release(self) -> Release:
        """The value as a release, its interval in the claim: nothing more is charged."""
        measured = [one.release for one in self.measurements if one.release is not None]
        terms = self.guarantee.privacy.terms
        return Release(
            values=np.array([self.value]),
            names=NAMES,
            epsilon=self.epsilon,
            delta=self.delta,
            alpha=measured[0].alpha if measured else float(getattr(terms, "alpha", 0.0)),
            scale=max((one.scale for one in measured), default=0.0),
            exponent=None,
            mechanism="cost decision",
            guarantee=self.guarantee,
            ledger=measured[-1].ledger if measured else None,
            rests_on=tuple(one.digest for one in self.measurements if one.release is not None),
            worth=self.worth if self.worth.known else None,
            units=self.units,
        )

    @property
    def units(self) -> UnitLabels | None:
        """What the cost, and alpha, are counted in, if the program says so."""
        units = self.program.units
        return None if units is None else UnitLabels(units.data, (units.cost,), units.cost)

    def check(self) -> tuple[float, float]:
        """Both ends again, from the certificate: no solver, everything rounded outwards.

        The certificate must be over all of U(y), which is made anew from the measurements and eta.

        Raises
        ------
        InputError
            The certificate is that of something else.
        """
        belief = Belief.of(self.measurements, self.program)
        if not _fits(self.certificate, self.program, belief, self._eta):
            raise InputError(
                "the certificate is not of this program, measurement and eta.",
                "a certificate over all data that the measurement leaves possible.",
                "decide again.",
            )
        return self.certificate.ends(self.program)

    @property
    def _eta(self) -> float:
        terms = self.guarantee.feasibility.terms
        return terms.eta if isinstance(terms, IntervalTerms) else 0.0

    def view(self) -> View:
        """The value, its interval, what it tells and claims, and what it rests on."""
        return cost_view.view_of(self)

    def plot(self) -> Picture:
        """The value within its interval, beside what varies over the prior."""
        return cost_view.plot_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; floats keep their bits."""
        return {
            "estimate": estimate_to_dict(self.estimate),
            "interval": list(self.interval),
            "measurements": [item.to_dict() for item in self.measurements],
            "guarantee": self.guarantee.to_dict(),
            "certificate": self.certificate.to_dict(),
            **worth_to_dict(self.worth),
            "program": program_to_dict(self.program),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> CostDecision:
        """The decision that `to_dict` wrote; ValueError or KeyError if it is none.

        That its interval holds is what the file states: `check()` shows it.
        """
        program = program_from_dict(data["program"])
        measurements = tuple(Measurement.from_dict(one) for one in listed(data["measurements"]))
        belief = Belief.of(measurements, program)
        certificate = CostCertificate.from_dict(data["certificate"], program)
        lower, upper = (number(end) for end in listed(data["interval"]))
        terms = Guarantee.from_dict(data["guarantee"]).feasibility.terms
        estimate = mean_from_dict(data["estimate"])
        if not isinstance(terms, IntervalTerms) or not np.isfinite(estimate.value):
            raise ValueError
        if not _fits(certificate, program, belief, terms.eta) or "spreads" not in data:
            raise ValueError
        made = guaranteed_cost(belief, program, (lower, upper), terms.eta)
        paid = sum(one.epsilon for one in measurements)
        return cls(
            estimate=estimate,
            interval=(lower, upper),
            measurements=measurements,
            guarantee=replace(made, feasibility=replace(made.feasibility, stated=True)),
            certificate=certificate,
            worth=worth_from_dict(data, NAMES, paid, narrow_of(belief)),
            program=program,
        )


def _fits(certificate: CostCertificate, program: ConvexProgram, belief: Belief, eta: float) -> bool:
    """Whether a certificate is of this program, and over all that measurements leave possible."""
    rule = certificate.rule
    promise = ExactBox(eta=eta) if eta else Always()
    return rule.of(program) and belief.covered_by(rule.region, promise)
