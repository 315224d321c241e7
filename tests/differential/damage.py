"""One number of a certificate changed: what exact fractions and `Decision.check()` say then."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from tests.differential.decided import Case
from tests.differential.exact import Proof, prove
from tests.differential.nice import Generator

import privopt as po

PARTS = ("middle", "half", "low", "high", "solution", "gain", "multipliers", "polygons", "values")


class Damage(NamedTuple):
    """Where a number was changed, by how much, what fractions say of it, and privopt."""

    seed: int
    part: str
    by: float
    proof: Proof
    holds: bool


def damages(seed: int, tries: int) -> Iterator[Damage]:
    """Damage to the decision of a seed, by 1e-13 to 1 of a number; none if there is no decision."""
    case = Case(seed)
    made, claim, rng = case.decide(), case.claim, np.random.default_rng([8, seed])
    for _ in range(0 if made is None else tries):
        file: Any = json.loads(json.dumps(made.to_dict() if made else {}))
        part, by = str(rng.choice(PARTS)), float(rng.choice([-1, 1]) * 10.0 ** rng.uniform(-13, 0))
        if changed(file if part == "values" else file["certificate"], part, by, rng):
            yield Damage(seed, part, by, prove(json.dumps(file), claim), accepted(file))


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
