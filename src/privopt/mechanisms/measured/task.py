"""The decisions of one program and query, prepared once: a public computation from first to last.

    values q and a certificate z0, K:   G z0 = d(middle), G K = F, S z0 = q, S K = 0, and
                                        A (z0 + K (u - middle)) <= b for every u of U(y)
    minimise   mean over draws u_k of  min { c(z) : G z = d(u_k), A z <= b, S z = q }
               + fidelity * mean ||q - S z*(u_k)||^2

What no measurement changes (units, the program without the variables that follow, a gain K to begin
with) is found once and serves every y: `choose_instrument` decides for thousands. The private
entries of d are taken out of the program before anything else is done with it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.errors import InfeasibleError, InputError
from privopt.mechanisms.answerable import check_answerable
from privopt.mechanisms.completed import SolutionCosts, optima, simulated
from privopt.mechanisms.completion import holding
from privopt.mechanisms.curved import Curved
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.certificate import Certificate
from privopt.mechanisms.measured.certifying import Certifying
from privopt.mechanisms.measured.posterior import posterior
from privopt.mechanisms.measured.timed import TimedTask, draws_of, wide
from privopt.mechanisms.private_data import DRAWS as PRIOR
from privopt.mechanisms.private_data import Answers, PrivateData
from privopt.model.excess import loss_scale
from privopt.model.program import ConvexProgram
from privopt.model.program_file import PublicProgram
from privopt.model.query import Query
from privopt.solving.equilibration import scaled
from privopt.solving.limits import Limits
from privopt.solving.problem import Outcome
from privopt.solving.robust.completing import Completing
from privopt.solving.robust.condensed import Condensed
from privopt.solving.robust.deciding import decided
from privopt.solving.robust.region import Region
from privopt.solving.robust.two_stage import TwoStage
from privopt.solving.scaling import Scaling
from privopt.solving.solver import Settings

__all__ = ["DecisionTask", "Outlook", "without_private"]

_BINDS = 1e-5  # of the size of a row: a slack below this is none
_RANK = 1e-9
_SAME = 1e-7  # of the size of a value: answers that vary by less are one answer
_OF_VALUES = (  # made for what is released
    "_factors", "_query", "_parts", "_holding", "_screen", "_timed", "answers",
)  # fmt: skip
_LEFT = 1e-5  # of the same: how far solvers leave a value off that has one answer
_NEARBY = 0.01  # of the size of a variable: what a curved cost is looked at over
_FINER = 4  # times that polygons of curved limits are made, at most
_PAYS = 1e-5  # of the objective: what finer polygons must have saved to be made finer still


@dataclass(frozen=True, repr=False, eq=False)
class Outlook:
    """What decided values lead to at some draws of the private data.

    Attributes
    ----------
    optimal, completed
        Cost of the optimum and of the best completion at each draw; NaN: there is none.
    answers
        S z* at each draw.
    """

    optimal: Vector
    completed: Vector
    answers: Dense

    def errors(self, q: Vector) -> Vector:
        """Root mean square distance of each value from the answers there are."""
        found = np.isfinite(self.answers).all(axis=1)
        if not found.any():
            return np.full(len(q), np.nan)
        return np.sqrt(np.square(self.answers[found] - q).mean(axis=0))


def without_private(program: ConvexProgram) -> ConvexProgram:
    """The program with zeros in the place of the private entries of d, which are not looked at."""
    if not program.has_data:
        return program
    public = np.setdiff1d(np.arange(program.G.shape[0]), program.private)
    d = np.zeros(program.G.shape[0])
    d[public] = program.d[public]
    return program.at(d) if len(public) else program.without_data()


class DecisionTask:
    """One program, query and domain; many measurements.

    Parameters
    ----------
    everywhere, domain
        All of the domain, with its rows, and the ends of its box.
    """

    def __init__(
        self,
        program: ConvexProgram,
        query: Query,
        everywhere: Region,
        domain: tuple[Vector, Vector],
        settings: Settings,
        *,
        prior: Any = None,  # noqa: ANN401 -- the edge
        balance: Any = None,  # noqa: ANN401 -- the edge
    ) -> None:
        self.program = without_private(program)
        # Of the program as given: without its data it is separated from the user's cvxpy problem.
        self.S, self.names = query.matrix(program), query.names(program)
        self.settings, self.everywhere = settings, everywhere
        self._certifying: Certifying | None = None
        given = prior
        whole = 0.5 * (domain[1] - domain[0])
        if prior is None and (len(everywhere.W) or (everywhere.half < (1 - _RANK) * whole).any()):
            # Uniform on the domain, which is not all of its box.
            drawn = posterior(everywhere, (), PRIOR, np.random.default_rng(0))
            given = np.clip(drawn, *domain)
        self.data = PrivateData.of(self.program, *domain, given, balance)
        self.prior = None if prior is None else self.data.prior
        if self.prior is not None and not everywhere.holds(self.prior).all():
            raise InputError(
                "prior has draws outside the rows of the domain.",
                "draws of the private entries within the domain.",
                "leave them out, or leave out prior for the uniform one.",
            )

    @cached_property
    def public(self) -> PublicProgram:
        """The program and the public entries of d, as a decision names them."""
        return PublicProgram(self.program.without_data(), self.data.known)

    def without(self, k: int) -> DecisionTask:
        """The same with value k not released; a gain that keeps all values keeps the others."""
        kept = np.delete(np.arange(len(self.names)), k)
        other = copy.copy(self)
        for name in _OF_VALUES:
            other.__dict__.pop(name, None)
        other._certifying = None
        other.S, other.names = self.S[kept], tuple(self.names[i] for i in kept)
        return other

    @cached_property
    def _optima(self) -> Dense:
        """The optima at public draws of the prior, and at its mean (last); NaN: there is none."""
        u = np.vstack([self.data.mean + self._drawn, self.data.mean])
        found = optima(self.program, self.data.whole(u.T).T)
        if not np.isfinite(found).any():
            self.data.solutions(np.zeros((1, len(self.data.mean))), self.settings)  # says why
            raise InfeasibleError(
                "the program has no feasible point at any public draw of the private data.",
                "data of the domain for which A z <= b and G z = d can hold together.",
                "check signs, units, bounds and the domain.",
            )
        return found

    @cached_property
    def _drawn(self) -> Dense:
        """Public draws of the prior; of a large program fewer."""
        return self.data.draws()[: self.count(simulated(self.program))]

    def count(self, usual: int) -> int:
        """How many draws there are where otherwise so many are usual."""
        return min(usual, draws_of(self.program)) if wide(self.program) else usual

    @property
    def by_periods(self) -> bool:
        """Whether decisions are looked for among gains by periods only."""
        return self._timed is not None

    @cached_property
    def _timed(self) -> TimedTask | None:
        """The same question by periods, where the program has periods and is large."""
        periods = self.program.periods
        if periods is None or not wide(self.program) or len(self.program.cones):
            return None
        return TimedTask(
            self.program, periods, self.data, self.scaling, self.settings, self.S, self._factors,
            self._optima,
        )  # fmt: skip

    @cached_property
    def _near(self) -> Vector:
        """The optimum at the mean of the prior, or at another draw if there is none."""
        found = self._optima[np.isfinite(self._optima).all(axis=1)]
        return found[-1]

    @cached_property
    def scaling(self) -> Scaling:
        """Units that suit the optimum at the mean."""
        target = self.data.target(self.data.mean)
        first = Scaling.of(self.program, target)
        return first.refined(self.program, target, self._near) or first

    @cached_property
    def _small(self) -> Condensed:
        return Condensed(self.program, self.scaling)

    @cached_property
    def _binding(self) -> NDArray[np.intp]:
        """The rows that bind at the optimum of some public draw of the prior."""
        z = self._optima[np.isfinite(self._optima).all(axis=1)] / self.scaling.columns
        slack = self._small.limits[:, None] - np.asarray(self._small.A @ z.T)
        return np.flatnonzero((slack <= _BINDS * self._small.sizes[:, None]).any(axis=1))

    @cached_property
    def _factors(self) -> Vector:
        """What released values are multiplied by in scaled units."""
        return self.scaling.query_factors(self.S)

    @cached_property
    def _query(self) -> Sparse:
        return scaled(self.S, self.scaling.columns, self._factors)

    @cached_property
    def _parts(self) -> Completing:
        return Completing(self._small, self._query)

    @property
    def certifying(self) -> Certifying:
        """What certifies values over regions; with finer polygons once they were needed."""
        if self._certifying is None:
            found = self._optima[np.isfinite(self._optima).all(axis=1)]
            limits = Limits.of(self.program, self.S, found)
            self._certifying = Certifying(
                limits, self.S, self.scaling, self._factors, self.data, self._near, self.settings
            )
        return self._certifying

    def decided(
        self, region: Region, draws: Dense, fidelity: float
    ) -> tuple[Vector, Certificate] | Outcome:
        """The values of least mean cost over the draws that have a certificate over the region."""
        factors, answer, weight = self._factors, None, None
        if fidelity:
            z = optima(self.program, self.data.whole(draws.T).T)
            z = z[np.isfinite(z).all(axis=1)]  # draws without an optimum have no decision either
            answer = factors * np.asarray(self.S @ z.T).sum(axis=1) / max(len(z), 1)
            weight = self.scaling.kappa * fidelity / factors**2
        if self._timed is not None:
            none = np.zeros(len(factors))
            away = (none, none) if weight is None or answer is None else (weight, answer)
            found = self._timed.decided(region, draws, *away)
            if isinstance(found, Outcome):
                return found
            return found[0], found[1].without_prices(self.certifying.limits)
        small = self._small
        targets = small.targets(self.data.target(draws.T).T)
        two = TwoStage(
            small, self._query, targets, self.settings,
            fidelity=weight, answer=answer, parts=self._parts, likely=self._binding,
        )  # fmt: skip
        return self._certified(two, region)

    def _certified(self, two: TwoStage, region: Region) -> tuple[Vector, Certificate] | Outcome:
        """The best values that have a certificate; polygons are refined while that pays."""
        before = np.inf
        for last in reversed(range(_FINER)):
            work = self.certifying
            found = decided(two, work.certifier(region))
            curved = len(work.limits.around) > 0
            if found is Outcome.INFEASIBLE and curved and not last:
                return found
            if found is Outcome.INFEASIBLE and curved:
                every = np.flatnonzero(work.limits.owner >= 0)
                self._certifying = work.finer(every)
                continue
            if isinstance(found, Outcome):
                return found
            certificate, value = work.certificate(region, found.warrant), found.chosen.value
            tight = work.tight(certificate) if curved and found.cuts else np.zeros(0, dtype=int)
            pays = before - value > _PAYS * (1 + abs(value))
            if last and len(tight) and (pays or before == np.inf):
                before, self._certifying = value, work.finer(tight)
                continue
            left = (value - found.least) / (self.scaling.kappa * self.scale) if len(tight) else 0.0
            certificate = replace(certificate, gap=float(max(left, 0.0)))
            return np.asarray(work.own @ certificate.z0), certificate
        return Outcome.STALLED

    def outlook(self, q: Vector, draws: Dense) -> Outlook:
        """What it costs to complete q at each draw, beside the optimum."""
        d = self.data.whole(draws.T).T
        z = optima(self.program, d)
        best = optima(self._holding, np.column_stack([d, np.tile(q, (len(draws), 1))]))
        values = np.asarray(self.S @ z.T).T
        return Outlook(
            SolutionCosts.of(self.program, z).values,
            SolutionCosts.of(self.program, best).values,
            values,
        )

    @cached_property
    def _holding(self) -> ConvexProgram:
        return holding(self.program, self.S)

    @cached_property
    def answers(self) -> Answers:
        """The non-private answers at public draws of the prior, where there are some."""
        found = np.isfinite(self._optima[:-1]).all(axis=1)
        z = self._optima[:-1][found] if found.any() else self._near[None]
        drawn = self._drawn[found] if found.any() else np.zeros((1, self._drawn.shape[1]))
        costs = SolutionCosts.of(self.program, z)
        return Answers(drawn, costs.values, costs.sizes, np.asarray(self.S @ z.T).T)

    @property
    def scale(self) -> float:
        """What losses are fractions of: the size of the mean optimal cost."""
        found = self.answers
        target = self.data.target(self.data.mean)
        return loss_scale(
            self.program, target, float(found.costs.mean()), float(found.sizes.mean())
        )

    @property
    def spreads(self) -> Vector:
        """Root mean square distance of the answers from their mean over the prior, by value."""
        found = self.answers.values.std(axis=0)
        return np.where(self._factors * found <= _SAME, 0.0, found)

    def off(self, errors: Dense) -> Dense:
        """Errors of values, without what solvers leave of those whose answer is always the same.

        So such a value is the answer itself, and no constant is nearer.
        """
        return np.where((self.spreads == 0) & (self._factors * errors <= _LEFT), 0.0, errors)

    @cached_property
    def _screen(self) -> tuple[Condensed, Completing]:
        """The program in which slopes are looked at, and what its query leaves free.

        Of a curved one, its limits as rows, and the quadratic cost that is nearest to its own over
        the optima.
        """
        found = self._optima[np.isfinite(self._optima).all(axis=1)]
        curved = Curved.of(self.program, self.S, lambda: found[-1])
        if curved is None:
            return self._small, self._parts
        work = self.certifying
        model = replace(curved, limits=work.limits).model(curved.fit(found, _NEARBY))
        small = Condensed(model, work.units)
        return small, Completing(small, work.query)

    def slopes(self, u: Vector) -> tuple[Dense, Dense]:
        """How the answers follow the data at u, and how the cost curves where values are off.

        By the rows that bind at the optimum: the answers are piecewise affine in u, those of a
        curved program nearly.
        """
        small, parts = self._screen
        work = self.certifying
        z = self.data.solutions((u - self.data.mean)[None], self.settings)[0]
        z, F = z[work.limits.kept] / work.units.columns, work.F
        slack = small.limits - np.asarray(small.A @ z)
        binds = np.flatnonzero(slack <= _BINDS * small.sizes)
        M, R = small.rows(binds)
        fixed = np.vstack([small.E.toarray(), M.toarray()])
        follows = np.vstack([np.asarray(small.N @ F), -np.asarray(R @ F)])
        Q = 2 * small.quadratic.toarray()
        Z = la.null_space(fixed, rcond=_RANK)
        step = np.linalg.pinv(fixed, rcond=_RANK) @ follows
        inner = np.linalg.pinv(Z.T @ Q @ Z, rcond=_RANK, hermitian=True)
        moved = step - Z @ (inner @ (Z.T @ (Q @ step)))
        on_x = parts.on_x.toarray()
        on_t = np.asarray(parts.on_t @ F)
        J = on_x @ moved + on_t
        reach = np.outer(np.abs(on_x).sum(axis=1), np.abs(moved).max(axis=0, initial=0.0))
        J[np.abs(J) <= _RANK * (reach + np.abs(on_t))] = 0.0
        T = on_x @ Z
        still = np.linalg.norm(T, axis=1) <= _RANK * np.linalg.norm(on_x, axis=1)
        T[still] = 0.0  # the rows that bind fix the value
        curved = np.linalg.pinv(T @ inner @ T.T, rcond=_RANK, hermitian=True)
        factors = self._factors
        return J / factors[:, None], factors[:, None] * curved * factors / self.scaling.kappa

    def check_answerable(self) -> None:
        """Raise if the equalities fix released values to something private; names them."""
        check_answerable(self.program, self.S, self.data.F, self.names)

    def possible(self, region: Region) -> bool:
        """Whether values can be chosen before the data are known."""
        if self._timed is not None:
            return self._timed.possible
        return self.certifying.certifier(region).possible

    def draws(
        self, belief: Belief, count: int, rng: np.random.Generator, within: Region | None = None
    ) -> Dense:
        """Draws of the private data after a measurement: of the prior, or uniform if it has none.

        A prior of draws may have none that is possible any more.
        """
        found = belief.draws(count, rng, within=within, prior=self.prior)
        return found if len(found) else belief.draws(count, rng, within=within)
