"""One instance, published in three ways: noise outside, noise inside, measured.

    outside     y = S z* + xi          the optimum, then noise on it: output perturbation
    inside      y = S z~ + xi          the paper's plan: its margins leave room for the noise
    measured    y = q(1'd + xi)        noise on one sum; the values are decided from it in public

The instance is one of the paper's on 39_epri: private demands at 39 nodes, eleven supplies to be
published, epsilon 1 for a change of 0.1 in one demand. Its demands are made up, so that a page may
show what a curator would keep: the answer without privacy, how far releases lie from it, and how
often they cannot be carried out. All three are simulated at the same demands. Beside them stands
the constant, which is decided without measuring anything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privopt.arrays import Vector
from privopt.claims.guarantee import Guarantee
from privopt.experiments.decisions import Decisions, decisions
from privopt.experiments.instance import SUPPLY, Instance, instance
from privopt.feasibility import Analytic, ExactBox
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.ledger.ledger import Ledger
from privopt.mechanisms.baselines import output_perturbation
from privopt.mechanisms.measured.deciding import decide
from privopt.mechanisms.measured.decision import Decision
from privopt.mechanisms.planning import solve
from privopt.noise import Laplace

__all__ = ["ETA", "NETWORK", "NOISE", "Story", "Way", "story"]

NETWORK = "39_epri"
ALPHA = 0.1  # change of one demand that is hidden
NOISE = Laplace(epsilon=1.0, alpha=ALPHA)
ETA = 0.025
DRAWS = 1000  # releases that are simulated of noise outside and inside
SIMULATED = 3  # measurements that are: each is decided anew, which takes a second


@dataclass(frozen=True, eq=False)
class Way:
    """One way of publishing the supplies, one release of it, and what simulation found.

    Attributes
    ----------
    name
        In two words.
    epsilon, guarantee
        The privacy loss that is claimed, and how both claims are known.
    values, errors
        What was released, and how far each value lies from the answer (root mean square).
    impossible, releases
        Share of the simulated releases that no feasible dispatch has, and how many there were.
    loss
        Mean extra cost, a fraction, once the rest is optimised again; None where most releases
        cannot be carried out.
    """

    name: str
    epsilon: float
    guarantee: Guarantee
    values: Vector
    errors: Vector
    impossible: float
    releases: int
    loss: float | None

    @property
    def distance(self) -> float:
        """Root mean square distance of a release from the answer."""
        return float(np.linalg.norm(self.errors))

    @property
    def limits(self) -> str:
        """What is promised of the limits, in a few words."""
        claim = self.guarantee.feasibility
        words = {"row": "each", "joint": "all"}.get(claim.scope.value)
        if words is None:
            return "no promise"
        return f"{words}, {1 - ETA:.1%}" if self.epsilon else f"{words}, always"


@dataclass(frozen=True, eq=False)
class Story:
    """The instance, the three ways and the constant beside them.

    Attributes
    ----------
    names, limits, answer
        Of the released values: what they are called, between which limits they must lie, and the
        optimum without privacy.
    measurement, total
        All that was computed from the demands; and the sum behind it, without noise.
    decision
        What was decided from the measurement, in public.
    """

    drawn: Instance
    names: tuple[str, ...]
    limits: tuple[float, float]
    answer: Vector
    outside: Way
    inside: Way
    measured: Way
    constant: Way
    measurement: Measurement
    total: float
    decision: Decision

    @property
    def epsilon(self) -> float:
        """The privacy loss that each of the three ways claims."""
        return NOISE.epsilon

    @property
    def eta(self) -> float:
        """How often the limits may fail."""
        return ETA

    @property
    def alpha(self) -> float:
        """The change of one demand that is hidden."""
        return ALPHA

    @property
    def ways(self) -> tuple[Way, ...]:
        """The three ways, in the order of the story."""
        return self.outside, self.inside, self.measured


def story(ledger: Ledger, seed: int = 0) -> Story:
    """Publish the instance in all ways; the measurement is charged to the ledger."""
    drawn = instance(NETWORK, seed)
    program, query, kept = drawn.program, drawn.query, ExactBox(eta=ETA)
    answer = np.asarray(query.matrix(program) @ program.solve().z)
    total, nothing = _instrument(drawn, total=True), _instrument(drawn)
    measurement = total.measure(program.d, ledger=ledger, key="demo: the total demand")
    decision = decide(program, query, measurement, kept)
    constant = decide(program, query, nothing.measure(program.d), kept)
    rng = np.random.default_rng(seed)
    simulated = decisions(
        program, query, NOISE, kept, domain=drawn.domain, rng=rng, instrument=total, count=SIMULATED
    )
    return Story(
        drawn,
        tuple(query.names(program)),
        SUPPLY,
        answer,
        _outside(drawn, seed),
        _inside(drawn, seed),
        _decided("measured", decision, simulated, answer),
        _decided("constant", constant, Decisions(program, query, "", (constant,), 1), answer),
        measurement,
        float(program.d[program.private].sum()),
        decision,
    )


def _outside(drawn: Instance, seed: int) -> Way:
    made = output_perturbation(drawn.program, drawn.query, NOISE)
    found = made.verify(samples=DRAWS, rng=seed).completion
    values = made.release().values
    errors = np.full(len(values), made.calibration.deviation)
    return Way(
        "noise outside",
        NOISE.epsilon,
        made.guarantee,
        values,
        errors,
        float(found.value),
        DRAWS,
        None,
    )


def _inside(drawn: Instance, seed: int) -> Way:
    made = solve(drawn.program, drawn.query, NOISE, Analytic(eta=ETA, margin="unimodal"))
    found, release = made.verify(samples=DRAWS, rng=seed).completion, made.release()
    return Way(
        "noise inside",
        NOISE.epsilon,
        made.guarantee,
        release.values,
        made.errors,
        float(found.value),
        DRAWS,
        made.completed_loss.value,
    )


def _instrument(drawn: Instance, *, total: bool = False) -> Instrument:
    sums = {"total": drawn.program.data_names} if total else {}
    return Instrument(sums, program=drawn.program, privacy=NOISE, domain=drawn.domain)


def _decided(name: str, made: Decision, simulated: Decisions, answer: Vector) -> Way:
    """A decision, and what others from simulated measurements come to."""
    return Way(
        name,
        made.epsilon,
        made.guarantee,
        made.values,
        np.sqrt(np.square(simulated.values - answer).mean(axis=0)),
        simulated.violation,
        len(simulated.made),
        float(simulated.loss.value),
    )
