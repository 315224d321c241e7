"""Why an optimal cost lies in an interval: an affine rule with chords above, multipliers below.

Found by solvers; `ends` holds by arithmetic alone, in exact fractions and sums rounded outwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.mechanisms.measured.certificate import Certificate, table
from privopt.model.matrix_file import matrix, read_matrix
from privopt.model.program import ConvexProgram
from privopt.plain import floats, listed
from privopt.solving.limits import every_variable, limits_of
from privopt.solving.robust.cost_above import Chords, upper_end
from privopt.solving.robust.cost_below import Multipliers, lower_end
from privopt.solving.robust.squares import Squares

__all__ = ["CostCertificate"]


@dataclass(frozen=True, repr=False, eq=False)
class CostCertificate:
    """What bounds the optimal cost over a region from both sides.

    Attributes
    ----------
    rule
        A solution z0 + K (u - middle) that keeps every limit, heights of epigraphs included.
    squares, chords
        The quadratic part of the cost, and a line above each square along the rule.
    multipliers
        Of rows, equalities and cones, which bound the cost from below.
    """

    rule: Certificate
    squares: Squares
    chords: Chords
    multipliers: Multipliers

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")  # no number, no proof
    def ends(self, program: ConvexProgram) -> tuple[float, float]:
        """The interval as it is proven; infinite where it is not."""
        one, squares = self.rule, self.squares
        limits = limits_of(program, every_variable(program.n), one.polygons)
        upper = upper_end(
            limits, program.constant, squares, one.target, one.F, one.z0, one.dense, one.m,
            one.region, self.chords,
        )  # fmt: skip
        if not math.isfinite(upper):
            return -math.inf, math.inf
        lower = lower_end(
            program, program.constant, squares, one.target, one.F, one.region, self.multipliers,
            upper,
        )  # fmt: skip
        return lower, upper

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        chords, found = self.chords, self.multipliers
        return {
            "rule": self.rule.to_dict(),
            "weights": self.squares.weights.tolist(),
            "squares": matrix(self.squares.vectors),
            "low": chords.low.tolist(),
            "high": chords.high.tolist(),
            "ends": chords.m.tolist(),
            "price": chords.price.tolist(),
            "rows": found.rows.tolist(),
            "equalities": found.equalities.tolist(),
            "cones": found.cones.tolist(),
            "tangents": found.tangents.tolist(),
            "slabs": found.slabs.tolist(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any], program: ConvexProgram) -> CostCertificate:
        """What `to_dict` wrote; ValueError if it does not fit the program."""
        rule = Certificate.from_dict(data["rule"], program, every_variable(program.n))
        k, r = len(listed(data["weights"])), len(rule.region.low)
        squares = Squares(floats(data["weights"], k), read_matrix(data["squares"], k, program.n))
        ends = table(data["ends"], 2 * k, r)
        chords = Chords(
            floats(data["low"], k), floats(data["high"], k), ends, floats(data["price"], r)
        )
        found = Multipliers(
            floats(data["rows"], len(program.rows)),
            floats(data["equalities"], len(program.equalities)),
            floats(data["cones"], 3 * len(program.cones)),
            floats(data["tangents"], k),
            floats(data["slabs"], r),
        )
        return cls(rule, squares, chords, found)
