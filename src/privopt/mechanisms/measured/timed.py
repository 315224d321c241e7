"""Decisions of a program over many periods: sparse from end to end.

    z(u) = z0 + K (u - middle),    K by blocks of periods

The same question as that of `task`, and the same kind of certificate. What a dense gain would take
for 24 hours of 118 buses (a null space of thousands of variables, thousands of private entries)
is out of the question; K answers the data of an hour with variables of that hour, so that it is
sparse, and so are its margins, its program and its check. The program says which private entry
belongs to which period.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privopt.arrays import Dense, Sparse, Vector
from privopt.mechanisms.measured.certificate import Certificate
from privopt.mechanisms.private_data import PrivateData
from privopt.model.periods import Periods
from privopt.model.program import ConvexProgram
from privopt.solving.equilibration import scaled
from privopt.solving.problem import Outcome
from privopt.solving.robust.region import Region
from privopt.solving.robust.timed import Timed
from privopt.solving.robust.timed_deciding import TimedDecided, timed_decided
from privopt.solving.robust.timed_gain import TimedGain
from privopt.solving.robust.timed_program import TimedProgram
from privopt.solving.scaling import Scaling
from privopt.solving.solver import Settings
from privopt.solving.sparse import taken

__all__ = ["WIDE", "TimedTask", "draws_of", "wide"]

WIDE = 40_000  # numbers of a gain K from which on one by periods is quicker
_TIGHT = 1e-7  # of the size of a row: limits are so much tighter than they are, for solvers
_NEAR = 0.05  # of the size of a row: what lies so near to its limit at some optimum may bind
_NUMBERS = 64_000  # variables of all draws together,
_MOST, _LEAST = 40, 8  # by so many draws


def wide(program: ConvexProgram) -> bool:
    """Whether a program has periods and is large enough for them to matter."""
    return program.periods is not None and program.n * len(program.private) > WIDE


def draws_of(program: ConvexProgram) -> int:
    """How many draws there are of the private data of such a program, for objective and loss.

    From 40 (1,600 variables) to 8 (8,000 and more): each is a copy of the program.
    """
    return int(np.clip(_NUMBERS // program.n, _LEAST, _MOST))


@dataclass(frozen=True, repr=False, eq=False)
class TimedTask:
    """One program, query and domain; many measurements.

    Attributes
    ----------
    program, periods, data, scaling, settings
        The program without private data, its periods, its private data as a design sees them,
        units, and how to solve.
    S, factors
        The query, and what its values are multiplied by in scaled units.
    optima
        Optima at public draws: rows near their limits there are likely to bind.
    """

    program: ConvexProgram
    periods: Periods
    data: PrivateData
    scaling: Scaling
    settings: Settings
    S: Sparse
    factors: Vector
    optima: Dense

    @cached_property
    def _gains(self) -> TimedGain:
        program, scaling = self.program, self.scaling
        G = scaling.independent(program)
        F = taken(
            scaled(self.data.F, np.ones(self.data.F.shape[1]), scaling.equality_factors),
            program.independent,
        )
        timed = Timed.of(G, F, self.periods.of, len(self.periods), program.fixed)
        query = scaled(self.S, scaling.columns, self.factors)
        return TimedGain(timed, scaling.rows(program.rows.matrix), G, query, F)

    @cached_property
    def _limits(self) -> tuple[Vector, Vector]:
        """Limits of the rows, a little tighter, and their sizes."""
        bounds = self.scaling.bounds(self.program.rows.bound)
        sizes = 1 + np.abs(bounds)
        return bounds - _TIGHT * sizes, sizes

    @cached_property
    def _likely(self) -> np.ndarray:
        """Rows that draws have from the start."""
        A, (limits, sizes) = self._gains.A, self._limits
        z = self.optima[np.isfinite(self.optima).all(axis=1)] / self.scaling.columns
        slack = limits[:, None] - np.asarray(A @ z.T)
        near = (slack <= _NEAR * sizes[:, None]).any(axis=1)
        return near | (np.diff(A.indptr) == 1)

    @property
    def possible(self) -> bool:
        """Whether values can be chosen before the data are known, as far as such gains show."""
        even = np.ones(self._gains.A.shape[0])
        return any(self._gains.gain(even, coupled=one) is not None for one in (False, True))

    def decided(
        self, region: Region, draws: Dense, weight: Vector, answer: Vector
    ) -> tuple[Vector, Certificate] | Outcome:
        """The values of least mean cost that have a certificate over the region.

        Parameters
        ----------
        weight, answer
            Of the squared distance from `answer`, one for each value, in scaled units.
        """
        program, scaling, gains = self.program, self.scaling, self._gains
        factors = scaling.equality_factors

        def targets(u: Dense) -> Dense:
            return (self.data.target(u.T).T * factors)[..., program.independent]

        limits, sizes = self._limits
        found = timed_decided(
            TimedProgram(
                A=gains.A, limits=limits, sizes=sizes, G=gains.G, targets=targets(draws),
                middle=targets(region.middle), linear=scaling.linear(program.linear),
                quadratic=scaling.quadratic(program.quadratic), S=gains.S, fidelity=weight,
                answer=answer, entered=self._likely.copy(), settings=self.settings,
            ),
            gains,
            region,
        )  # fmt: skip
        if isinstance(found, Outcome):
            return found
        certificate = self._lifted(region, found)
        return np.asarray(self.S @ certificate.z0), certificate

    def _lifted(self, region: Region, found: TimedDecided) -> Certificate:
        """The certificate in the units of the program, with equalities kept to rounding."""
        program, scaling, gains = self.program, self.scaling, self._gains
        target = self.data.target(region.middle)
        due = (target * scaling.equality_factors)[program.independent]
        x = found.choice.z
        for _ in range(2):
            x = x + scaling.projector(program).correction(due - np.asarray(gains.G @ x))
        z0 = scaling.variables(x)
        z0[program.fixed] = program.lower[program.fixed]
        K = scaled(found.K, np.ones(found.K.shape[1]), scaling.columns)
        factors = scaling.row_factors[:, None]
        return Certificate(region, target, self.data.F, z0, K, found.m / factors)
