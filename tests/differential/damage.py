"""One number of a certificate changed: what exact fractions and `Decision.check()` say then."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from tests.differential.decided import claim_of, decide, drawn
from tests.differential.exact import prove
from tests.differential.nice import Generator

import privopt as po

PARTS = ("middle", "half", "low", "high", "solution", "gain", "multipliers", "polygons", "values")


class Damage(NamedTuple):
    """Where a number was changed, by how much, and what is said of it.

    `proven`: by fractions; `solved`: they find a solution for all data near that of the file, but
    its equalities are off by more than rounding; `holds`: what privopt says.
    """

    seed: int
    part: str
    by: float
    proven: bool
    solved: bool
    holds: bool


def damages(seed: int, tries: int) -> Iterator[Damage]:
    """Damage to the decision of a seed, by 1e-13 to 1 of a number; none if there is no decision."""
    one, measurements, timed = drawn(seed)
    made = decide(one, measurements, timed=timed)
    if made is None:
        return
    file: Any = made.to_dict()
    rng, claim = np.random.default_rng([8, seed]), claim_of(one, measurements)
    for _ in range(tries):
        part, by = str(rng.choice(PARTS)), float(rng.choice([-1, 1]) * 10.0 ** rng.uniform(-13, 0))
        other = copy.deepcopy(file)
        holder = other if part == "values" else other["certificate"]
        if changed(holder, part, by, rng):
            proof = prove(json.dumps(other), claim)
            solved = proof.covers and proof.inside and proof.slack >= 0
            yield Damage(seed, part, by, proof.holds, solved, accepted(other))


def changed(holder: Any, key: Any, by: float, rng: Generator) -> bool:
    """Change one number somewhere in `holder[key]`; False if there is none."""
    inner = holder.get(key) if isinstance(holder, dict) else holder[key]
    if isinstance(inner, dict):  # a sparse matrix
        return changed(inner, "data", by, rng)
    if isinstance(inner, list):
        return bool(inner) and changed(inner, int(rng.integers(len(inner))), by, rng)
    if inner is not None:
        holder[key] = inner + by * max(1.0, abs(inner))
    return inner is not None


def accepted(file: dict[str, Any]) -> bool:
    """Whether privopt reads the file and finds that its certificate holds."""
    try:
        return po.Decision.from_dict(file).check().holds
    except (ValueError, KeyError, po.errors.PrivoptError):
        return False
