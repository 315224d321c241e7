"""What a candidate comes to: simulated measurements, and decisions from them.

    u from the prior, y = W u + noise, q decided from y; then, at draws of what y leaves possible,
    the loss after completion and the squared distance of q from the answer

All draws are public. A candidate that measures nothing has one decision, looked at more often.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.curve import EpsilonCurve
from privopt.claims.facts import Possible
from privopt.digits import finite
from privopt.errors import SolverError
from privopt.feasibility.protocol import Feasibility
from privopt.kernel.instrument import Instrument
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.candidates import Candidate
from privopt.mechanisms.measured.deciding import DRAWS
from privopt.mechanisms.measured.posterior import posterior
from privopt.mechanisms.measured.task import DecisionTask
from privopt.model.program import ConvexProgram
from privopt.noise.calibration import Privacy
from privopt.show.units import one_unit
from privopt.solving.problem import Outcome

__all__ = ["FIRST", "FRESH", "Progress", "SimulatedCandidate", "Simulations"]

Progress = Callable[[int, int], None]

FIRST, FRESH = range(6), range(6, 22)  # runs that candidates are compared by, and ranked by

_LOOKS = 24  # draws at which each simulated decision is looked at
_MORE = 384  # those of the one decision from nothing


@dataclass(frozen=True, repr=False, eq=False)
class SimulatedCandidate:
    """What one candidate came to.

    Attributes
    ----------
    losses, squares
        Loss of each simulated decision, and squared error of each value (one decision a row): means
        over draws after its y.
    without
        Simulated measurements at which there is no decision.
    failed
        Draws that could not be completed, among `looked`.
    """

    candidate: Candidate
    instrument: Instrument
    losses: Vector
    squares: Dense
    without: int
    failed: int
    looked: int

    @property
    def loss(self) -> float:
        """Mean loss after completion."""
        return float(self.losses.mean()) if len(self.losses) else math.inf

    @property
    def distance(self) -> float:
        """Root mean square distance from the answers."""
        return math.hypot(*self.errors) if len(self.squares) else math.inf

    @property
    def errors(self) -> Vector:
        """Root mean square error of each value."""
        return np.sqrt(self.squares.mean(axis=0))

    def row(self, fresh: bool) -> dict[str, Any]:
        """What a table says of it."""
        count = len(self.losses)
        error = float(self.losses.std(ddof=1)) / count**0.5 if count > 1 else math.nan
        spread = float(self.squares.sum(axis=1).std(ddof=1)) / count**0.5 if count > 1 else math.nan
        return {
            "candidate": self.candidate.name,
            "sums": len(self.candidate.W),
            "loss": finite(self.loss),
            "loss_error": finite(error),
            "distance": finite(self.distance),
            "distance_error": finite(spread / (2 * self.distance)) if self.distance else 0.0,
            "decisions": count,
            "without": self.without,
            "failed": self.failed,
            "looked": self.looked,
            "fresh": fresh,
        }


@dataclass(repr=False, eq=False)
class Simulations:
    """The simulations of one question.

    Attributes
    ----------
    program, task, privacy, feasibility, domain, fidelity
        What is decided, and how.
    seed
        Of the public draws: run k has the same data for every candidate.
    progress, done, total
        Told of each simulated decision, how many there were and will be.
    """

    program: ConvexProgram
    task: DecisionTask
    privacy: Privacy
    feasibility: Feasibility
    domain: Possible
    fidelity: float
    seed: int
    progress: Progress | None = None
    done: int = 0
    total: int = 0

    def instrument(self, candidate: Candidate) -> Instrument:
        """What measures the sums of a candidate."""
        return Instrument(
            candidate.W,
            program=self.program,
            privacy=self.privacy,
            domain=self.domain,
            names=candidate.names,
        )

    def simulate(
        self, candidate: Candidate, instrument: Instrument, runs: range
    ) -> SimulatedCandidate:
        """So many measurements and decisions; run k has the same data for every candidate."""
        losses: list[float] = []
        squares: list[Vector] = []
        without = failed = looked = 0
        if not len(candidate.W):
            runs = range(runs.start, runs.start + 1)  # the decision is the same in all
        for k in runs:
            found = self._decided(instrument, k)
            self.done += 1
            if self.progress is not None:
                self.progress(min(self.done, self.total), self.total)
            if found is None:
                without += 1
                continue
            loss, square, bad, looks = found
            failed += bad
            looked += looks
            losses.append(loss)
            squares.append(square)
        return SimulatedCandidate(
            candidate, instrument, np.array(losses),
            np.array(squares).reshape(len(squares), len(self.task.names)), without, failed, looked,
        )  # fmt: skip

    def _decided(self, instrument: Instrument, k: int) -> tuple[float, Vector, int, int] | None:
        """Loss and squared errors of one simulated decision; None where there is none.

        And the draws that could not be completed, and how many there were.
        """
        task = self.task
        data, noise = (np.random.default_rng([self.seed, k, part]) for part in (0, 1))
        u = posterior(task.everywhere, (), 1, data, prior=task.prior)[0]
        drawn = np.zeros(0)
        if instrument.calibration is not None:
            scale, law = instrument.calibration.scale, instrument.calibration.law
            drawn = scale * law.sample(noise, (len(instrument.W),))
        belief = Belief((instrument,), (instrument.W @ u + drawn,))
        region = belief.region(self.feasibility)
        draws = task.draws(belief, task.count(DRAWS), noise, within=region)
        found = task.decided(region, draws, self.fidelity)
        if found is Outcome.TIME:
            raise SolverError(
                f"the time limit ended the simulation after {self.done} of about {self.total} "
                "decisions.",
                "time for all of them: nothing is chosen from a part.",
                "relax Settings(time_limit=), name fewer candidates= or epsilons=, or release "
                "fewer values.",
            )
        if isinstance(found, Outcome):
            return None
        looks = task.count(_LOOKS if instrument.calibration is not None else _MORE)
        outlook = task.outlook(found[0], task.draws(belief, looks, noise))
        extra = (outlook.completed - outlook.optimal) / task.scale
        good = np.isfinite(extra)
        if not good.any():
            return None
        off = task.off(np.sqrt(np.square(outlook.answers[good] - found[0]).mean(axis=0)))
        return float(extra[good].mean()), np.square(off), int((~good).sum()), looks

    def comparison(
        self,
        best: SimulatedCandidate,
        rows: list[dict[str, Any]],
        curve: EpsilonCurve,
        asked: dict[str, Any],
    ) -> dict[str, Any]:
        """How an instrument was chosen, and what decisions from it come to (`show.comparison`)."""
        task, units = self.task, self.program.units
        known = len(best.losses) > 0
        return {
            "chosen": best.candidate.name,
            "loss": finite(best.loss),
            "distance": finite(best.distance),
            "spread": float(np.linalg.norm(task.spreads)),
            "candidates": rows,
            "curve": curve.to_dict(),
            "asked": asked,
            **({} if units is None else {"unit": one_unit(units.of_rows(task.S))}),
            **({"errors": best.errors.tolist()} if known else {}),
            "spreads": task.spreads.tolist(),
        }

    def objective(self, found: SimulatedCandidate) -> float:
        """What is minimised: loss, and distance as far as fidelity asks for it."""
        if not len(found.losses):
            return math.inf
        return found.loss * self.task.scale + self.fidelity * found.distance**2
