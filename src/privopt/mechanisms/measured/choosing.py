"""Which sums to measure: the best few candidates simulated, and ranked on fresh draws.

    u from the prior, y = W u + noise, q decided from y; then, at draws of what y leaves possible,
    the loss after completion and the squared distance of q from the answer

Candidates are screened by a guess (`candidates`), the best few are simulated on common draws, and
those that are best there once more on fresh ones, from which the table is made: what was selected
by its luck in the first draws shows so in the second. Nothing measured, which costs no epsilon, is
always among them. Everything is public, and the same inputs give the same choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.arrays import Vector
from privopt.claims.facts import Possible
from privopt.digits import finite, up
from privopt.errors import InfeasibleError, InputError
from privopt.feasibility.protocol import Feasibility
from privopt.kernel.instrument import Instrument
from privopt.labels import summed
from privopt.mechanisms.fidelity import Within
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.candidates import (
    NOTHING,
    Candidate,
    curvature,
    guess,
    proposed,
)
from privopt.mechanisms.measured.deciding import DRAWS
from privopt.mechanisms.measured.posterior import posterior
from privopt.mechanisms.measured.task import DecisionTask
from privopt.mechanisms.question import check_arguments
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise.calibration import Privacy
from privopt.randomness import generator_of
from privopt.scalars import real
from privopt.solving.problem import Outcome
from privopt.solving.robust.region import Region
from privopt.solving.solver import Settings
from privopt.solving.threads import one_thread

__all__ = ["SimulatedCandidate", "choose_instrument", "simulated"]

Progress = Callable[[int, int], None]

_FEW = 4  # candidates that are simulated, besides nothing and the user's own
_FIRST, _SECOND = 6, 16  # simulated measurements of each, of the few and of the last ones
_LAST = 2  # candidates that are simulated once more, besides nothing
_LOOKS = 24  # draws at which each simulated decision is looked at


@dataclass(frozen=True, repr=False, eq=False)
class SimulatedCandidate:
    """What one candidate came to.

    Attributes
    ----------
    losses, squares
        Loss and squared distance of each simulated decision, means over draws after its y.
    without
        Simulated measurements at which there is no decision.
    failed
        Draws that could not be completed, among `looked`.
    """

    candidate: Candidate
    instrument: Instrument
    losses: Vector
    squares: Vector
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
        return float(np.sqrt(self.squares.mean())) if len(self.squares) else math.inf

    def row(self, fresh: bool) -> dict[str, Any]:
        """What a table says of it."""
        count = len(self.losses)
        error = float(self.losses.std(ddof=1)) / count**0.5 if count > 1 else math.nan
        spread = float(self.squares.std(ddof=1)) / count**0.5 if count > 1 else math.nan
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


@dataclass
class _Study:
    """The simulations of one question."""

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

    def instrument(self, candidate: Candidate, privacy: Privacy | None = None) -> Instrument:
        return Instrument(
            candidate.W,
            program=self.program,
            privacy=privacy or self.privacy,
            domain=self.domain,
            names=candidate.names,
        )

    def simulate(
        self, candidate: Candidate, instrument: Instrument, runs: range
    ) -> SimulatedCandidate:
        """So many measurements and decisions; run k has the same data for every candidate."""
        losses: list[float] = []
        squares: list[float] = []
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
            loss, square, bad = found
            failed += bad
            looked += _LOOKS
            losses.append(loss)
            squares.append(square)
        return SimulatedCandidate(
            candidate, instrument, np.array(losses), np.array(squares), without, failed, looked
        )

    def _decided(self, instrument: Instrument, k: int) -> tuple[float, float, int] | None:
        """Loss and squared distance of one simulated decision; None where there is none."""
        task = self.task
        data, noise = (np.random.default_rng([self.seed, k, part]) for part in (0, 1))
        u = posterior(task.everywhere, (), 1, data, prior=task.prior)[0]
        drawn = np.zeros(0)
        if instrument.calibration is not None:
            scale, law = instrument.calibration.scale, instrument.calibration.law
            drawn = scale * law.sample(noise, (len(instrument.W),))
        belief = Belief((instrument,), (instrument.W @ u + drawn,))
        region = belief.region(self.feasibility)
        draws = task.draws(belief, DRAWS, noise, within=region)
        found = task.decided(region, draws, self.fidelity)
        if isinstance(found, Outcome):
            return None
        looks = _LOOKS if instrument.calibration is not None else _LOOKS * _SECOND
        outlook = task.outlook(found[0], task.draws(belief, looks, noise))
        extra = (outlook.completed - outlook.optimal) / task.scale
        square = np.square(outlook.answers - found[0]).sum(axis=1)
        good = np.isfinite(extra)
        if not good.any():
            return None
        return float(extra[good].mean()), float(square[good].mean()), int((~good).sum())

    def objective(self, found: SimulatedCandidate) -> float:
        """What is minimised: loss, and distance as far as fidelity asks for it."""
        return found.loss * self.task.scale + self.fidelity * found.distance**2


def choose_instrument(
    program: ConvexProgram,
    query: Query,
    privacy: Privacy,
    feasibility: Feasibility,
    *,
    domain: Possible,
    prior: Any = None,  # noqa: ANN401 -- the edge
    candidates: Mapping[str, Any] | None = None,
    fidelity: float | Within = 0.0,
    balance: Any = None,  # noqa: ANN401 -- the edge
    rng: int | np.random.Generator | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Instrument:
    """Choose what to measure, by simulation on public draws; d is not looked at.

    Parameters
    ----------
    program, query, feasibility, fidelity, prior, balance
        What will be decided, and how: as for `decide`. `Within(distance)` asks for the least loss
        among instruments whose expected distance is at most that.
    privacy
        The noise of the measurement.
    domain
        Where the private entries of d can lie.
    candidates
        Further sums by name, each what `Instrument` takes as W; they are simulated in any case.
    rng
        Seed or generator of the public draws; the same ones in every run unless given.
    progress
        Called with the number of simulated decisions, done and in all.

    Returns
    -------
    Instrument
        The one with the least expected loss (plus fidelity times squared distance). Its `table` has
        all that were simulated. It may be the one that measures nothing: then no epsilon is spent.
    """
    check_arguments(program=program, query=query, privacy=privacy, feasibility=feasibility)
    check_arguments(settings=settings)
    bound = fidelity if isinstance(fidelity, Within) else None
    remedy = "use 0 for none, or privopt.Within(distance) for a bound."
    weight = 0.0
    if bound is None:
        weight = real(fidelity, "fidelity", "a number >= 0, or Within(distance).", remedy, low=0.0)
    with one_thread():
        running = (settings or Settings()).started()
        ends = domain.ends(len(program.private))
        everywhere = Region.of(*ends, *domain.slabs(program.private_names))
        task = DecisionTask(program, query, everywhere, ends, running, prior=prior, balance=balance)
        seed = int(generator_of(0 if rng is None else rng).integers(2**31))
        study = _Study(task.program, task, privacy, feasibility, domain, weight, seed, progress)
        return _chosen(study, _own(candidates, program), bound)


def simulated(
    program: ConvexProgram,
    query: Query,
    instrument: Instrument,
    feasibility: Feasibility,
    *,
    domain: Possible,
    fidelity: float = 0.0,
    balance: Any = None,  # noqa: ANN401 -- the edge
    rng: int | np.random.Generator | None = None,
    settings: Settings | None = None,
) -> Instrument:
    """The same instrument with what decisions from it come to, beside those from nothing.

    As `choose_instrument` simulates its last candidates, on the draws that it ranks them by. Its
    `table` has two rows; `loss` is None where no simulated measurement leaves a decision.
    """
    with one_thread():
        running = (settings or Settings()).started()
        ends = domain.ends(len(program.private))
        everywhere = Region.of(*ends, *domain.slabs(program.private_names))
        task = DecisionTask(program, query, everywhere, ends, running, balance=balance)
        seed = int(generator_of(0 if rng is None else rng).integers(2**31))
        privacy = instrument.privacy
        study = _Study(task.program, task, privacy, feasibility, domain, fidelity, seed)
        entries = len(program.private)
        nothing = Candidate(NOTHING, np.zeros((0, entries)), ())
        own = Candidate("asked", instrument.W, instrument.names, own=True)
        fresh = range(_FIRST, _FIRST + _SECOND)
        constant = study.simulate(nothing, study.instrument(nothing), fresh)
        found = study.simulate(own, instrument, fresh)
    return instrument.compared(
        {
            "chosen": own.name,
            "loss": finite(found.loss),
            "distance": finite(found.distance),
            "spread": float(np.linalg.norm(task.spreads)),
            "candidates": [found.row(fresh=True), constant.row(fresh=True)],
        }
    )


def _own(given: Mapping[str, Any] | None, program: ConvexProgram) -> dict[str, Candidate]:
    """The user's candidates."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"candidates is a {type(given).__name__}.",
            "a dict from a name to the sums that an Instrument would take.",
            'pass candidates={"regions": {"north": [...], "south": [...]}}.',
        )
    entries = program.private_names
    own: dict[str, Candidate] = {}
    for name, W in given.items():
        matrix, names = summed(W, entries, None)
        own[str(name)] = Candidate(str(name), matrix, names, own=True)
    return own


