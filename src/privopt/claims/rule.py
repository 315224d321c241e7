"""An affine rule: released values that are computed from a measurement, and from nothing else of d.

    values = offset + slope y,      y = W u + xi       (`kernel.instrument`)

y is made by the code that makes every release: exact integers, secure noise, one charge. The rule
comes after it, in floats: it is public, so what it makes of y is as private as y is. There may be
fewer sums than values, and each value has noise of its own size, slope_i xi.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.guarantee import Claim
from privopt.claims.privacy import policy_claim
from privopt.noise.calibration import Calibration, Privacy
from privopt.plain import floats, listed, texts

__all__ = ["Rule", "deviations", "rule_claim"]


@dataclass(frozen=True, eq=False)
class Rule:
    """values = offset + slope y, for sums y of the given names."""

    sums: tuple[str, ...]
    offset: Vector
    slope: Dense

    def at(self, y: Vector) -> Vector:
        """The released values for a measurement."""
        return self.offset + self.slope @ y

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "sums": list(self.sums),
            "offset": self.offset.tolist(),
            "slope": self.slope.tolist(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any], values: int) -> Self:
        """The rule that `to_dict` wrote, for some number of values; ValueError if it is none."""
        names = texts(data["sums"], len(listed(data["sums"])))
        if not names or len(set(names)) != len(names):
            raise ValueError
        slope = floats(data["slope"], values, len(names))
        return cls(names, floats(data["offset"], values), np.asarray(slope))


def deviations(noise: Calibration | None, rule: Rule | None, count: int) -> Vector:
    """Standard deviation of the noise on each value: its own, or that of a rule's sums."""
    each = 0.0 if noise is None else noise.deviation
    if rule is None:
        return np.full(count, each)
    return each * np.linalg.norm(rule.slope, axis=1)


def rule_claim(privacy: Privacy, noise: Calibration) -> Claim:
    """PROVEN, as that of the measurement is."""
    measured = policy_claim(privacy, noise, "W e_j")
    because = f"the values are a public function of one measurement of d, where {measured.because}"
    return replace(measured, because=because)
