"""Solving the design program under given margins of the noise.

Rows get their margins (over the domain of the private data and over the noise)
as they are found violated; all rows are checked at the end. What comes back is polished: G z = d,
G K = F, G Z = 0 and S Z = s I hold to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.noise.calibration import Calibration
from privopt.solving.directions import Directions, Positions
from privopt.solving.equilibration import scaled
from privopt.solving.faces import solve_faced
from privopt.solving.gain import GainData, GainModel
from privopt.solving.gain_columns import GainColumns
from privopt.solving.margins import Box, Margins
from privopt.solving.noisy import NoisyProgram, Solved
from privopt.solving.problem import Outcome
from privopt.solving.program import Program
from privopt.solving.projector import Projector
from privopt.solving.recourse import Recourse
from privopt.solving.refinement import Draws, Fixed, Refinement, Step, Tilt
from privopt.solving.scaling import FAR, Scaling, row_sizes
from privopt.solving.solver import Settings, solve_conic
from privopt.solving.space import Elimination
from privopt.solving.tightening import solve_tightened
from privopt.solving.working import WorkingSet

__all__ = ["DesignProgram", "Designed", "Specification"]

Parts: TypeAlias = tuple[Vector, Dense, Dense, float]
"""Scaled z, K, Z and s."""

_ROUNDS = 60
_PASSES = 3  # in which the directions of a gain of low rank are found
_GAP = 1e-6  # relative difference of cost and lower bound at which a solution is the optimum
_SETTLING = 3  # models of a norm before limits are moved by what they miss,
_LITTLE = 1e-4  # which is little, relative to the size of a row
_ROUGH = 1e-6  # tolerance while rows are still missing
_NEARLY = 2e-3  # a row this near to its limit then may as well be over it


@dataclass(frozen=True, repr=False, eq=False)
class Specification:
    """What a design is asked for, all of it public.

    Attributes
    ----------
    target
        Right-hand side of the equalities at the mean of the private data.
    F
        How the right-hand side follows the private data, equalities x q.
    low, high
        The domain of their deviation v from the mean.
    variance
        Of each entry of v.
    reach
        How far neighbours lie apart in each entry, at most.
    order
        The norm of the sensitivity, 1 or 2.
    floor
        Least noise, as a part of what the calibration has.
    fidelity, answer
        Fidelity, and mean (p) and covariance with v (p x q) of the non-private answer.
    rank
        Directions the columns of the gain share besides their own answers; None for any gain.
    """

    target: Vector
    F: Sparse
    low: Vector
    high: Vector
    variance: Vector
    reach: Vector
    order: int
    floor: float = 0.0
    fidelity: float = 0.0
    answer: tuple[Vector, Dense] | None = None
    rank: int | None = None


@dataclass(frozen=True, repr=False, eq=False)
class Designed(Solved):
    """A solution in the user's units, with its gain K (n x q) and noise level s."""

    gain: Dense | None = None
    level: float = 0.0


