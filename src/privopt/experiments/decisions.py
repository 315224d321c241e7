"""Measure, then decide, on one instance: simulated measurements of its d, and what they come to.

    y = W u + xi          u: the private entries of d; W: the sums that screening likes best
    q                     what `privopt.decide` makes of y, its certificate checked as there
    loss                  mean over y of [ c(z^) - c(z*) ] / |c(z*)|, z^ the best completion of q

The loss is one after completion, at d: a decision has no affine solution whose cost could be
expected, as that of a plan is. W is chosen from public data by the guess of
`mechanisms.measured.candidates`, with which `choose_instrument` begins; nothing is simulated to
choose it. The noise comes from numpy, as in all experiments, and never in a measurement. There are
few measurements, because each is decided anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.estimate import MeanEstimate
from privopt.claims.guarantee import Guarantee
from privopt.errors import InfeasibleError, SolverError
from privopt.feasibility.protocol import Feasibility
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.mechanisms.completed import completed_loss
from privopt.mechanisms.completion import Completion
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.candidates import NOTHING, Candidate, curvature, guess, proposed
from privopt.mechanisms.measured.deciding import decided_by
from privopt.mechanisms.measured.decision import Decision
from privopt.mechanisms.measured.task import DecisionTask
from privopt.model.domain import Box
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise.calibration import Privacy
from privopt.solving.robust.region import Region
from privopt.solving.scaling import TOLERANCE
from privopt.solving.solver import Settings

__all__ = ["MEASUREMENTS", "Decisions", "decisions", "screened"]

MEASUREMENTS = 5  # simulated for one instance


@dataclass(frozen=True, eq=False, repr=False)
class Decisions:
    """What was decided from simulated measurements of one d.

    Attributes
    ----------
    program, query
        With d: this is a result of an experiment, and private.
    sums
        What was measured, as `choose_instrument` names it.
    made
        A decision for each measurement that has one; at least one.
    asked
        How many measurements there were.
    """

    program: ConvexProgram
    query: Query
    sums: str
    made: tuple[Decision, ...]
    asked: int

    @property
    def values(self) -> Dense:
        """What would be released, one decision a row."""
        return np.array([one.values for one in self.made])

    @property
    def loss(self) -> MeanEstimate:
        """The loss after completion, of the decisions that can be completed."""
        d = np.tile(self.program.d, (len(self.made), 1))
        return completed_loss(self.program, self.query.matrix(self.program), d, self.values)

    @property
    def distance(self) -> float:
        """Root mean square distance of what is released from the non-private answer."""
        answer = np.asarray(self.query.matrix(self.program) @ self.program.solve().z)
        return float(np.sqrt(np.square(self.values - answer).sum(axis=1).mean()))

    @property
    def violation(self) -> float:
        """Share of decisions that no feasible solution has: the paper's completion test."""
        S = self.query.matrix(self.program)
        test = Completion(self.program, S, self.program.right_hand_side())
        return float(test.impossible(self.values, TOLERANCE).mean())

    @property
    def undecided(self) -> float:
        """Share of measurements from which nothing could be decided."""
        return 1 - len(self.made) / self.asked

    @property
    def guarantee(self) -> Guarantee:
        """What is claimed of each decision."""
        return self.made[0].guarantee


def decisions(
    program: ConvexProgram,
    query: Query,
    privacy: Privacy,
    feasibility: Feasibility,
    *,
    domain: Box,
    rng: np.random.Generator,
    count: int = MEASUREMENTS,
    instrument: Instrument | None = None,
) -> Decisions:
    """Measure the d of the program so often, and decide each time.

    What is measured is the instrument given, or the sums that screening likes best.

    Raises
    ------
    InfeasibleError, SolverError
        Nothing can be decided from any of the measurements: the error of the last one.
    """
    ends = domain.ends(program.private_names)
    everywhere = Region.of(*ends, *domain.slabs(program.private_names))
    task = DecisionTask(program, query, everywhere, ends, Settings())
    name = "given"
    if instrument is None:
        name, instrument = screened(task, privacy, domain)
    made: list[Decision] = []
    error: InfeasibleError | SolverError | None = None
    u = np.clip(program.d[program.private], *ends)
    for _ in range(count):
        belief = Belief.of(_measured(instrument, u, rng), program)
        try:
            # The public draws are those that `decide` takes unless told otherwise.
            made.append(decided_by(task, belief, feasibility, 0.0, np.random.default_rng(0)))
        except (InfeasibleError, SolverError) as ended:
            error = ended
    if not made and error is not None:
        raise error
    return Decisions(program, query, name, tuple(made), count)


def screened(task: DecisionTask, privacy: Privacy, domain: Box) -> tuple[str, Instrument]:
    """The sums of least guessed loss, and what measures them; measuring nothing is none."""
    H = curvature(task, 0.0)

    def instrument(one: Candidate) -> Instrument:
        return Instrument(
            one.W, program=task.program, privacy=privacy, domain=domain, names=one.names
        )

    def guessed(one: Candidate) -> float:
        noise = instrument(one).calibration
        return guess(task, H, one.W, 0.0 if noise is None else noise.deviation)

    every = proposed(task, H, task.program.private_names, {})
    best = min((one for one in every if one.name != NOTHING), key=guessed)
    return best.name, instrument(best)


def _measured(instrument: Instrument, u: Vector, rng: np.random.Generator) -> Measurement:
    """A measurement of u whose noise is numpy's, on the same grid: for experiments alone."""
    noise = instrument.calibration
    if noise is None:
        raise TypeError("what is measured has rows, and noise")
    y = instrument.W @ u + noise.sample(rng, 1)[0]
    on_grid = np.ldexp(np.rint(np.ldexp(y, -noise.exponent)), noise.exponent)
    release = instrument.kernel.as_release(on_grid, None)
    return Measurement(instrument, release)
