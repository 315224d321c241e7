"""A decision: values that were chosen from a measurement, and why they can be completed. Public.

    z(u) = z0 + K (u - middle),   G z0 = d(middle),  G K = F,  S z0 = q,  S K = 0
    A z(u) <= b   for every u of U(y), by multipliers m that bound the worst case of each row

Everything here is a function of y and public data, so it adds nothing to what the measurement cost,
however often it is made again, for other queries, limits or prices. What is proven, for every d of
the domain: P(a decision is made and cannot be completed) <= eta, over the noise of the measurement.
`check()` looks at that certificate again in exact fractions, without a solver; only `complete`
reads d.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.claims.estimate import (
    MeanEstimate,
    RangeEstimate,
    estimate_to_dict,
    mean_from_dict,
    range_from_dict,
)
from privopt.claims.guarantee import Guarantee
from privopt.claims.units import UnitLabels
from privopt.claims.worth import Worth
from privopt.claims.worth_file import worth_from_dict, worth_to_dict
from privopt.errors import InputError
from privopt.kernel.measurement import Measurement
from privopt.kernel.release import Release
from privopt.kernel.wire import Public
from privopt.mechanisms.completion import Completion, complete
from privopt.mechanisms.measured import decision_view
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.certificate import Certificate
from privopt.mechanisms.measured.claiming import eta_of, guaranteed, promised
from privopt.mechanisms.measured.telling import narrow_of
from privopt.mechanisms.randomness import generator_of
from privopt.mechanisms.verify import Batch, Verification, check_samples, simulate
from privopt.model.matrix_file import matrix, read_matrix
from privopt.model.program import ConvexProgram, Optimum
from privopt.model.program_file import program_from_dict, program_to_dict
from privopt.plain import floats, listed, texts
from privopt.shapes import folded
from privopt.show.pictures.picture import Picture
from privopt.show.result import Result
from privopt.show.view import View
from privopt.solving.limits import Limits, limits_of
from privopt.solving.robust.checking import Checked
from privopt.solving.scaling import TOLERANCE, Scaling, row_sizes

__all__ = ["Decision"]


@dataclass(frozen=True, repr=False, eq=False)
class Decision(Public, Result):
    """Released values, decided from measurements.

    Attributes
    ----------
    values, names
        What is published: q.
    measurements
        What it rests on.
    guarantee
        Privacy, that of the measurements; feasibility, by the certificate.
    certificate
        Why the values can be completed; None for a fallback that was named in advance.
    completed_loss
        Mean extra cost of the best completion over the optimum, over fresh draws of the private
        data after the measurement, as a fraction of the optimum's mean cost over the prior; with
        its interval. Draws that cannot be completed are counted (`without`) and left out.
    optimal_cost
        Mean of the optimal cost over the same draws, and the interval in which 95% of them lie:
        SAMPLED, and public as all that is computed from the measurements.
    worth
        Root mean square distance of each value from the non-private answer over those draws, beside
        that of the best constant over the prior, the mean answer; and what that tells.
    program, S
        What is solved (without d), and the query.
    """

    kind: ClassVar[str] = "decision"
    version: ClassVar[int] = 1

    values: Vector
    names: tuple[str, ...]
    measurements: tuple[Measurement, ...]
    guarantee: Guarantee
    certificate: Certificate | None
    completed_loss: MeanEstimate
    optimal_cost: RangeEstimate
    worth: Worth
    program: ConvexProgram
    S: Sparse

    @property
    def loss(self) -> float:
        """The mean of `completed_loss`."""
        return float(self.completed_loss.value)

    @property
    def errors(self) -> Vector:
        """Root mean square distance of each value from the non-private answer."""
        return self.worth.errors

    @property
    def spreads(self) -> Vector:
        """The same of the best constant in its place, the mean answer over the prior."""
        return self.worth.spreads

    @property
    def distance(self) -> float:
        """Root mean square distance of the values, all together, from the non-private answer."""
        return self.worth.distance

    @property
    def spread(self) -> float:
        """The same of the best constant."""
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
        return decision_view.in_short(self)

    def arrays(self) -> dict[str, Dense]:
        """The values as arrays: `x[1,2]` is entry (1, 2) of x; NaN where one was not decided."""
        return folded(self.names, self.values)

    def release(self) -> Release:
        """The values as a release: nothing more is charged than the measurements were."""
        measured = [one for one in self.measurements if one.release is not None]
        alphas = [one.release.alpha for one in measured if one.release is not None]
        terms = self.guarantee.privacy.terms
        return Release(
            values=self.values,
            names=self.names,
            epsilon=self.epsilon,
            delta=self.delta,
            alpha=alphas[0] if alphas else float(getattr(terms, "alpha", 0.0)),
            scale=max((one.release.scale for one in measured if one.release), default=0.0),
            exponent=None,
            mechanism="decision",
            guarantee=self.guarantee,
            ledger=measured[-1].ledger if measured else None,
            rests_on=tuple(one.digest for one in measured),
            date=measured[-1].release.date if measured and measured[-1].release else None,
            worth=self.worth if self.worth.known else None,
            units=self.units,
        )

    @property
    def units(self) -> UnitLabels | None:
        """What the values are counted in, if the program says so."""
        return None if self.program.units is None else self.program.units.of_rows(self.S)

    def complete(self, d: Any) -> Optimum:  # noqa: ANN401
        """The best solution that has the decided values, for the curator alone: it depends on d.

        Raises
        ------
        InfeasibleError
            No solution has them: the event whose probability the feasibility claim bounds. To
            measure again *because* of it would tell something about d that nothing pays for.
        """
        return complete(self.program, self.S, d, self.values)

    @property
    def _certified(self) -> Certificate:
        """The certificate, if there is one."""
        if self.certificate is None:
            raise InputError(
                "this decision is a fallback, without a certificate.",
                "a decision that was made from its measurement.",
                "nothing is claimed about its feasibility.",
            )
        return self.certificate

    def check(self) -> Checked:
        """Look at the certificate in exact fractions: no solver, nothing rounded.

        It must be over all of U(y), which is made anew from the measurements and eta.

        Raises
        ------
        InputError
            A fallback has no certificate; or the certificate is that of something else.
        """
        one = self._certified
        program = self.program
        belief = Belief.of(self.measurements, program)
        promise = promised(self.guarantee.feasibility)
        limits = self._limits
        known = one.of(program) and belief.covered_by(one.region, promise)
        if not known or not one.fits(limits):
            raise InputError(
                "the certificate is not of this program, measurement and eta.",
                "a certificate over all data that the measurement leaves possible.",
                "decide again.",
            )
        return one.check(limits, self.S, self.values)

    @cached_property
    def _limits(self) -> Limits:
        """What the certificate is about."""
        return limits_of(self.program, self.S, self._certified.polygons)

    def verify(
        self, samples: int = 2_000, rng: int | np.random.Generator | None = 0
    ) -> Verification:
        """Draw private data as the measurements leave them, and try to complete the values.

        Counted are draws at which the solution of the certificate breaks a row, and among these
        those at which no solution has the values. The draws are not cut to U(y).
        """
        one = self._certified
        check_samples(samples)
        program, generator, limits = self.program, generator_of(rng), self._limits
        kept, curved = limits.kept, limits.curved
        straight = np.flatnonzero(limits.owner < 0)
        rows = limits.program.rows.taken(straight)
        belief = Belief.of(self.measurements, program)
        scaling = Scaling.of(program, one.target)
        units = replace(scaling, columns=scaling.columns[kept])
        size = row_sizes(rows.matrix, rows.bound, one.z0, one.moved, units)
        everything: Any = sp.vstack([program.equalities.matrix, self.S], format="csr")

        def batch(count: int) -> Batch:
            drawn = belief.draws(count, generator)
            z, v = one.solutions(drawn), drawn - one.region.middle
            over = np.asarray(rows.matrix @ z.T).T - rows.bound > TOLERANCE * size
            if len(curved):
                whole = np.zeros((count, program.n))
                whole[:, kept] = z
                out = curved.outside(whole) > TOLERANCE * curved.sizes(whole)
                over = np.column_stack([over, out])
            bad = np.asarray(over.any(axis=1))
            target = one.target + np.asarray(one.F @ v[bad].T).T
            released = np.column_stack([target, np.tile(self.values, (len(target), 1))])
            return Batch(over, [(bad, released)])

        def completion() -> Completion:
            nothing = np.zeros(0, dtype=np.intp)
            whole = sp.csr_array(everything)
            return Completion(program, whole, one.target, keep=nothing, scaling=scaling)

        names = (*rows.names, *curved.names)
        return simulate(names, batch, completion, samples, len(names) + program.n)

    def view(self) -> View:
        """Each value, what the decision costs, tells and claims, and what it rests on."""
        return decision_view.view_of(self)

    def plot(self) -> Picture:
        """The values, and how far the non-private answers lie from them."""
        return decision_view.plot_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; floats keep their bits."""
        one = self.certificate
        return {
            "values": self.values.tolist(),
            "names": list(self.names),
            "measurements": [item.to_dict() for item in self.measurements],
            "guarantee": self.guarantee.to_dict(),
            "certificate": None if one is None else one.to_dict(),
            "loss": estimate_to_dict(self.completed_loss),
            "optimal_cost": estimate_to_dict(self.optimal_cost),
            **worth_to_dict(self.worth),
            "program": program_to_dict(self.program),
            "query": matrix(self.S),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Decision:
        """The decision that `to_dict` wrote; ValueError or KeyError if it is none.

        That its certificate holds is what the file states: `check()` shows it.
        """
        program = program_from_dict(data["program"])
        p, given = len(listed(data["values"])), data["certificate"]
        measurements = tuple(Measurement.from_dict(one) for one in listed(data["measurements"]))
        belief = Belief.of(measurements, program)
        S = read_matrix(data["query"], p, program.n)
        certificate = None if given is None else Certificate.from_dict(given, program, S)
        made = guaranteed(belief, 0, None)
        if certificate is not None:
            promise = promised(Guarantee.from_dict(data["guarantee"]).feasibility)
            if not certificate.of(program) or not belief.covered_by(certificate.region, promise):
                raise ValueError
            rows = limits_of(program, S, certificate.polygons).count
            made = guaranteed(belief, rows, eta_of(promise))
            made = replace(made, feasibility=replace(made.feasibility, stated=True))
        names, paid = texts(data["names"], p), sum(one.epsilon for one in measurements)
        if "spreads" not in data:
            raise ValueError
        return cls(
            values=floats(data["values"], p),
            names=names,
            measurements=measurements,
            guarantee=made,
            certificate=certificate,
            completed_loss=mean_from_dict(data["loss"]),
            optimal_cost=range_from_dict(data["optimal_cost"]),
            worth=worth_from_dict(data, names, paid, narrow_of(belief)),
            program=program,
            S=S,
        )