class _Way:
    """How models are solved: column by column or by cones, first roughly.

    `on_face`: by cones at once, on the face that holds the program.
    """

    def __init__(self, program: DesignProgram, refine: Refinement, *, on_face: bool) -> None:
        self._program, self._refine, self._on_face = program, refine, on_face
        at_once = isinstance(refine, Draws) or on_face
        self._columns = None if at_once else program.by_columns()
        self.rough = not on_face and (not isinstance(refine, Draws) or program.silent)
        self._left = program.asked.rank or 0

    def solve(self, working: WorkingSet, b: Vector) -> Parts | Outcome:
        """z, K, Z and s under the margins of the working set."""
        refine, program = self._refine, self._program
        if program.settings.seconds_left == 0.0:
            return Outcome.TIME
        cut = program.directions.group[refine.cuts.rows]
        groups = np.union1d(working.positions, cut)
        if self._columns is not None:
            found = self._columns.solve(groups, refine.model, refine.cuts, b)
            if found is not None:
                self.rough = found.rough
                return found.z, found.K, found.Z, found.s
            self._columns = None
        settings = program.settings
        if self.rough:
            found = program.by_cones(groups, refine, b, settings.easier(_ROUGH))
            if not isinstance(found, Outcome) or found is Outcome.INFEASIBLE:
                return found
            self.rough = False
        return program.by_cones(groups, refine, b, settings, on_face=self._on_face)

    def sharpen(self) -> None:
        """The same model to a finer tolerance, once the gain has all its directions."""
        if self._columns is not None and self._left:
            more = min(self._left, -(-(self._program.asked.rank or 0) // _PASSES))
            self._left -= more
            self._columns.share(more)
        elif self._columns is not None:
            self._columns.sharpen()
        else:
            self.rough = False

    def changed(self) -> None:
        """The working set is another one."""
        if self._columns is not None:
            self._columns.changed()

    def refined(self) -> None:
        """The margins are others, not far from those before."""
        if self._columns is not None:
            self._columns.refined()


@dataclass(frozen=True, repr=False)
class _Seen:
    """A Z of a solution, as a refinement looks at it."""

    dense: Dense

    @property
    def norms(self) -> Vector:
        return np.linalg.norm(self.dense, axis=1)


class DesignProgram(NoisyProgram):
    """One program, query and specification, ready to be solved under different margins.

    `silent` asks for a release that is a constant: no gain on what is released, and no noise.
    """

    def __init__(
        self,
        program: Program,
        S: Sparse,
        calibration: Calibration,
        asked: Specification,
        settings: Settings,
        near: Vector,
        *,
        silent: bool = False,
    ) -> None:
        scaling = Scaling.of(program, asked.target, calibration.scale)
        super().__init__(program, S, calibration, scaling)
        self.asked, self.settings, self.silent = asked, settings, silent
        self._optimum = near
        self._scale(scaling.refined(program, asked.target, near) or scaling)

    def _scale(self, scaling: Scaling) -> None:
        """Bring the program to scaled variables."""
        program, S, calibration, asked = self.program, self.S, self.calibration, self.asked
        self._scaling = scaling
        A, own = scaling.rows(program.rows.matrix), program.independent
        G = scaling.independent(program)
        self._b = scaling.bounds(program.rows.bound)
        self._limits = np.minimum(self._b, FAR**2)
        self._sizes = 1 + np.minimum(np.abs(self._b), FAR)
        # Entries of v in units of their own: half the width of the domain.
        self._unit = 0.5 * (asked.high - asked.low)
        query: Any = scaled(S, scaling.columns)
        answer = asked.answer
        # Released values in a unit of their own, too.
        size = np.sqrt(np.asarray(query.multiply(query).sum(axis=1)))
        self._value = float(size.max(initial=0.0)) or 1.0
        fidelity = scaling.kappa * asked.fidelity * self._value**2
        # A fidelity that outweighs the cost sets the unit of the objective.
        objective = 1.0 / max(1.0, fidelity)
        quadratic = objective * scaling.quadratic(program.quadratic)
        moved = (scaling.equality_factors[:, None] * (asked.F.toarray() * self._unit))[own]
        largest = float(np.abs(quadratic.data).max(initial=0.0)) or 1.0
        weight: Any = quadratic / largest + 1e-6 * sp.eye_array(program.n)
        gain = Projector(G, sp.csr_array(weight)).correction(moved)
        self._data = GainData(
            linear=objective * scaling.linear(program.linear),
            quadratic=quadratic,
            A=A,
            b=self._b,
            directions=Directions.of(A),
            G=G,
            d=scaling.targets(asked.target)[own],
            gain=gain,
            query=query / self._value,
            box=Box(asked.low / self._unit, asked.high / self._unit),
            spread=asked.variance / self._unit**2,
            reach=asked.reach / self._unit,
            order=asked.order,
            ratio=calibration.sensitivity / calibration.scale,
            floor=asked.floor * calibration.scale / self._value,
            variance=calibration.law.variance,
            fidelity=objective * fidelity,
            answer=None
            if answer is None
            else (answer[0] / self._value, answer[1] / self._unit / self._value),
        )
        self._on = Projector(G)
        self._both = Projector(sp.csr_array(sp.vstack([G, self._data.query])))
        self._elimination = Elimination(G, quadratic)
        self._memory: WorkingSet | None = None
        self._near = self._optimum / scaling.columns

    @property
    def directions(self) -> Directions:
        """Of the rows."""
        return self._data.directions

    @property
    def released_size(self) -> float:
        """What size released values have, by that of their variables."""
        return self._value

    def decisions(self) -> int:
        """Free decisions of z, K and Z."""
        n, q, p = self.program.n, self._data.private, self.noise_dimensions
        rank = len(self.program.independent)
        return (n - rank) * (1 + q) + p * (n - rank - p) + 1

    def spread(self, solved: Solved) -> tuple[Vector, Dense]:
        """Slack at the worst of the domain and A Z at scale one, relative to the rows' sizes."""
        rows, scale = self.program.rows, self.calibration.scale
        sizes = self.unit_deviation * scale * solved.Z.sizes
        size = row_sizes(rows.matrix, rows.bound, solved.z, sizes, self._scaling)
        slack = rows.bound - np.asarray(rows.matrix @ solved.z) - self._worst(solved)
        return slack / size, scale * solved.Z.under(rows.matrix) / size[:, None]

    def _worst(self, solved: Solved) -> Vector:
        """What the private data add to each row at the worst."""
        gain = getattr(solved, "gain", None)
        if gain is None:
            return np.zeros(self.rows)
        moved = np.asarray(self.program.rows.matrix @ gain)
        return Box(self.asked.low, self.asked.high).support(moved)

    def solve(self, margins: Margins) -> Designed | Outcome:
        """The optimum under the margins, or how the solver ended without one."""
        return self._in_units(
            lambda: solve_tightened(
                lambda by, allowed, on_face: self._tightened(margins, by, allowed, on_face=on_face),
                4 * self.settings.tolerance * self._sizes,
                self._sizes,
                sure=True,
            )
        )

    def _tightened(
        self, margins: Margins, by: Vector, allowed: Vector, *, on_face: bool
    ) -> Designed | Outcome:
        data = self._data
        b = self._limits - by
        refine = self._refinement(margins, allowed)
        working = self._memory or self._start()
        best: Designed | Outcome = Outcome.STALLED
        least = np.inf
        way = _Way(self, refine, on_face=on_face)
        inside, settling = np.zeros(len(b)), 0
        for _ in range(_ROUNDS):
            bounding = refine.below
            found = way.solve(working, b if bounding else b - inside)
            if isinstance(found, Outcome):
                self._memory = working
                return found if isinstance(best, Outcome) else best
            z, K, Z, s = self._polished(*found)
            ways = data.directions
            worst = data.box.support(ways.factor[:, None] * np.asarray(ways.D @ K)[ways.group])
            slack = b - np.asarray(data.A @ z) - worst
            seen = _Seen(ways.factor[:, None] * np.asarray(ways.D @ Z)[ways.group])
            if self.silent:
                step, excess = Step.DONE, -slack - allowed
            elif way.rough:
                roughly = Fixed(refine.model, self.noise_dimensions, allowed, self.unit_deviation)
                step, excess = roughly.look(seen, slack)  # pyright: ignore[reportArgumentType]
            else:
                step, excess = refine.look(seen, slack)  # pyright: ignore[reportArgumentType]
            if working.add(excess / self._sizes + (_NEARLY if way.rough else 0.0)):
                way.changed()
                continue
            if way.rough:
                way.sharpen()
                continue
            self._memory = working
            value = data.value(z, K, Z, s)
            if bounding and value >= least - _GAP * abs(least):
                return best
            done = self._finish(z, K, Z, s, margins)
            if step is Step.DONE and not inside.any():
                return done
            if step is not Step.BROKEN and value < least:
                best, least = done, value
            # Where models do not settle, the next one keeps away from the little this one misses.
            missed = np.maximum(excess, 0.0)
            settling += not bounding
            if not bounding and settling > _SETTLING and (missed <= _LITTLE * self._sizes).all():
                inside = np.maximum(1.5 * missed, inside)
            way.refined()
        return best

    def excess(self, z: Vector, gain: Dense, Z: Dense, margins: Margins) -> float:
        """The largest excess of a row, relative to its size, of a solution in the user's units."""
        scaling = self._scaling
        inward = 1.0 / scaling.columns
        found = self._finish(
            inward * z,
            inward[:, None] * gain * self._unit,
            inward[:, None] * Z * self.calibration.scale,
            0.0,
            margins,
        )
        return found.residual

    def matched(self, X: Dense, wanted: Dense, released: Dense) -> Dense:
        """X in the user's units, moved as little as can be so that G X = wanted, S X = released."""
        program, scaling = self.program, self._scaling
        off = (scaling.equality_factors * (wanted - np.asarray(program.equalities.matrix @ X)).T).T
        left = (released - np.asarray(self.S @ X)) / self._value
        right = np.concatenate([off[program.independent], left])
        return X + scaling.variables(self._both.correction(right))

    def _start(self) -> WorkingSet:
        data = self._data
        working = WorkingSet(
            data.directions, np.ones(len(data.directions.lead), dtype=bool), all_at_once=True
        )
        ways = data.directions
        moved = np.asarray(ways.D @ data.gain)[ways.group]
        worst = data.box.support(ways.factor[:, None] * moved)
        working.add((np.asarray(data.A @ self._near) + worst - self._b) / self._sizes)
        return working

    def by_cones(
        self,
        groups: Positions,
        refine: Refinement,
        b: Vector,
        settings: Settings,
        *,
        on_face: bool = False,
    ) -> Parts | Outcome:
        """The model for some directions, as a conic program.

        INFEASIBLE only where the certificate holds for rows that are not tightened, too.
        """
        data = self._data
        M: Any = sp.vstack([data.directions.D[groups], data.query], format="csr")
        model = GainModel(data, groups, self._elimination.space(M), self.silent)
        problem = model.conic(refine.model, refine.cuts, b)
        answer = solve_faced(problem, settings) if on_face else solve_conic(problem, settings)
        if answer.outcome is Outcome.OPTIMAL:
            return model.split(answer.x)
        if answer.outcome is Outcome.INFEASIBLE and not on_face:
            loose = model.conic(refine.model, refine.cuts, self._limits)
            return answer.outcome if answer.rules_out(problem, loose) else Outcome.STALLED
        return answer.outcome

    def by_columns(self) -> GainColumns | None:
        """Models column by column, where they have the same optimum."""
        return GainColumns.of(
            self._data,
            self._near,
            self.settings.tolerance,
            silent=self.silent,
            rank=self.asked.rank,
        )

    def _refinement(self, margins: Margins, allowed: Vector) -> Refinement:
        p, deviation = self.noise_dimensions, self.unit_deviation
        if margins.norm is not None:
            return Tilt(margins, margins.norm, allowed, deviation, self._sizes)
        if margins.draws is not None:
            return Draws(margins.draws, allowed)
        return Fixed(margins, p, allowed, deviation)

    def _polished(
        self, z: Vector, K: Dense, Z: Dense, s: float
    ) -> tuple[Vector, Dense, Dense, float]:
        """On the equalities, to rounding."""
        data = self._data
        z = z + self._on.correction(data.d - np.asarray(data.G @ z))
        wanted = np.asarray(data.G @ data.gain)
        p, s = data.released, max(s, 0.0)
        if self.silent:
            right = np.vstack([wanted - data.G @ K, -np.asarray(data.query @ K)])
            return z, K + self._both.correction(right), np.zeros((len(z), p)), 0.0
        K = K + self._on.correction(wanted - np.asarray(data.G @ K))
        right = np.vstack([-np.asarray(data.G @ Z), s * np.eye(p) - np.asarray(data.query @ Z)])
        return z, K, Z + self._both.correction(right), s

    def _finish(self, z: Vector, K: Dense, Z: Dense, s: float, margins: Margins) -> Designed:
        data = self._data
        ways = data.directions
        worst = data.box.support(ways.factor[:, None] * np.asarray(ways.D @ K)[ways.group])
        seen = ways.factor[:, None] * np.asarray(ways.D @ Z)[ways.group]
        value = np.zeros(len(worst)) if self.silent else margins.value(seen, self.unit_deviation)
        excess = np.asarray(data.A @ z) + worst + value - self._b
        residual = float((excess / (1 + np.abs(self._b))).max(initial=-np.inf))
        scale = self.calibration.scale
        back = self._scaling.variables
        return Designed(
            back(z),
            Recourse(back(Z) / scale),
            residual,
            exact=True,
            gain=back(K) / self._unit,
            level=s * self._value / scale,
        )
