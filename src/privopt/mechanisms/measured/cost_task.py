"""The cost queries of one program, prepared once: a public computation from first to last.

    lower end   min over u of U(y) of V(u), by multipliers           `solving.robust.cost_below`
    upper end   max over u of U(y) of V(u), at most the cost of the cheapest affine rule by its
                chords                                               `solving.robust.cost_above`

Of a decision's task it has the program without private data, the units and the draws. Every row and
cone is a limit here: heights of epigraphs follow the data affinely, within polygons.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.mechanisms.completed import SolutionCosts, optima
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.certificate import Certificate
from privopt.mechanisms.measured.certifying import Certifying
from privopt.mechanisms.measured.cost_certificate import CostCertificate
from privopt.mechanisms.measured.task import DecisionTask
from privopt.mechanisms.private_data import Answers
from privopt.model.program import ConvexProgram
from privopt.solving.limits import Limits, every_variable
from privopt.solving.problem import Outcome
from privopt.solving.robust.certifying import Certifier, Warrant
from privopt.solving.robust.cheapest import CheapestRule, PricedRule
from privopt.solving.robust.cost_above import chords_of
from privopt.solving.robust.cost_below import Multipliers, multipliers
from privopt.solving.robust.enclosing import enclosed
from privopt.solving.robust.region import Region
from privopt.solving.robust.squares import Squares
from privopt.solving.solver import Settings

__all__ = ["CostTask"]

_BINDS = 1e-2  # of the size of a row: with less room at some draw it is likely to bind
_AT = 1e-5  # with less room than this it binds
_RANK = 1e-9
_SLOPES = 12  # of optima, at most, that a gain is mixed of
_FINER = 5  # times that polygons are made, at most
_PAYS = 1e-4  # of the cost: what finer polygons must have saved to be made finer still


class _Nothing:
    """The query of no value of the solution."""

    def matrix(self, program: ConvexProgram) -> Sparse:
        return sp.csr_array((0, program.n), dtype=float)

    def names(self, program: ConvexProgram) -> tuple[str, ...]:
        return ("cost",)


class CostTask(DecisionTask):
    """One program and domain; many measurements."""

    def __init__(
        self,
        program: ConvexProgram,
        belief: Belief,
        settings: Settings,
        *,
        prior: object = None,
        balance: object = None,
    ) -> None:
        super().__init__(
            program, _Nothing(), belief.everywhere, belief.domain, settings,
            prior=prior, balance=balance,
        )  # fmt: skip

    @property
    def certifying(self) -> Certifying:
        """The limits, every row and cone among them, and units that suit them."""
        if self._certifying is None:
            found = self._optima[np.isfinite(self._optima).all(axis=1)]
            limits = Limits.of(self.program, every_variable(self.program.n), found)
            self._certifying = Certifying(
                limits, self.S, self.scaling, self._factors, self.data, self._near, self.settings
            )
        return self._certifying

    @cached_property
    def squares(self) -> Squares:
        """The quadratic part of the cost."""
        return Squares.of(self.program.quadratic)

    @property
    def cost_answers(self) -> Answers:
        """The optimal costs at public draws of the prior, as answers to the query."""
        found = self.answers
        return Answers(found.drawn, found.costs, found.sizes, found.costs[:, None])

    def optima(self, draws: Dense) -> Dense:
        """The optimum at each draw; NaN where the program has no solution."""
        return optima(self.program, self.data.whole(draws.T).T)

    def costs(self, z: Dense) -> Vector:
        """The cost of each solution."""
        return SolutionCosts.of(self.program, z).values

    def decided(
        self, region: Region, draws: Dense, fidelity: float
    ) -> tuple[Vector, Certificate] | Outcome:
        """Whether there is an upper end over a region: what `undecided` asks of a task."""
        found = self.rule(region, self.optima(draws))
        return found if isinstance(found, Outcome) else (np.zeros(0), found)

    def rule(self, region: Region, z: Dense) -> Certificate | Outcome:
        """The cheapest affine rule, from some optima; polygons are refined while that pays."""
        z = z[np.isfinite(z).all(axis=1)]
        best: tuple[float, Certificate] | None = None
        for last in reversed(range(_FINER)):
            work = self.certifying
            found = self._cheapest(work, region, z)
            curved = len(work.limits.around) > 0
            if isinstance(found, Outcome):
                if found is Outcome.INFEASIBLE and curved and last and best is None:
                    self._certifying = work.finer(np.flatnonzero(work.limits.owner >= 0))
                    continue
                return found if best is None else best[1]
            certificate = work.certificate(
                region, Warrant(True, 0.0, np.zeros(0), found.x, found.K)
            )
            before = np.inf if best is None else best[0]
            if best is None or found.value < before:
                best = found.value, certificate
            tight = work.tight(certificate) if curved else np.zeros(0, dtype=int)
            pays = before - found.value > _PAYS * (1 + abs(found.value))
            if not last or not len(tight) or not (pays or before == np.inf):
                break
            self._certifying = work.finer(tight)
        return Outcome.STALLED if best is None else best[1]

    def _cheapest(self, work: Certifying, region: Region, z: Dense) -> PricedRule | Outcome:
        small, units, squares = work.small, work.units, self.squares
        g = sp.csr_array(squares.vectors @ sp.diags_array(units.columns))
        size = np.asarray(abs(g).max(axis=1).todense()).ravel() if len(squares) else np.zeros(0)
        on_x = sp.csr_array(sp.diags_array(1 / size) @ g)[:, small.kept] if len(size) else g
        points = z / units.columns
        free = small.limits[:, None] - np.asarray(small.A @ points.T)
        likely = np.flatnonzero((free <= _BINDS * small.sizes[:, None]).any(axis=1))
        rule = CheapestRule(
            small, region, small.targets(work.target(region.middle)), work.F,
            units.kappa * squares.weights * size**2, sp.csr_array(on_x[:, : len(small.kept)]),
            points[:, small.kept], self.settings, likely,
        )  # fmt: skip
        if rule.large:
            slopes = _slopes(work, points)
            warrant = _certifier(work, region, slopes[0] if slopes else None).at(np.zeros(0))
            if isinstance(warrant, Outcome):
                return warrant
            if not warrant.holds:
                return Outcome.INFEASIBLE
            rule.begin(warrant.K, slopes)
        return rule.best()

    def certificate(self, region: Region, rule: Certificate) -> CostCertificate | Outcome:
        """Why the optimal cost lies between its ends: the rule, its chords, and multipliers."""
        limits, squares = self.certifying.limits, self.squares
        limits = Limits(limits.whole, limits.pricing, rule.polygons)
        chords = chords_of(limits, squares, rule.target, rule.F, rule.z0, rule.dense, region)
        found = self.below(region)
        if isinstance(found, Outcome):
            return found
        return CostCertificate(rule, squares, chords, found)

    def below(self, region: Region) -> Multipliers | Outcome:
        """The multipliers of the least cost over the region."""
        target, F = self.data.target(region.middle), self.data.F
        return multipliers(
            self.program, self.squares, self.scaling, target, F, region, self.settings
        )

    def loose(self, certificate: CostCertificate, cap: float) -> NDArray[np.intp]:
        """The variables that nothing bounds, at costs up to a cap."""
        one = certificate.rule
        half = np.abs(one.F.toarray()) @ one.region.half
        ends = one.target - half, one.target + half
        box = enclosed(self.program, self.program.constant, self.squares, ends, cap)
        return np.flatnonzero(np.isinf(box).any(axis=0))


def _certifier(work: Certifying, region: Region, gain: Dense | None) -> Certifier:
    """What finds a gain that keeps the rows over a region, near the one it begins with."""
    target = work.small.targets(work.target(region.middle))
    return Certifier(work.small, work.query, region, target, work.F, gain, work.parts)


def _slopes(work: Certifying, z: Dense) -> list[Dense]:
    """How optima follow the data: while what binds at all of them does so, then at most of them."""
    small = work.small
    binds = small.limits[:, None] - np.asarray(small.A @ z.T) <= _AT * small.sizes[:, None]
    sets, counts = np.unique(binds, axis=1, return_counts=True)
    chosen = np.argsort(-counts, kind="stable")[:_SLOPES]
    every = [binds.all(axis=1), *sets[:, chosen].T]
    return [_slope(work, np.flatnonzero(one)) for one in every] if len(z) else []


def _slope(work: Certifying, binds: NDArray[np.intp]) -> Dense:
    """How an optimum follows the data while some rows go on binding."""
    small = work.small
    M, R = small.rows(binds)
    fixed = np.vstack([small.E.toarray(), M.toarray()])
    follows = np.vstack([np.asarray(small.N @ work.F), -np.asarray(R @ work.F)])
    Q, Z = 2 * small.quadratic.toarray(), la.null_space(fixed, rcond=_RANK)
    step = np.linalg.pinv(fixed, rcond=_RANK) @ follows
    inner = np.linalg.pinv(Z.T @ Q @ Z, rcond=_RANK, hermitian=True)
    return step - Z @ (inner @ (Z.T @ (Q @ step)))
