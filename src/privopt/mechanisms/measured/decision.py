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

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse, Vector
from privopt.claims.estimate import MeanEstimate, estimate_to_dict
from privopt.claims.guarantee import Guarantee
from privopt.digits import charge, exactly, finite
from privopt.errors import InputError
from privopt.kernel.measurement import Measurement
from privopt.kernel.release import Release
from privopt.kernel.wire import Public
from privopt.mechanisms.completed import completed_words
from privopt.mechanisms.completion import Completion, complete
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.certificate import Certificate
from privopt.mechanisms.measured.claiming import eta_of, guaranteed, promised
from privopt.mechanisms.verify import Batch, Verification, check_samples, simulate
from privopt.model.program import ConvexProgram, Optimum
from privopt.model.program_file import matrix, program_from_dict, program_to_dict, read_matrix
from privopt.plain import floats, integer, listed, number, texts
from privopt.randomness import generator_of
from privopt.show.figures import Dots, spans
from privopt.show.result import Result
from privopt.show.view import Fact, Table, View
from privopt.solving.robust.checking import Checked, check
from privopt.solving.scaling import TOLERANCE, Scaling, row_sizes

__all__ = ["Decision"]

_MANY = 10**9  # draws that nobody makes


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
        Mean extra cost of the best completion over the optimum, as a fraction of its mean cost,
        over fresh draws of the private data after the measurement; with its interval. Draws that
        cannot be completed are counted (`without`) and left out.
    errors, spreads
        Root mean square distance of each value from the non-private answer over those draws; and of
        the best constant over the prior, the mean answer.
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
    errors: Vector
    spreads: Vector
    program: ConvexProgram
    S: Sparse

    @property
    def loss(self) -> float:
        """The mean of `completed_loss`."""
        return float(self.completed_loss.value)

    @property
    def distance(self) -> float:
        """Root mean square distance of the values, all together, from the non-private answer."""
        return math.hypot(*self.errors)

    @property
    def spread(self) -> float:
        """The same of the best constant, the mean answer over the prior."""
        return math.hypot(*self.spreads)

    @property
    def epsilon(self) -> float:
        """What the measurements cost; the decision itself costs nothing."""
        return sum(one.epsilon for one in self.measurements)

    @property
    def delta(self) -> float:
        """What the measurements cost."""
        return sum(one.delta for one in self.measurements)

    def __repr__(self) -> str:
        return (
            f"Decision({self.program.sizes}, {len(self.values)} values; expected loss "
            f"{100 * self.loss:.3g}%, distance {self.distance:.3g}, of a constant "
            f"{self.spread:.3g})\n{self.guarantee}"
        )

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
            errors=self.errors,
        )

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
        program, p = self.program, len(self.values)
        belief = Belief.of(self.measurements, program)
        promise = promised(self.guarantee.feasibility)
        if not one.of(program) or not belief.covered_by(one.region, promise):
            raise InputError(
                "the certificate is not of this program, measurement and eta.",
                "a certificate over all data that the measurement leaves possible.",
                "decide again.",
            )
        equalities: Any = sp.vstack([program.equalities.matrix, self.S], format="csr")
        follows: Any = sp.vstack([one.F, sp.csr_array((p, one.F.shape[1]))], format="csr")
        return check(
            program.rows.matrix, program.rows.bound, sp.csr_array(equalities),
            np.concatenate([one.target, self.values]), sp.csr_array(follows),
            one.z0, one.K, one.m, one.region,
        )  # fmt: skip

    def verify(
        self, samples: int = 2_000, rng: int | np.random.Generator | None = 0
    ) -> Verification:
        """Draw private data as the measurements leave them, and try to complete the values.

        Counted are draws at which the solution of the certificate breaks a row, and among these
        those at which no solution has the values. The draws are not cut to U(y).
        """
        one = self._certified
        check_samples(samples)
        program, generator, rows = self.program, generator_of(rng), self.program.rows
        belief = Belief.of(self.measurements, program)
        scaling = Scaling.of(program, one.target)
        moved = np.abs(one.K) @ one.region.half
        size = row_sizes(rows.matrix, rows.bound, one.z0, moved, scaling)
        everything: Any = sp.vstack([program.equalities.matrix, self.S], format="csr")

        def batch(count: int) -> Batch:
            v = belief.draws(count, generator) - one.region.middle
            z = one.z0 + v @ one.K.T
            over = np.asarray(rows.matrix @ z.T).T - rows.bound > TOLERANCE * size
            bad = np.asarray(over.any(axis=1))
            target = one.target + np.asarray(one.F @ v[bad].T).T
            released = np.column_stack([target, np.tile(self.values, (len(target), 1))])
            return Batch(over, [(bad, released)])

        def completion() -> Completion:
            nothing = np.zeros(0, dtype=np.intp)
            whole = sp.csr_array(everything)
            return Completion(program, whole, one.target, keep=nothing, scaling=scaling)

        return simulate(rows.names, batch, completion, samples, len(rows) + program.n)

    def view(self) -> View:
        """Each value, what the decision costs and claims, and what it rests on."""
        rests = "; ".join(_named(one) for one in self.measurements) or "nothing"
        loss = f"{completed_words(self.completed_loss)}, after completion"
        return View(
            "Decision",
            Table(
                "value",
                self.names,
                {"decided": self.values, "off by": self.errors, "constant": self.spreads},
                "what is released",
            ),
            (
                Fact("program", self.program.sizes),
                Fact("rests on", rests),
                Fact(
                    "charge",
                    f"{charge(self.epsilon, self.delta)}, of the measurement; the decision adds "
                    "nothing",
                    f"ε = {exactly(self.epsilon)}",
                    "charged once, by the measurement",
                ),
                Fact("loss", loss, f"{100 * self.loss:.3g}%", "expected loss"),
                Fact("distance", f"{self.distance:.4g}; of a constant {self.spread:.4g}"),
            ),
            (
                "Off by: root mean square distance from the non-private answer, over what the "
                "measurement leaves possible; constant: that of the mean answer, nothing measured.",
            ),
            guarantee=self.guarantee,
        )

    def plot(self) -> Any:  # noqa: ANN401 -- a plotly figure; plotly has no types
        """The values, and how far the non-private answers lie from them."""
        marks = Dots("decided", self.values, self.values - self.errors, self.values + self.errors)
        about = f"expected loss {100 * self.loss:.3g}%"
        return spans(
            self.names, [marks], "Decided values, and where the answers lie", about, "value"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; floats keep their bits."""
        one = self.certificate
        return {
            "values": self.values.tolist(),
            "names": list(self.names),
            "measurements": [item.to_dict() for item in self.measurements],
            "guarantee": self.guarantee.to_dict(),
            "certificate": None if one is None else one.to_dict(),
            "loss": _mean_to_dict(self.completed_loss),
            "errors": [finite(value) for value in self.errors],
            "spreads": self.spreads.tolist(),
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
        certificate = None if given is None else Certificate.from_dict(given, program)
        made = guaranteed(belief, len(program.rows), None)
        if certificate is not None:
            promise = promised(Guarantee.from_dict(data["guarantee"]).feasibility)
            if not certificate.of(program) or not belief.covered_by(certificate.region, promise):
                raise ValueError
            made = guaranteed(belief, len(program.rows), eta_of(promise))
            made = replace(made, feasibility=replace(made.feasibility, stated=True))
        return cls(
            values=floats(data["values"], p),
            names=texts(data["names"], p),
            measurements=measurements,
            guarantee=made,
            certificate=certificate,
            completed_loss=_mean_from_dict(data["loss"]),
            errors=_known(data["errors"], p),
            spreads=floats(data["spreads"], p),
            program=program,
            S=read_matrix(data["query"], p, program.n),
        )


def _known(data: object, size: int) -> Vector:
    """Numbers of which some are not known."""
    given = listed(data)
    if len(given) != size:
        raise ValueError
    return np.array([math.nan if value is None else number(value) for value in given])


def _named(one: Measurement) -> str:
    """A measurement in words: what was measured, its digest and its row in a ledger."""
    if one.release is None:
        return "nothing measured"
    where = "in no ledger" if one.ledger is None else f"row {one.ledger.row} of its ledger"
    count = len(one.names)
    return f"{count} measured sum{'s' if count > 1 else ''} ({one.digest[:12]}, {where})"


def _mean_to_dict(one: MeanEstimate) -> dict[str, Any]:
    """A mean as plain data; what is not finite as None."""
    numbers = {"value": finite(one.value), "interval": [finite(end) for end in one.interval]}
    return estimate_to_dict(one) | numbers


def _mean_from_dict(data: dict[str, Any]) -> MeanEstimate:
    value = math.nan if data["value"] is None else number(data["value"])
    given = listed(data["interval"])
    low, high = (
        far if end is None else number(end)
        for end, far in zip(given, (-math.inf, math.inf), strict=True)
    )
    counts = [integer(data[name], 0, _MANY) for name in ("samples", "without")]
    return MeanEstimate(value, (low, high), counts[0], number(data["confidence"]), counts[1])
