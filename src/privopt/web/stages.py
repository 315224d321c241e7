"""The stages of a design, each handed on as soon as it is there. Public data alone.

    trial        the decision at the middle of the domain, or a plan at public data
    candidates   where what to measure is to be chosen: all that was tried
    worth        simulated: what the values tell, cost, failures
    front        the same at other epsilons

`run(job, drawn, tell, choose)` calls `tell(stage, done, total, part)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from privopt.app.advising import advise
from privopt.app.data import Data
from privopt.app.job import Job, needed
from privopt.app.making import chosen_instrument, instrument_of, solved
from privopt.app.measuring import tried
from privopt.app.tracing import frontier
from privopt.errors import InputError, PrivoptError
from privopt.kernel.instrument import Instrument
from privopt.mechanisms.measured.decision import Decision
from privopt.mechanisms.measured.simulating import FRESH
from privopt.web.drawn import Diagram
from privopt.web.front import advised, front_of, point_of
from privopt.web.grain import size_of
from privopt.web.results import (
    candidates_of,
    decision_parts,
    decision_size,
    eta_of,
    plan_parts,
)
from privopt.web.wording import on_screen, spoken
from privopt.web.worth import failures_of

__all__ = ["Tell", "run"]

Tell = Callable[[str, int, int, dict[str, Any]], None]
_SAMPLES = 500  # simulated releases whose failures are counted
_TIMES = (0.25, 0.5, 1.0, 2.0, 4.0)  # epsilons of a front, in multiples of the job's
_OWN = 1 + len(FRESH)  # simulated decisions before those at other epsilons


def run(job: Job, drawn: Diagram, tell: Tell, *, choose: bool = False) -> None:
    """Do all stages of a job."""
    if job.made_by() == "measured":
        _measured(job, drawn, tell, choose=choose)
    else:
        _plan(job, drawn, tell)


def _measured(job: Job, drawn: Diagram, tell: Tell, *, choose: bool) -> None:
    compared: Instrument | None = None
    if choose or job.measure == "choose":
        tell("candidates", 0, 0, {})
        instrument = chosen_instrument(job, lambda done, total: tell("candidates", done, total, {}))
        compared = instrument
        if choose and job.measure != "choose":  # what was asked for is shown, not what was found
            instrument = instrument_of(job)
    else:
        tell("trial", 0, 0, {})
        instrument = instrument_of(job)
    tell("trial", 0, 1, {})
    decision = tried(job, instrument)
    parts = decision_parts(decision, instrument, drawn)
    if compared is not None:
        parts["candidates"] = candidates_of(compared, decision_size(decision))
    tell("trial", 1, 1, parts)
    failures = _failures(decision)
    tell("worth", 0, 0, {"worth": {**parts["worth"], **failures}})
    _simulated(job, instrument, tell, failures)


def _simulated(job: Job, instrument: Instrument, tell: Tell, failures: dict[str, Any]) -> None:
    def progress(done: int, total: int) -> None:
        tell("worth" if done < _OWN else "front", done, total, {})

    try:
        found = advised(advise(replace(job, measure=instrument), progress))
    except PrivoptError as error:
        tell("front", 1, 1, {"not_simulated": f"{on_screen(error.got)} {spoken(error)}"})
        return
    found["worth"] |= failures
    tell("front", 1, 1, found)


def _failures(decision: Decision) -> dict[str, Any]:
    if decision.certificate is None:
        return {}
    completion = decision.verify(samples=_SAMPLES).completion
    return failures_of(completion, eta_of(decision.guarantee))


def _plan(job: Job, drawn: Diagram, tell: Tell) -> None:
    tell("trial", 0, 0, {})
    where, public = _at_public(job)
    plan = solved(public)
    parts = plan_parts(plan, drawn, where=where)
    tell("trial", 1, 1, parts)
    completion = plan.verify(samples=_SAMPLES).completion
    eta = eta_of(plan.guarantee)
    worth = {**parts["worth"], **failures_of(completion, eta)}
    tell("worth", 1, 1, {"worth": worth})
    own = plan.privacy.epsilon
    values = [float(f"{times * own:.3g}") for times in _TIMES]
    found = frontier(
        public,
        "epsilon",
        values,
        decisions=False,
        progress=lambda done, total: tell("front", done, total, {}),
    )
    size = size_of(plan.program, plan.expected)
    points = [
        point_of(one.value, one.distance, one.completed, size)
        for one in found.points
        if one.status == "solved"
    ]
    here = next((one for one in points if one["epsilon"] == float(f"{own:.3g}")), None)
    tell("front", 1, 1, {"front": front_of(points, here, None)})


def _at_public(job: Job) -> tuple[str, Job]:
    """A job whose data are public: a network's own loads, or the middle of the domain."""
    source = needed(job.source, "program", "--network 14_ieee")
    if source.loads is not None:
        return "the public loads of the network", replace(job, data=None)
    if job.domain is None:
        raise InputError(
            "a plan is solved for the data, and there are no public ones to show one for.",
            "a network, whose loads are public; or a domain, whose middle is.",
            "give a domain, or choose another mechanism.",
        )
    low, high = job.domain.ends(source.program.private_names)
    d = np.zeros(len(source.program.data_names)) if source.public is None else source.public.copy()
    d[source.program.private] = 0.5 * (low + high)
    return "the middle of the domain", replace(job, data=Data(None, d.tolist(), {}))