def _chosen(study: _Study, own: dict[str, Candidate], bound: Within | None) -> Instrument:
    """Screen, simulate, and simulate the best once more."""
    task = study.task
    H = curvature(task, study.fidelity)
    every = proposed(task, H, study.program.private_names, own)
    nothing, *rest = every
    guessed: list[tuple[float, Candidate, Instrument]] = []
    for one in rest:
        instrument = study.instrument(one)
        noise = instrument.calibration
        deviation = 0.0 if noise is None else noise.deviation
        guessed.append((guess(task, H, one.W, deviation), one, instrument))
    guessed.sort(key=lambda item: item[0])
    few = [item for item in guessed if not item[1].own][:_FEW]
    few += [item for item in guessed if item[1].own]
    study.total = len(few) * _FIRST + (_LAST + len(own)) * _SECOND + 1
    constant = study.simulate(nothing, study.instrument(nothing), range(_SECOND))
    first = [study.simulate(one, made, range(_FIRST)) for _, one, made in few]
    first.sort(key=study.objective)
    last = [one for i, one in enumerate(first) if i < _LAST or one.candidate.own]
    fresh = range(_FIRST, _FIRST + _SECOND)
    second = [study.simulate(one.candidate, one.instrument, fresh) for one in last]
    ranked = sorted([constant, *second], key=study.objective)
    best = ranked[0]
    if not len(best.losses):
        raise InfeasibleError(
            "no simulated measurement led to a decision, whatever was measured.",
            "values that can be completed for all data that a measurement leaves possible.",
            "take a larger epsilon or eta, a narrower domain, or release fewer values.",
        )
    if bound is not None:
        near = [one for one in ranked if one.distance <= bound.distance]
        if not near:
            raise _too_far(bound, min(ranked, key=lambda one: one.distance))
        best = min(near, key=lambda one: one.loss)
    rows = [one.row(fresh=True) for one in ranked]
    again = {one.candidate.name for one in ranked}
    rows += [one.row(fresh=False) for one in first if one.candidate.name not in again]
    rows += [
        {"candidate": one.name, "sums": len(one.W), "guess": value}
        for value, one, _ in guessed
        if one.name not in {row["candidate"] for row in rows}
    ]
    for value, one, _ in guessed:
        for row in rows:
            if row["candidate"] == one.name:
                row["guess"] = value
    return best.instrument.compared(
        {
            "chosen": best.candidate.name,
            "loss": best.loss,
            "distance": best.distance,
            "spread": float(np.linalg.norm(task.spreads)),
            "candidates": rows,
        }
    )


def _too_far(bound: Within, nearest: SimulatedCandidate) -> InfeasibleError:
    return InfeasibleError(
        f"no instrument that was simulated leads to a distance of {bound.distance:g} or less.",
        f"a distance of {up(nearest.distance, 3)} or more, that of the nearest "
        f"({nearest.candidate.name}).",
        "take a larger epsilon, or a larger distance.",
    )
