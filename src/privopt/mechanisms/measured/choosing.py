"""Which sums to measure: the best few candidates simulated, and ranked on fresh draws.

Candidates are screened by a guess (`candidates`), the best few are simulated (`simulating`), and
those that are best there once more on fresh ones, from which the table is made: what was selected
by its luck in the first draws shows so in the second. Nothing measured, which costs no epsilon, is
always among them. Everything is public, and the same inputs give the same choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from privopt.claims.facts import Possible, check_possible
from privopt.digits import up
from privopt.errors import InfeasibleError, InputError, NotImplementableError
from privopt.feasibility.protocol import Feasibility
from privopt.kernel.instrument import Instrument
from privopt.labels import summed
from privopt.mechanisms.fidelity import Within
from privopt.mechanisms.measured.asked import asked_of
from privopt.mechanisms.measured.candidates import (
    NOTHING,
    Candidate,
    curvature,
    guess,
    proposed,
)
from privopt.mechanisms.measured.epsilons import (
    curve_of,
    epsilons_of,
    other_decisions,
)
from privopt.mechanisms.measured.simulating import (
    FIRST,
    FRESH,
    Progress,
    SimulatedCandidate,
    Simulations,
)
from privopt.mechanisms.measured.task import DecisionTask
from privopt.mechanisms.question import check_arguments
from privopt.mechanisms.randomness import generator_of
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise.calibration import Privacy
from privopt.scalars import real
from privopt.solving.robust.region import Region
from privopt.solving.solver import Settings
from privopt.solving.threads import one_thread

__all__ = ["choose_instrument"]

_ROUNDING = 1e-6  # of the cost: losses that differ by less are the same
_FEW = 4  # candidates that are simulated, besides nothing and the user's own
_LAST = 2  # candidates that are simulated once more, besides nothing


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
    epsilons: Iterable[float] | None = None,
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
    epsilons
        Where else to simulate what was chosen, for `instrument.epsilon_for`; a quarter, 4 and 16
        times the epsilon of `privacy` unless given. None at all, which is quicker: `()`.
    rng
        Seed or generator of the public draws; the same ones in every run unless given.
    progress
        Called with the number of simulated decisions, done and in all.

    Returns
    -------
    Instrument
        The one with the least expected loss (plus fidelity times squared distance). Its `table` has
        all that were simulated. It may be the one that measures nothing: then no epsilon is spent.

    Raises
    ------
    NotImplementableError
        Some released values follow from the data alone.
    InfeasibleError
        No simulated measurement leads to a decision, or none to values as near as `Within` asks.
    """
    check_arguments(program=program, query=query, privacy=privacy, feasibility=feasibility)
    check_arguments(settings=settings)
    check_possible(domain)
    bound = fidelity if isinstance(fidelity, Within) else None
    remedy = "use 0 for none, or privopt.Within(distance) for a bound."
    weight = 0.0
    if bound is None:
        weight = real(fidelity, "fidelity", "a number >= 0, or Within(distance).", remedy, low=0.0)
    with one_thread():
        running = (settings or Settings()).started()
        ends = domain.ends(program.private_names)
        everywhere = Region.of(*ends, *domain.slabs(program.private_names))
        task = DecisionTask(program, query, everywhere, ends, running, prior=prior, balance=balance)
        task.check_answerable()
        seed = int(generator_of(0 if rng is None else rng).integers(2**31))
        study = Simulations(
            task.program, task, privacy, feasibility, domain, weight, seed, progress
        )
        asked = asked_of(
            program, query, feasibility, domain, fidelity, prior=prior, balance=balance
        )
        return _chosen(study, _own(candidates, program), bound, epsilons, asked)


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
        if str(name) == NOTHING and len(matrix):
            raise InputError(
                f"a candidate is named {NOTHING!r}.",
                "another name: that is the constant's, which is always among the candidates.",
                "rename it.",
            )
        own[str(name)] = Candidate(str(name), matrix, names, own=True)
    return own


def _chosen(
    study: Simulations,
    own: dict[str, Candidate],
    bound: Within | None,
    epsilons: Iterable[float] | None,
    asked: dict[str, Any],
) -> Instrument:
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
    others = epsilons_of(few[0][2], epsilons)
    study.total = len(few) * len(FIRST) + min(_LAST + len(own), len(few)) * len(FRESH) + 1
    study.total += other_decisions(others)
    constant = study.simulate(nothing, study.instrument(nothing), FIRST)
    first = [study.simulate(one, made, FIRST) for _, one, made in few]
    first.sort(key=study.objective)
    last = [one for i, one in enumerate(first) if i < _LAST or one.candidate.own]
    second = [study.simulate(one.candidate, one.instrument, FRESH) for one in last]
    ranked = sorted([constant, *second], key=study.objective)
    best = _least(study, ranked, constant)
    if not len(best.losses):
        if not task.possible(task.everywhere):
            raise NotImplementableError(
                "some released values follow from the data alone, whatever is measured.",
                "values that can be chosen before d is known.",
                "leave out the values that the equalities determine.",
            )
        raise InfeasibleError(
            "no simulated measurement led to a decision, whatever was measured.",
            "values that can be completed for all data that a measurement leaves possible.",
            "take a larger epsilon or eta, a narrower domain, or release fewer values.",
        )
    if bound is not None:
        near = [one for one in ranked if one.distance <= bound.distance]
        if not near:
            raise _too_far(bound, min(ranked, key=lambda one: one.distance))
        best = _least(study, near, constant)
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
    curve = curve_of(study, best, constant, others)
    return best.instrument.compared(study.comparison(best, rows, curve, asked))


def _least(
    study: Simulations, found: list[SimulatedCandidate], constant: SimulatedCandidate
) -> SimulatedCandidate:
    """The best of these; the constant where it is as good, because it spends no epsilon."""
    best = min(found, key=study.objective)
    tie = study.objective(best) + _ROUNDING * study.task.scale
    return constant if constant in found and study.objective(constant) <= tie else best


def _too_far(bound: Within, nearest: SimulatedCandidate) -> InfeasibleError:
    return InfeasibleError(
        f"no instrument that was simulated leads to a distance of {bound.distance:g} or less.",
        f"a distance of {up(nearest.distance, 3)} or more, that of the nearest "
        f"({nearest.candidate.name}).",
        "take a larger epsilon, or a larger distance.",
    )
