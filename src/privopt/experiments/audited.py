"""What an audit looks at: a mechanism and two neighbours, searched for or given.

On a network the pair is the one of the paper's random instance where a search found the releases
farthest apart. Of a saved instrument it is the worst there is (`assess.worst`), or is given in two
files of data.
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
from privopt.assess.worst import kernel_of, worst_pair
from privopt.errors import InputError
from privopt.experiments.instance import instance
from privopt.feasibility import Analytic
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.mechanisms.baselines import output_perturbation
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import solve
from privopt.noise import Laplace
from privopt.recognise import kind_of

__all__ = ["AuditCase", "saved_case", "searched_case"]

_ETA = 0.025  # of the paper's experiments


@dataclass(frozen=True, eq=False)
class AuditCase:
    """A mechanism and two neighbours.

    `computed` is the epsilon between the two by what is released without noise, where it is known;
    `claimed` the one that is claimed, where the releases do not say it.
    """

    title: str
    mechanism: Instrument | Measurement | Callable[[Any], Any]
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
            "a network, or a saved instrument.",
            "write privopt audit 3_lmbd, or --instrument FILE.",
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
    made: dict[str, Callable[[], Callable[[Any], Any]]] = {
        "paper": lambda: plan,
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
        computed=found.epsilon,
        claimed=noise.epsilon if which == "naive" else None,
    )


def saved_case(
    path: Path, data: Path | None, neighbour: Path | None, network: str | None
) -> AuditCase:
    """A saved instrument or measurement, at its worst neighbours or at two that are given.

    Of a measurement its instrument is audited; its values are not looked at.
    """
    if (data is None) != (neighbour is None) or network is not None:
        raise InputError(
            "a saved mechanism was given with one file of data, or with a network.",
            "two files, --data a.json --neighbour b.json; or none, for its worst neighbours.",
            "pass both or neither, and nothing before them.",
        )
    made = (Measurement if kind_of(path) == Measurement.kind else Instrument).load(path)
    kernel, title = kernel_of(made), f"the {made.kind} {path}"
    if data is None or neighbour is None:
        pair = worst_pair(made)
        return AuditCase(f"{title}, {pair.words}", made, pair.d, pair.d_prime)
    d, d_prime = (read_values(one, kernel.data_names) for one in (data, neighbour))
    apart = np.abs(d - d_prime)[kernel.private]
    relation = kernel.privacy.neighbours
    if not relation.holds(apart / (1 + 1e-9)):
        raise InputError(
            f"{data} and {neighbour} are no neighbours.",
            f"{relation.words}.",
            "change entries of the one to make the other.",
        )
    return AuditCase(title, made, d, d_prime)
