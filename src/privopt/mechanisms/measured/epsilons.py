"""What decisions from an instrument come to, at its epsilon and at others: a curve of simulations.

    epsilon 0        the decision from nothing, the constant
    the others       the same sums with more noise and with less, on common public draws

All of it is public, and SAMPLED: means over simulated measurements and decisions. The sums stay as
they are; at another epsilon others may be better (`choose_instrument` looks for them).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from privopt.claims.curve import EpsilonCurve, EpsilonPoint
from privopt.errors import CombinationError, InputError
from privopt.feasibility.protocol import Feasibility
from privopt.kernel.instrument import Instrument
from privopt.mechanisms.measured.asked import asked_of
from privopt.mechanisms.measured.belief import check_same_data
from privopt.mechanisms.measured.candidates import NOTHING, Candidate
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
from privopt.model.domain import Domain
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.scalars import real
from privopt.solving.robust.region import Region
from privopt.solving.solver import Settings
from privopt.solving.threads import one_thread

__all__ = ["curve_of", "epsilons_of", "other_decisions", "simulate_instrument"]

_TIMES = (0.25, 4.0, 16.0)  # epsilons of a curve beside the instrument's own, in multiples of it
_RUNS = FRESH[:6]  # simulated measurements at each of them


def simulate_instrument(
    program: ConvexProgram,
    query: Query,
    instrument: Instrument,
    feasibility: Feasibility,
    *,
    fidelity: float = 0.0,
    prior: Any = None,  # noqa: ANN401 -- the edge
    balance: Any = None,  # noqa: ANN401 -- the edge
    epsilons: Iterable[float] | None = None,
    rng: int | np.random.Generator | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Instrument:
    """Simulate what decisions from an instrument come to; d is not looked at.

    As `choose_instrument` simulates its last candidates, and on the draws that it ranks them by.

    Parameters
    ----------
    program, query, feasibility, fidelity, prior, balance, rng
        What will be decided, and how: as for `choose_instrument`.
    instrument
        What is measured; made by hand, or chosen.
    epsilons
        Where else to simulate the same sums, for `instrument.epsilon_for`; a quarter, 4 and 16
        times its own epsilon unless given. None at all: `()`.
    progress
        Called with the number of simulated decisions, done and in all.

    Returns
    -------
    Instrument
        The same one with `loss`, `distance`, `spread`, `curve`, and a `table` in which "nothing",
        the constant, stands beside it. The loss is None where no simulated measurement leaves a
        decision.
    """
    check_arguments(program=program, query=query, feasibility=feasibility, settings=settings)
    weight = real(fidelity, "fidelity", "a number >= 0.", "use 0 for none.", low=0.0)
    if not isinstance(instrument, Instrument):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"instrument is a {type(instrument).__name__}.",
            "what is to be measured.",
            "pass privopt.Instrument(W, program=..., privacy=..., domain=...).",
        )
    check_same_data(instrument, program)
    others = epsilons_of(instrument, epsilons)
    with one_thread():
        running = (settings or Settings()).started()
        ends, rows = instrument.domain, instrument.rows
        everywhere = Region.of(*ends, *rows)
        task = DecisionTask(program, query, everywhere, ends, running, prior=prior, balance=balance)
        task.check_answerable()
        seed = int(generator_of(0 if rng is None else rng).integers(2**31))
        study = Simulations(
            task.program, task, instrument.privacy, feasibility, Domain(*ends, rows=rows), weight,
            seed, progress,
        )  # fmt: skip
        nothing = Candidate(NOTHING, np.zeros((0, len(ends[0]))), ())
        study.total = 1 + len(FRESH) + other_decisions(others)
        constant = study.simulate(nothing, study.instrument(nothing), FIRST)
        asked = Candidate("asked", instrument.W, instrument.names, own=True)
        own = study.simulate(asked, instrument, FRESH) if len(instrument.W) else constant
        curve = curve_of(study, own, constant, others)
    rows = [one.row(fresh=True) for one in dict.fromkeys((own, constant))]
    asked = asked_of(
        program, query, feasibility, study.domain, weight, prior=prior, balance=balance
    )
    return instrument.compared(study.comparison(own, rows, curve, asked))


def epsilons_of(instrument: Instrument, given: Iterable[float] | None) -> tuple[float, ...]:
    """The epsilons of a curve beside the instrument's own; none where nothing is measured."""
    own = instrument.privacy.epsilon
    if not len(instrument.W):
        return ()
    if given is None:
        return tuple(times * own for times in _TIMES if _possible(instrument, times * own))
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise InputError(
            f"epsilons is a {type(given).__name__}.",
            "numbers: where else to simulate.",
            "pass epsilons=[0.5, 2.0, 8.0], or () for none.",
        )
    needed, remedy = "numbers from 1e-9 to 1e9.", "use about 0.1 to 10."
    numbers = {real(one, "epsilons", needed, remedy, low=1e-9, high=1e9) for one in given}
    for one in numbers:
        instrument.with_epsilon(one)  # says why, if that noise cannot be made
    return tuple(sorted(numbers - {own}))


def _possible(instrument: Instrument, epsilon: float) -> bool:
    """Whether there is such noise: some families know no large epsilon."""
    try:
        instrument.with_epsilon(epsilon)
    except (CombinationError, InputError):
        return False
    return True


def other_decisions(epsilons: tuple[float, ...]) -> int:
    """How many decisions a curve takes besides those at the instrument's own epsilon."""
    return len(_RUNS) * len(epsilons)


def curve_of(
    study: Simulations,
    own: SimulatedCandidate,
    constant: SimulatedCandidate,
    epsilons: tuple[float, ...],
) -> EpsilonCurve:
    """What a candidate comes to at its epsilon and at others, from the constant upwards."""
    instrument = own.instrument
    if not len(instrument.W):
        return EpsilonCurve((_point(0.0, constant),), 1.0)
    points = [_point(0.0, constant), _point(instrument.privacy.epsilon, own)]
    points += [
        _point(one, study.simulate(own.candidate, instrument.with_epsilon(one), _RUNS))
        for one in epsilons
    ]
    return EpsilonCurve(tuple(sorted(points, key=lambda one: one.epsilon)), instrument.even)


def _point(epsilon: float, one: SimulatedCandidate) -> EpsilonPoint:
    row = one.row(fresh=True)
    return EpsilonPoint(
        epsilon,
        row["loss"],
        row["loss_error"],
        row["distance"],
        row["distance_error"],
        row["decisions"],
        row["without"],
    )
