"""A designed policy in exact numbers: the map in integers, noise calibrated to it, what it costs.

The solution of the design program is a matter of floats. Here S K and S z0 become a `FixedMap` of
integers whose sensitivity is an exact fraction; the noise is calibrated to that, rounding to its
own grid included; gain and offset are moved onto the exact map, and every margin is looked at again
with the noise there is in the end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.guarantee import Claim, Guarantee
from privopt.claims.privacy import policy_claim
from privopt.claims.rule import Rule, deviations, rule_claim
from privopt.claims.worth import Worth, narrow_entries
from privopt.errors import SolverError
from privopt.kernel.fixed import FixedMap
from privopt.kernel.instrument import Instrument
from privopt.kernel.policy import PolicyKernel, calibrated
from privopt.mechanisms.curved import Curved
from privopt.mechanisms.expected_cost import Answering, policy_cost
from privopt.mechanisms.policy import Policy
from privopt.mechanisms.private_data import Answers, PrivateData
from privopt.mechanisms.question import Question
from privopt.noise.calibration import Calibration
from privopt.solving.affine import Affine, Recourse
from privopt.solving.margins import Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.solved import Solved
from privopt.solving.tightening import RESIDUAL

__all__ = ["Solution", "exact_policy"]


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved design program, what it claims of the inequalities, and the margins it has."""

    program: NoisyProgram
    solved: Solved
    claim: Claim
    margins: Margins


def exact_policy(
    question: Question,
    found: Solution,
    data: PrivateData,
    answers: Answers,
    optimal: float,
    scale: float,
    instrument: Instrument | None = None,
    curved: Curved | None = None,
) -> Policy:
    """The policy in exact numbers, and what it costs.

    `optimal` is the mean optimal cost over the prior, which the loss is an excess over, as
    a fraction of `scale`; `instrument` is what an affine rule measures. The solution of a `curved`
    program is over the variables of its limits, and its cost that of `expected_cost`.
    """
    program, privacy = question.program, question.privacy
    own = slice(None) if curved is None else curved.limits.equalities
    design_program, solved = found.program, found.solved
    S, unit = design_program.S, design_program.calibration
    q = len(data.lower)
    gain = np.zeros((design_program.program.n, q))
    gain[:, data.moving] = solved.gain
    silent = design_program.silent
    middle = solved.z + gain @ (data.middle - data.mean)
    calibration, level, rule = None, 0.0, None
    Z = np.asarray(solved.Z)
    if instrument is not None and not silent:
        exact, calibration, level = instrument.kernel.map, instrument.calibration, 1.0
        slope = np.asarray(S @ Z)
        gain, middle = _matched(design_program, data, own, gain, middle, slope @ exact.gain)
        offset = np.asarray(S @ middle) - slope @ exact.middle
        rule = Rule(instrument.names, offset, slope)
    else:
        exact = FixedMap.of(
            np.zeros((S.shape[0], q)) if silent else np.asarray(S @ gain),
            np.asarray(S @ middle), data.lower, data.upper, privacy.neighbours.grain,
        )  # fmt: skip
        gain, middle = _matched(design_program, data, own, gain, middle, exact.gain, exact.middle)
    if not silent and rule is None:
        floor = 0.0 if design_program.asked is None else design_program.asked.floor
        calibration = calibrated(privacy, exact, unit, floor * unit.scale)
        level = calibration.scale / unit.scale
        Z = Z * (level / solved.level)
    recourse = Recourse(Z)
    expected = middle + gain @ (data.mean - data.middle)
    wider = 1.0 if calibration is None else _wider(calibration, unit)
    residual = design_program.residual(expected, gain[:, data.moving], wider * Z, found.margins)
    if residual > RESIDUAL:
        raise SolverError(
            "the policy found does not keep its margins in exact numbers.",
            "margins kept up to rounding.",
            "rescale the data, or use a tighter Settings(tolerance=).",
            private=f"residual {residual:.3g}",
        )
    if calibration is None or rule is None:
        claim = policy_claim(privacy, calibration)
    else:
        claim = rule_claim(privacy, calibration)
    priced = None
    if curved is None:
        C2 = program.quadratic
        noise = unit.deviation**2 * recourse.energy(C2)
        moved = float((gain * np.asarray(C2 @ gain)).sum(axis=0) @ data.variance)
        cost = program.cost(expected) + moved + noise
    else:
        answering = Answering(curved, curved.lifted(Z), unit)
        centre = curved.whole(expected[None])[0]
        priced = policy_cost(answering, centre, curved.lifted(gain), data)
        cost = float(priced.value)
    off = (np.asarray(S @ expected) + answers.drawn @ np.asarray(S @ gain).T) - answers.values
    worth = Worth.of(
        question.names, off, answers.values, 0.0 if calibration is None else calibration.epsilon,
        noise=deviations(calibration, rule, len(question.names)),
        narrow=narrow_entries(program.private_names, exact.box, privacy.neighbours),
    )  # fmt: skip
    if curved is not None:
        middle, gain = curved.completed(curved.whole(middle[None]))[0], curved.lifted(gain)
        recourse = Recourse(curved.lifted(Z))
    return Policy(
        program=program,
        S=question.S,
        kernel=PolicyKernel(
            names=question.names,
            data_names=program.data_names,
            private=program.private,
            privacy=privacy,
            map=exact,
            calibration=calibration,
            guarantee=Guarantee(claim, found.claim),
            rule=rule,
            worth=worth,
            units=None if program.units is None else program.units.of_rows(question.S),
        ),
        affine=Affine(middle, recourse, gain),
        sensitivity=level,
        cost=cost,
        loss=(cost - optimal) / scale,
        distance=float(np.linalg.norm(worth.errors)),
        unit=unit,
        residual=residual,
        drawn=None if data.uniform else data.mean + answers.drawn,
        priced=priced,
    )


def _wider(calibration: Calibration, unit: Calibration) -> float:
    """How much further bounded noise reaches on the grid it has in the end, relative to its scale.

    The margins were made for the bound and the grid of `unit`.
    """
    if not math.isfinite(unit.law.bound):
        return 1.0

    def most(made: Calibration) -> float:
        return made.law.bound + math.ldexp(0.5, made.exponent) / made.scale

    return max(1.0, most(calibration) / most(unit))


def _matched(
    program: NoisyProgram,
    data: PrivateData,
    own: Any,  # noqa: ANN401 -- positions of the program's equalities
    gain: Dense,
    middle: Vector,
    slope: Dense,
    start: Vector | None = None,
) -> tuple[Dense, Vector]:
    """The gain and the offset whose released part is `slope` and, if given, `start`."""
    at, start = data.moving, np.asarray(program.S @ middle) if start is None else start
    middle = program.matched(middle, data.target(data.middle)[own], start)
    if len(at):
        gain[:, at] = program.matched(gain[:, at], data.F[:, at].toarray()[own], slope[:, at])
    return gain, middle
