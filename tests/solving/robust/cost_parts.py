"""A program, a region of its data, and the parts that both ends are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from tests.mechanisms.measured import cases
from tests.mechanisms.measured.cost_cases import Plain, corners

import privopt as po
from privopt.arrays import Dense, Vector
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.certificate import Certificate
from privopt.mechanisms.measured.cost_task import CostTask
from privopt.solving.limits import Limits, every_variable, limits_of
from privopt.solving.robust.cost_above import Chords, chords_of, upper_end
from privopt.solving.robust.cost_below import Multipliers, lower_end, multipliers
from privopt.solving.robust.region import Region
from privopt.solving.robust.squares import Squares
from privopt.solving.solver import Settings


@dataclass(frozen=True)
class Parts:
    """What both ends of the optimal cost over a region are made of."""

    task: CostTask
    region: Region

    @property
    def program(self) -> po.ConvexProgram:
        return self.task.program

    @property
    def squares(self) -> Squares:
        return self.task.squares

    @cached_property
    def rule(self) -> Certificate:
        draws = np.random.default_rng(0).uniform(
            self.region.middle - self.region.half, self.region.middle + self.region.half,
            (16, len(self.region.half)),
        )  # fmt: skip
        found = self.task.rule(self.region, self.task.optima(draws))
        assert isinstance(found, Certificate)
        return found

    @cached_property
    def limits(self) -> Limits:
        return limits_of(self.program, every_variable(self.program.n), self.rule.polygons)

    @cached_property
    def chords(self) -> Chords:
        one = self.rule
        return chords_of(self.limits, self.squares, one.target, one.F, one.z0, one.K, self.region)

    def upper(self, z0: Vector, K: Dense, chords: Chords, m: Any = None) -> float:
        """The upper end that a rule and chords prove."""
        one = self.rule
        return upper_end(
            self.limits, self.program.constant, self.squares, one.target, one.F, z0, K,
            one.m if m is None else m, self.region, chords,
        )  # fmt: skip

    @cached_property
    def multipliers(self) -> Multipliers:
        task = self.task
        target, F = task.data.target(self.region.middle), task.data.F
        found = multipliers(
            self.program, self.squares, task.scaling, target, F, self.region, Settings()
        )
        assert isinstance(found, Multipliers)
        return found

    def lower(self, found: Multipliers, cap: float) -> float:
        """The lower end that multipliers prove."""
        task = self.task
        target, F = task.data.target(self.region.middle), task.data.F
        return lower_end(
            self.program, self.program.constant, self.squares, target, F, self.region, found, cap
        )


def parts(seed: int) -> Parts:
    """Linear and quadratic costs, dense or diagonal; boxes with no, one or several slabs."""
    one, rng = cases.case(seed), np.random.default_rng(seed)
    belief = Belief.of(one.simulated(cases.inside(one, rng), rng), one.program)
    task = CostTask(one.program, belief, Settings().started())
    return Parts(task, belief.region(one.feasibility))


def true_ends(one: Parts) -> tuple[float, float]:
    """The least and the largest optimal cost over the region, in plain CVXPY."""
    plain = Plain.of(one.program)
    most = plain.values(one.program, corners(one.region)).max()
    return plain.least(one.program, one.region), float(most)
