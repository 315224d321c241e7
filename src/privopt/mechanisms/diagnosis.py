"""Why no plan exists, and what would make one: for the curator.

The rows on which the least total excess over the limits lies (each relative to its size) with the
noise as asked, and the smallest epsilon, the largest alpha and the smallest eta at which the
program becomes feasible, to one percent (`remedies`). All of it depends on d. It is private, and
never part of a release.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np

from privopt.discreet import discreet
from privopt.feasibility.protocol import Settled
from privopt.mechanisms.question import Question
from privopt.mechanisms.randomness import generator_of
from privopt.mechanisms.remedies import Remedy, changed, doubling
from privopt.model.diagnosis import Diagnosis
from privopt.solving.noisy import NoisyProgram
from privopt.solving.problem import Outcome

__all__ = ["diagnose"]

_NEAR = 1.01


@discreet
def diagnose(question: Question) -> Diagnosis:
    """Find the blocking rows and the nearest feasible epsilon, alpha and eta."""
    program, privacy, feasibility = question.program, question.privacy, question.kept
    near = program.solve(question.settings).z

    def chance(asked: Question) -> NoisyProgram:
        return NoisyProgram(
            program, asked.S, asked.calibration, asked.settings, near, still=asked.still
        )

    def attempt(asked: Question) -> Settled | Outcome:
        """With the same draws; what is not solved does not do."""
        made = asked.kept.settle(chance(asked), copy.deepcopy(generator_of(asked.rng)))
        return made if isinstance(made, Settled) else Outcome.INFEASIBLE

    def nearest(
        name: str, asked: float, end: float, change: Callable[[float], Question]
    ) -> float | None:
        steps = tuple(doubling(asked, end))
        return Remedy(name, asked, steps, lambda value: attempt(change(value)), _NEAR).search()

    blocked = chance(question)
    margins = feasibility.margins(blocked, copy.deepcopy(generator_of(question.rng)))
    excess = blocked.excess(margins)
    least = max(1e-6, 0.01 * float(excess.max(initial=0.0)))
    order = [int(i) for i in np.argsort(-excess) if excess[i] > least]
    names, eta = program.rows.names, getattr(feasibility, "eta", None)
    return Diagnosis(
        rows=tuple(names[i] for i in order),
        excess=tuple(float(excess[i]) for i in order),
        epsilon=nearest(
            "epsilon",
            privacy.epsilon,
            privacy.largest_epsilon,
            lambda value: question.under(changed(privacy, epsilon=value)),
        ),
        alpha=nearest(
            "alpha",
            privacy.one_alpha,
            privacy.one_alpha * 1e-9,
            lambda value: question.under(changed(privacy, alpha=value)),
        ),
        eta=None
        if eta is None
        else nearest(
            "eta",
            float(np.min(eta)),
            feasibility.largest_eta,
            lambda value: question.under(feasibility=changed(feasibility, eta=value)),
        ),
    )
