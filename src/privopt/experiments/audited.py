"""What an audit looks at: a mechanism and two neighbours, searched for or given.

On a network the pair is the one of the paper's random instance where a search found the releases
farthest apart; of a saved policy it is given, in two files of data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privopt.app.data import read_values
from privopt.arrays import Vector
from privopt.assess import lower_bound
from privopt.errors import InputError
from privopt.experiments.instance import instance
from privopt.feasibility import Analytic
from privopt.mechanisms.baselines import output_perturbation
from privopt.mechanisms.designing import design
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import solve
from privopt.mechanisms.policy import Policy
from privopt.noise import Laplace

__all__ = ["AuditCase", "saved_case", "searched_case"]

_ETA = 0.025  # of the paper's experiments
_FLOOR = 1.0  # noise level of the paper: a certified release that is not a constant


@dataclass(frozen=True, eq=False)
class AuditCase:
    """A mechanism and two neighbours.

    `computed` is the epsilon between the two by what is released without noise, where it is known;
    `claimed` the one that is claimed, where the releases do not say it.
    """

    title: str
    mechanism: Policy | Callable[[Any], Any]
    d: Vector
    d_prime: Vector
    computed: float | None = None
    claimed: float | None = None


@dataclass(frozen=True, eq=False)
class Naive:
    """A plan whose noise is drawn and added in floating point, as one should not."""

    plan: Plan
    rng: np.random.Generator

    def release(self) -> Vector:
        """S z~ + xi."""
        base = np.asarray(self.plan.S @ self.plan.expected)
        return base + self.rng.laplace(scale=self.plan.calibration.scale, size=len(base))


def searched_case(
    network: str | None, which: str, noise: Laplace, seed: int, tries: int
) -> AuditCase:
    """A mechanism on the paper's instance, at the pair where its releases lie farthest apart."""
    if network is None:
        raise InputError(
            "nothing to audit was named.",
            "a network, or a saved policy.",
            "write privopt audit 3_lmbd, or --policy FILE --data a.json --neighbour b.json.",
        )
    drawn = instance(network, seed)
    program, query, domain = drawn.program, drawn.query, drawn.domain
    kept = Analytic(eta=_ETA, margin="unimodal")
    margins = None if which == "output" else kept
    found = lower_bound(program, query, noise, margins, domain=domain, tries=tries, rng=seed)
    pair = found.witness

    def plan(d: Vector) -> Plan:
        return solve(program.at(d), query, noise, kept)

    rng = np.random.default_rng(seed)
    made: dict[str, Callable[[], Policy | Callable[[Any], Any]]] = {
        "paper": lambda: plan,
        "certified": lambda: design(program, query, noise, kept, domain=domain, floor=_FLOOR),
        "output": lambda: lambda d: output_perturbation(program.at(d), query, noise),
        "naive": lambda: lambda d: Naive(plan(d), rng),
    }
    title = (
        f"{network}, {which}: two data of the domain that differ in {pair.entry} by {pair.step:.3g}"
    )
    return AuditCase(
        title,
        made[which](),
        pair.d,
        pair.neighbour,
        computed=None if which == "certified" else found.epsilon,
        claimed=noise.epsilon if which == "naive" else None,
    )


def saved_case(
    policy: Path, data: Path | None, neighbour: Path | None, network: str | None
) -> AuditCase:
    """A saved policy at two data that are its neighbours."""
    if data is None or neighbour is None or network is not None:
        raise InputError(
            "a policy is audited on two files of data, and on no network.",
            "--policy FILE --data a.json --neighbour b.json.",
            "pass all three, and nothing before them.",
        )
    made = Policy.load(policy)
    d, d_prime = (read_values(path, made.program.data_names) for path in (data, neighbour))
    apart = np.abs(d - d_prime)[made.program.private]
    relation = made.privacy.neighbours
    if not relation.holds(apart / (1 + 1e-9)):
        raise InputError(
            f"{data} and {neighbour} are no neighbours.",
            f"{relation.words}.",
            "change entries of the one to make the other.",
        )
    return AuditCase(f"the policy {policy}", made, d, d_prime)
