"""One random instance, and what released values come to at its d.

    loss        mean over draws of [ c(z^) - c(z*) ] / |c(z*)|, z^ the best completion of a release
    distance    root mean square over draws of ||release - S z*||
    spread      root mean square of ||S z*(u) - its mean||, u uniform on the domain

The paper's instances are those of `privopt.experiments.instance`; PGLib's have the loads,
generators and costs of the file, with d drawn uniformly from the domain around its loads: at the
middle itself a constant would be right by chance. Loads that are not zero are private, each within
5% of the file's; the supply of 30% of the generators that can vary is released; alpha is 2% of the
largest load.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import privopt as po
from privopt.arrays import Dense, Vector
from privopt.mechanisms.completed import SolutionCosts, optima
from privopt.mechanisms.completion import Completion, holding
from privopt.mechanisms.measured.candidates import Candidate, curvature, proposed
from privopt.mechanisms.measured.task import DecisionTask
from privopt.model.program_file import protecting
from privopt.noise.calibration import Calibration
from privopt.solving.robust.region import Region
from privopt.solving.scaling import TOLERANCE

__all__ = ["Conditions", "Subject", "drawn"]

_WIDTH = 0.05  # half-width of PGLib's domain, relative to each load
_SHARE = 0.3  # of the generators that can vary, released
_CHANGE = 0.02  # alpha, relative to the largest load
_NOISE, _PUBLIC = 1, 2  # streams of random numbers: of the noise, and of what is public


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What the numbers depend on besides network, seed and mechanism.

    Attributes
    ----------
    source
        "paper" for its random instances, "pglib" for the loads and generators of the file.
    draws
        Draws of the noise for each instance.
    alpha
        Change of an entry that is hidden; None for PGLib: 2% of the largest load.
    width
        Half-width of PGLib's domain relative to each load; None for the paper's.
    """

    source: str = "paper"
    draws: int = 6
    epsilon: float = 1.0
    alpha: float | None = 0.1
    eta: float = 0.025
    beta: float = 0.01
    width: float | None = None


@dataclass(frozen=True, eq=False)
class Subject:
    """One instance.

    Attributes
    ----------
    program, query, domain, alpha
        The program with its d, what is released, where d may lie, and what change is hidden.
    seconds
        Time limit of one mechanism.
    """

    program: po.ConvexProgram
    query: po.Identity
    domain: po.Box
    alpha: float
    conditions: Conditions
    seed: int
    seconds: float

    @property
    def privacy(self) -> po.Laplace:
        """The noise."""
        return po.Laplace(epsilon=self.conditions.epsilon, alpha=self.alpha)

    @property
    def settings(self) -> po.Settings:
        """With the time limit."""
        return po.Settings(time_limit=self.seconds)

    @cached_property
    def S(self) -> Any:  # noqa: ANN401 -- scipy sparse
        """The query matrix."""
        return self.query.matrix(self.program)

    @cached_property
    def optimum(self) -> po.Optimum:
        """The non-private answer."""
        return self.program.solve()

    @cached_property
    def answer(self) -> Vector:
        """What would be released without privacy."""
        return np.asarray(self.S @ self.optimum.z)

    @cached_property
    def task(self) -> DecisionTask:
        """Decisions on this instance, prepared for any measurement."""
        names = self.program.private_names
        ends = self.domain.ends(len(names))
        everywhere = Region.of(*ends, *self.domain.slabs(names))
        return DecisionTask(self.program, self.query, everywhere, ends, self.settings)

    @cached_property
    def curvature(self) -> Dense:
        """How the loss curves in the private data."""
        return curvature(self.task, 0.0)

    @cached_property
    def candidates(self) -> dict[str, Candidate]:
        """What could be measured, by name."""
        every = proposed(self.task, self.curvature, self.program.private_names, {})
        return {one.name: one for one in every}

    @cached_property
    def spread(self) -> float:
        """How far the answers lie from their mean over the domain."""
        return float(np.linalg.norm(self.task.spreads))

    def noise(self, law: Calibration, draw: int) -> Vector:
        """The noise of a draw; of the same numbers for every mechanism, as far as they go."""
        rng = np.random.default_rng([self.seed, draw, _NOISE])
        return law.scale * law.law.sample(rng, (law.size,))

    def public(self, draw: int = 0) -> np.random.Generator:
        """Random numbers for what is public in a draw."""
        return np.random.default_rng([self.seed, draw, _PUBLIC])

    def judged(self, values: Dense) -> dict[str, Any]:
        """What releases (one a row) come to: loss, distance, and those without a completion.

        `failed` is the share that no feasible solution has, by the paper's test (a linear program);
        `unsolved` the share that has one whose least cost the solver did not find.
        """
        if not len(values):
            return dict.fromkeys(("loss", "distance", "failed", "unsolved"))
        d = np.tile(self.program.d, (len(values), 1))
        z = optima(holding(self.program, self.S), np.hstack([d, values]))
        missing = ~np.isfinite(z).all(axis=1)
        cost = SolutionCosts.of(self.program, z[~missing]).values
        failed = np.zeros(len(values), dtype=bool)
        if missing.any():
            test = Completion(self.program, self.S, self.program.right_hand_side())
            failed[missing] = test.impossible(values[missing], TOLERANCE)
        extra = (cost - self.optimum.cost) / abs(self.optimum.cost)
        square = np.square(values - self.answer).sum(axis=1).mean()
        return {
            "loss": float(extra.mean()) if len(extra) else None,
            "distance": float(np.sqrt(square)),
            "failed": float(failed.mean()),
            "unsolved": float((missing & ~failed).mean()),
        }


def drawn(network: str, seed: int, conditions: Conditions, seconds: float) -> Subject:
    """The instance of a network and a seed."""
    if conditions.source == "paper":
        one = po.experiments.instance(network, seed)
        alpha = 0.1 if conditions.alpha is None else conditions.alpha
        return Subject(one.program, one.query, one.domain, alpha, conditions, seed, seconds)
    rng = np.random.default_rng(seed)
    net, width = po.networks.load(network), conditions.width or _WIDTH
    whole = net.program()
    loaded = np.flatnonzero(net.buses.demand)
    units = len(net.generators)
    free = np.flatnonzero(whole.lower[:units] < whole.upper[:units])
    released = np.sort(rng.choice(free, max(1, math.floor(_SHARE * len(free))), replace=False))
    size = np.abs(net.buses.demand[loaded])
    lower, upper = whole.d[loaded] - width * size, whole.d[loaded] + width * size
    d = whole.d.copy()
    d[loaded] = rng.uniform(lower, upper)
    alpha = _CHANGE * float(size.max()) if conditions.alpha is None else conditions.alpha
    query = po.Identity(released.tolist())
    program = protecting(whole, loaded).at(d)
    return Subject(program, query, po.Box(lower, upper), alpha, conditions, seed, seconds)
