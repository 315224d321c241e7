"""Decide, from a measurement and public data alone, what to release.

    measurement -> U(y), where the data lie with probability 1 - eta       `belief`
                -> draws of what it leaves possible                        `posterior`
                -> values of least mean cost that have a certificate       `task`
                -> their loss and distance, on fresh draws that are not cut to U(y)

d is taken out of the program first: the same y and public data give the same bytes, whatever d is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from privopt.arrays import Vector, vector
from privopt.claims.estimate import MeanEstimate
from privopt.claims.guarantee import Claim, Guarantee, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms, PrivacyTerms
from privopt.errors import InfeasibleError, NotImplementableError
from privopt.feasibility.exact_box import ExactBox
from privopt.feasibility.protocol import Feasibility
from privopt.kernel.measurement import Measurement
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.decision import Certificate, Decision
from privopt.mechanisms.measured.task import DecisionTask, Outlook
from privopt.mechanisms.question import check_arguments
from privopt.model.program import ConvexProgram, stopped
from privopt.model.query import Query
from privopt.randomness import generator_of
from privopt.scalars import real
from privopt.solving.problem import Outcome
from privopt.solving.robust.region import Region
from privopt.solving.solver import Settings
from privopt.solving.threads import one_thread

__all__ = ["DRAWS", "FRESH", "decide", "decided_by"]

DRAWS = 160  # for the objective
FRESH = 128  # for loss and distance


def decide(
    program: ConvexProgram,
    query: Query,
    measurement: Measurement | Iterable[Measurement],
    feasibility: Feasibility,
    *,
    fidelity: float = 0.0,
    prior: Any = None,  # noqa: ANN401 -- the edge
    balance: Any = None,  # noqa: ANN401 -- the edge
    fallback: Any = None,  # noqa: ANN401 -- the edge
    rng: int | np.random.Generator | None = None,
    settings: Settings | None = None,
) -> Decision:
    """Choose the released values from a measurement.

    A public computation: d is not looked at, and nothing is charged. One measurement serves any
    number of decisions, with other queries, limits, costs or networks on the same data.

    Parameters
    ----------
    program, query
        What is solved and which values of its solution are released. If the program holds d, its
        private entries are taken out before anything is computed.
    measurement
        What `instrument.measure(d)` returned; or several measurements of the same data.
    feasibility
        `ExactBox(eta=)`: the values can be completed with probability at least 1 - eta, all rows
        together. `Always()`: with bounded noise, always.
    fidelity
        Weight of the mean squared distance from the non-private answers.
    prior
        Public draws of the private entries, one a row; uniform on the domain unless given.
    balance
        Where G is rank-deficient: the entries of d that absorb a change of a private one.
    fallback
        Values to take where there is no decision at this y: name them before y is known. Nothing
        is claimed about their feasibility.
    rng
        Seed or generator of the public draws; the same ones in every run unless given.
    settings
        Tolerance, time limit, threads.

    Raises
    ------
    NotImplementableError
        Some values follow from the data alone: they cannot be chosen before these are known.
    InfeasibleError
        No values have a certificate at this y. That is public, and says what would do.
    """
    check_arguments(program=program, query=query, feasibility=feasibility, settings=settings)
    weight = real(fidelity, "fidelity", "a number >= 0.", "use 0 for none.", low=0.0)
    with one_thread():
        belief = Belief.of(measurement, program)
        running = (settings or Settings()).started()
        task = DecisionTask(program, query, belief.domain, running, prior=prior, balance=balance)
        generator = generator_of(0 if rng is None else rng)
        given = None
        if fallback is not None:
            given = vector(fallback, len(task.names), "fallback", labels=task.names)
        return decided_by(task, belief, feasibility, weight, generator, given)


def decided_by(
    task: DecisionTask,
    belief: Belief,
    feasibility: Feasibility,
    fidelity: float,
    rng: np.random.Generator,
    fallback: Vector | None = None,
) -> Decision:
    """The decision of a prepared task."""
    region = belief.region(feasibility)
    draws = belief.draws(DRAWS, rng, within=region, prior=task.prior)
    if not len(draws):  # none of the prior's own draws is possible any more
        draws = belief.draws(DRAWS, rng, within=region)
    found = task.decided(region, draws, fidelity)
    fresh = task.draws(belief, FRESH, rng)
    if isinstance(found, Outcome):
        if found is not Outcome.INFEASIBLE or fallback is None:
            raise _none(task, region, found)
        outlook = task.outlook(fallback, fresh)
        return _decision(task, belief, fallback, None, outlook, _unclaimed())
    q, certificate = found
    outlook = task.outlook(q, fresh)
    return _decision(task, belief, q, certificate, outlook, _claim(task, belief, feasibility))


def _decision(
    task: DecisionTask,
    belief: Belief,
    q: Vector,
    certificate: Certificate | None,
    outlook: Outlook,
    claim: Claim,
) -> Decision:
    return Decision(
        values=q,
        names=task.names,
        measurements=belief.measurements,
        guarantee=Guarantee(_privacy(belief), claim),
        certificate=certificate,
        completed_loss=MeanEstimate.over((outlook.completed - outlook.optimal) / task.scale),
        errors=np.sqrt(np.nanmean(np.square(outlook.answers - q), axis=0)),
        spreads=task.spreads,
        program=task.program.without_data(),
        S=task.S,
    )


def _privacy(belief: Belief) -> Claim:
    """What is claimed of privacy: that of the measurements together."""
    claims = [one.claim for one in belief.measurements if one.claim is not None]
    terms = PrivacyTerms.of(belief.instruments[0].privacy)
    if not claims:
        return Claim.of(
            replace(terms, epsilon=0.0, delta=0.0, family=""),
            Provenance.PROVEN,
            "nothing was measured: the values are made from public data",
            Scope.NEIGHBOURS,
        )
    after = "the values are computed from the measurement and public data alone"
    if len(claims) == 1:
        return replace(claims[0], because=f"{after}; {claims[0].because}")
    each = [one.terms for one in claims if isinstance(one.terms, PrivacyTerms)]
    families = {one.family for one in each}
    total = replace(
        each[0],
        epsilon=sum(one.epsilon for one in each),
        delta=sum(one.delta for one in each),
        family=families.pop() if len(families) == 1 else "",
    )
    return Claim.of(
        total,
        Provenance.PROVEN,
        f"{after.replace('measurement', f'{len(claims)} measurements')}, whose losses add up",
        Scope.NEIGHBOURS,
    )


def _claim(task: DecisionTask, belief: Belief, feasibility: Feasibility) -> Claim:
    """What is claimed of feasibility."""
    eta = feasibility.eta if isinstance(feasibility, ExactBox) else 0.0
    measured = any(one.release is not None for one in belief.measurements)
    where = "every data that the measurement leaves possible" if measured else "all of the domain"
    sure = ", which the true data are with that probability" if measured and eta else ""
    return Claim.of(
        FeasibilityTerms(len(task.program.rows), eta if measured else 0.0, everywhere=True),
        Provenance.PROVEN,
        f"an affine solution with these values keeps every row for {where}{sure}; check() looks at "
        "its multipliers in exact fractions",
        Scope.JOINT,
    )


def _unclaimed() -> Claim:
    return Claim(
        "nothing is claimed about feasibility",
        Provenance.ASSUMED,
        "no decision has a certificate at this measurement, and these are the values that were "
        "named in advance for that case",
        Scope.NONE,
    )


def _none(task: DecisionTask, region: Region, outcome: Outcome) -> Exception:
    """The error where there is no decision."""
    if outcome is not Outcome.INFEASIBLE:
        return stopped(outcome)
    if not task.certifier(region).possible:
        return NotImplementableError(
            "some released values follow from the data alone.",
            "values that can be chosen before d is known.",
            "leave out the values that the equalities determine.",
        )
    return InfeasibleError(
        "no values can be completed for all data that the measurement leaves possible.",
        "fewer possible data, or fewer values.",
        "measure more precisely (a larger epsilon, more sums), take a larger eta or a narrower "
        "domain, release fewer values, or name a fallback= in advance.",
    )
