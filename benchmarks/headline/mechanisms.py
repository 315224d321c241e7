"""The mechanisms that are compared: each makes the values that it would release, draw by draw.

| name | what it is | privacy | feasibility |
|---|---|---|---|
| plan | the paper's plan, unimodal margins | assumed | each row |
| joint | a plan with one factor for all rows | assumed | all rows, sampled |
| input | noise on d, then the optimum | proven | none |
| output | the optimum, then noise | assumed | none |
| nothing | decide with nothing measured: a constant | nothing is released of d | all rows |
| total, each, 4 zones, ... | measure these sums, then decide | proven | all rows |
| guess | the sums that screening likes best | proven | all rows |
| chosen | what `choose_instrument` chooses (slow) | proven | all rows |

Noise comes from numpy here, never in a release. Decisions are those of `privopt.decide` without
its last step, which looks at the certificate in exact fractions.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import privopt as po
from benchmarks.headline.subject import Subject
from privopt.arrays import Vector
from privopt.errors import InputError
from privopt.feasibility.protocol import Feasibility
from privopt.mechanisms.baselines import input_perturbation, nearest_feasible, output_perturbation
from privopt.mechanisms.completed import optima
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.candidates import NOTHING, guess
from privopt.mechanisms.measured.deciding import DRAWS
from privopt.noise.calibration import Calibration
from privopt.solving.problem import Outcome

__all__ = ["MECHANISMS", "NOTHING", "PLAN", "Made", "Released", "known", "mechanism", "title"]

Released = Vector | Outcome  # values, or why there are none at a draw

PLAN = "plan"
MECHANISMS = (PLAN, "joint", "input", "output", NOTHING, "total", "each", "guess")
_CANDIDATE = re.compile(rf"{NOTHING}|total|each|total and each|\d+ zones|(weighted )?directions")
_TITLES = {
    PLAN: "the paper's plan",
    "joint": "Joint plan",
    "input": "input perturbation",
    "output": "output perturbation",
    NOTHING: "constant (nothing measured)",
    "guess": "measured: best guess",
    "chosen": "measured: chosen",
}


@dataclass(frozen=True, eq=False)
class Made:
    """A mechanism at work on one instance: its releases, made as they are asked for.

    A constant has one, which stands for all draws. `about` is what the journal says of it besides.
    """

    releases: Iterator[Released]
    about: dict[str, Any] = field(default_factory=dict)


def known(name: str) -> bool:
    """Whether a name is one of a mechanism, or could be one of a candidate."""
    return name in _FIXED or name == "guess" or bool(_CANDIDATE.fullmatch(name))


def title(name: str) -> str:
    """A mechanism in a table."""
    return _TITLES.get(name, f"measured: {name}")


def mechanism(name: str) -> Callable[[Subject], Made]:
    """A mechanism by its name; a name that is none of the fixed ones is that of a candidate."""
    return _FIXED.get(name) or partial(_measured, name)


def _noisy(one: Subject, centre: Vector, noise: Calibration) -> Iterator[Released]:
    for k in range(one.conditions.draws):
        yield centre + one.noise(noise, k)


def _planned(feasibility: Callable[[Subject], Feasibility], one: Subject) -> Made:
    """A plan: noise on values that were chosen for it."""
    made = po.solve(
        one.program, one.query, one.privacy, feasibility(one), rng=one.public(),
        settings=one.settings,
    )  # fmt: skip
    return Made(_noisy(one, made.centre, made.calibration), {"planned_loss": made.loss})


def _input(one: Subject) -> Made:
    """The optimum at noisy data; where they are infeasible, at the nearest feasible ones."""
    program = one.program
    made = input_perturbation(program, one.query, one.privacy, domain=one.domain)

    def answer(noisy: Vector) -> Vector:
        d = program.d.copy()
        d[program.private] = noisy
        z = optima(program, d[None])[0]
        if not np.isfinite(z).all():
            z = program.solve(one.settings, d=nearest_feasible(program, d)).z
        return np.asarray(one.S @ z)

    draws = range(one.conditions.draws)
    return Made(answer(made.centre + one.noise(made.calibration, k)) for k in draws)


def _output(one: Subject) -> Made:
    """The optimum, and noise on what is released of it."""
    made = output_perturbation(one.program, one.query, one.privacy, one.settings)
    return Made(_noisy(one, made.centre, made.calibration))


def _measured(name: str, one: Subject) -> Made:
    """Measure the sums of a candidate, then decide."""
    preparing = _prepared(one)
    if name == "guess":
        every = [each for each in one.candidates if each != NOTHING]
        name = min(every, key=lambda each: _guessed(one, each))
    if name not in one.candidates:
        raise InputError(
            f"there is no mechanism or candidate {name!r} here.",
            f"one of: {', '.join([*_FIXED, *one.candidates])}.",
            "check --only.",
        )
    about = {"measured": name, "sums": len(one.candidates[name].W), "preparing": preparing}
    return Made(_decisions(one, _instrument(one, name)), about)


def _prepared(one: Subject) -> float:
    """Seconds for what all measurements of an instance share; next to none after the first."""
    started = time.perf_counter()
    _ = one.candidates, one.task.certifying.template
    return time.perf_counter() - started


def _chosen(one: Subject) -> Made:
    """What is chosen by simulation, which looks at public draws alone."""
    made = po.choose_instrument(
        one.program, one.query, one.privacy, po.ExactBox(eta=one.conditions.eta),
        domain=one.domain, settings=one.settings,
    )  # fmt: skip
    return Made(_decisions(one, made), {"measured": list(made.names), "sums": len(made.W)})


def _instrument(one: Subject, name: str) -> po.Instrument:
    candidate = one.candidates[name]
    return po.Instrument(
        candidate.W,
        program=one.program,
        privacy=one.privacy,
        domain=one.domain,
        names=candidate.names,
    )


def _guessed(one: Subject, name: str) -> float:
    """The loss that screening expects of a candidate."""
    noise = _instrument(one, name).calibration
    deviation = 0.0 if noise is None else noise.deviation
    return guess(one.task, one.curvature, one.candidates[name].W, deviation)


def _decisions(one: Subject, instrument: po.Instrument) -> Iterator[Released]:
    """Simulated measurements, and what is decided from each."""
    u = np.clip(one.program.d[one.program.private], *instrument.domain)
    noise = instrument.calibration
    for k in range(one.conditions.draws if noise is not None else 1):
        xi = np.zeros(0) if noise is None else one.noise(noise, k)
        belief = Belief((instrument,), (instrument.W @ u + xi,))
        region = belief.region(po.ExactBox(eta=one.conditions.eta))
        draws = belief.draws(DRAWS, one.public(k), within=region)
        decided = one.task.decided(region, draws, 0.0)
        yield decided if isinstance(decided, Outcome) else decided[0]


def _unimodal(one: Subject) -> Feasibility:
    return po.Analytic(eta=one.conditions.eta, margin="unimodal")


def _joint(one: Subject) -> Feasibility:
    return po.Joint(eta=one.conditions.eta, beta=one.conditions.beta)


_FIXED: dict[str, Callable[[Subject], Made]] = {
    PLAN: partial(_planned, _unimodal),
    "joint": partial(_planned, _joint),
    "input": _input,
    "output": _output,
    "chosen": _chosen,
}
