"""A decision: values that were chosen from a measurement, and why they can be completed. Public.

    z(u) = z0 + K (u - middle),   G z0 = d(middle),  G K = F,  S z0 = q,  S K = 0
    A z(u) <= b   for every u of U(y), by multipliers m that bound the worst case of each row

Everything here is a function of y and public data, so it adds nothing to what the measurement cost,
however often it is made again, for other queries, limits or prices. What is proven, for every d of
the domain: P(a decision is made and cannot be completed) <= eta, over the noise of the measurement.
`check()` looks at that certificate again in exact fractions, without a solver; only `complete`
reads d.

Its record names the measurements and the public program by their digests. What follows from them
(privacy, units, right-hand sides, how these follow u) is no part of it, so no file can say
otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from privopt import arrays
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
from privopt.mechanisms.private_data import balanced, followed
from privopt.mechanisms.randomness import generator_of
from privopt.mechanisms.verify import Batch, Verification, check_samples, simulate
from privopt.model.matrix_file import matrix, read_matrix
from privopt.model.program import ConvexProgram, Optimum
from privopt.model.program_file import PublicProgram
from privopt.plain import floats, listed, texts
from privopt.record import PARTS, names_of, part_of
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
    public, S
        The program with the public entries of d, and the query.
    balance
        Entries of d that follow the private ones.
    """

    kind: ClassVar[str] = "decision"
    version: ClassVar[int] = 2

    values: Vector
    names: tuple[str, ...]
    measurements: tuple[Measurement, ...]
    guarantee: Guarantee
    certificate: Certificate | None
    completed_loss: MeanEstimate
    optimal_cost: RangeEstimate
    worth: Worth
    public: PublicProgram
    S: Sparse
    balance: tuple[str, ...] = ()

    @property
    def program(self) -> ConvexProgram:
        """What is solved, without d."""
        return self.public.program

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
        return math.fsum(one.epsilon for one in self.measurements)

    @property
    def delta(self) -> float:
        """What the measurements cost."""
        return math.fsum(one.delta for one in self.measurements)

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
            maker=self.digest,
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
        InputError
            The public entries of d are not those that it was decided for.
        InfeasibleError
            No solution has them: the event whose probability the feasibility claim bounds. To
            measure again *because* of it would tell something about d that nothing pays for.
        """
        given = arrays.curated(d, self.program.G.shape[0], "d", self.program.data_names)
        known = dict(zip(self.program.data_names, given.tolist(), strict=True))
        other = [n for n, v in self.public.data.items() if not math.isclose(known[n], v)]
        if other:
            raise InputError(
                f"{other[0]}, a public entry of d, is not what the values were decided for.",
                f"{self.public.data[other[0]]:.10g} there.",
                "decide again for these public entries, from the same measurements: it is free.",
            )
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
        """Prove the certificate once more, by arithmetic, without a solver.

        An exact solution is shown to exist for all data that were left possible. Equalities that
        repeat others, and rows that others imply up to rounding, are taken to say the same.

        It must be over all of U(y), which is made anew from the measurements and eta.

        Raises
        ------
        InputError
            A fallback has no certificate; or the certificate is that of something else.
        """
        one = self._certified
        belief = Belief.of(self.measurements, self.program)
        promise = promised(self.guarantee.feasibility)
        limits = self._limits
        known = one.about(*self._followed) and belief.covered_by(one.region, promise)
        if not known or not one.fits(limits):
            raise InputError(
                "the certificate is not of this program, measurement and eta.",
                "a certificate over all data that the measurement leaves possible.",
                "decide again.",
            )
        return one.check(limits, self.S, self.values)

    @property
    def _followed(self) -> tuple[Vector, Sparse]:
        return _followed(self.public, self.balance)

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

    def record(self) -> dict[str, Any]:
        """Plain data; floats keep their bits."""
        one, units = self.certificate, self.units
        return {
            "values": self.values.tolist(),
            "names": list(self.names),
            "measurements": [item.digest for item in self.measurements],
            "program": self.public.digest,
            "query": matrix(self.S),
            "balance": list(self.balance),
            "guarantee": self.guarantee.record(derived=True),
            "certificate": None if one is None else one.to_dict(),
            "loss": estimate_to_dict(self.completed_loss),
            "optimal_cost": estimate_to_dict(self.optimal_cost),
            **worth_to_dict(self.worth),
            **({} if units is None else {"units": units.to_dict()}),
        }

    @property
    def parts(self) -> tuple[Public, ...]:
        """The measurements and the program."""
        return (*self.measurements, self.public)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Decision:
        """The decision that `to_dict` wrote; ValueError or KeyError if it is none.

        That its certificate holds is what the file states: `check()` shows it.
        """
        named = part_of(data, data["program"], PublicProgram.kind, PublicProgram.version)
        del named[PARTS]
        public = PublicProgram.from_dict(named)
        kind, version = Measurement.kind, Measurement.version
        measurements = tuple(
            Measurement.from_dict(part_of(data, name, kind, version))
            for name in names_of(data["measurements"])
        )
        p, given = len(listed(data["values"])), data["certificate"]
        program, balance = public.program, tuple(str(one) for one in listed(data["balance"]))
        belief = Belief.of(measurements, program)
        S = read_matrix(data["query"], p, program.n)
        start, F = _followed(public, balance)
        certificate, made = None, guaranteed(belief, None, None)
        if given is not None:
            certificate = Certificate.from_dict(given, program, S, start, F)
            promise = promised(Guarantee.from_dict(data["guarantee"]).feasibility)
            if not belief.covered_by(certificate.region, promise):
                raise ValueError
            limits = limits_of(program, S, certificate.polygons)
            made = guaranteed(belief, limits, eta_of(promise))
        names, paid = texts(data["names"], p), math.fsum(one.epsilon for one in measurements)
        if "spreads" not in data:
            raise ValueError
        return cls(
            values=floats(data["values"], p),
            names=names,
            measurements=measurements,
            guarantee=made.stated(),
            certificate=certificate,
            completed_loss=mean_from_dict(data["loss"]),
            optimal_cost=range_from_dict(data["optimal_cost"]),
            worth=worth_from_dict(data, names, paid, narrow_of(belief)),
            public=public,
            S=S,
            balance=balance,
        )


def _followed(public: PublicProgram, names: tuple[str, ...]) -> tuple[Vector, Sparse]:
    """How the equalities follow the private entries, from what is public alone."""
    follow = balanced(public.program, names or None)
    own = np.delete(np.arange(public.program.G.shape[0]), [*public.program.private, *follow])
    if public.data.keys() != {public.program.data_names[k] for k in own}:
        raise ValueError
    return followed(public.program, follow, public.data)
