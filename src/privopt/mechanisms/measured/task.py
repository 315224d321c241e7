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
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.errors import InfeasibleError, InputError
from privopt.mechanisms.completed import SolutionCosts, optima, simulated
from privopt.mechanisms.completion import holding
from privopt.mechanisms.measured.balancing import balanced, cleaned
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.certificate import Certificate
from privopt.mechanisms.measured.posterior import posterior
from privopt.mechanisms.measured.timed import TimedTask, draws_of, wide
from privopt.mechanisms.private_data import DRAWS as PRIOR
from privopt.mechanisms.private_data import Answers, PrivateData
from privopt.model.excess import loss_scale
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise.laplace import Laplace
from privopt.solving.equilibration import scaled
from privopt.solving.margins import Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.problem import Outcome
from privopt.solving.robust.certifying import Certifier, Warrant
from privopt.solving.robust.completing import Completing
from privopt.solving.robust.condensed import Condensed
from privopt.solving.robust.deciding import decided
from privopt.solving.robust.local import local_gain
from privopt.solving.robust.region import Region
from privopt.solving.robust.two_stage import TwoStage
from privopt.solving.scaling import Scaling
from privopt.solving.solver import Settings
from privopt.solving.sparse import stacked
from privopt.solving.specification import Specification

__all__ = ["DecisionTask", "Outlook", "without_private"]

_BINDS = 1e-5  # of the size of a row: a slack below this is none
_RANK = 1e-9
_LARGE = 200_000  # numbers of a gain K from which on finding the best one takes too long
_SAME = 1e-7  # of the size of a value: answers that vary by less are one answer
_OF_VALUES = (
    "_factors",
    "_query",
    "_parts",
    "_holding",
    "_timed",
    "answers",
)  # made for what is released


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

    def without(self, k: int) -> DecisionTask:
        """The same with value k not released; a gain that keeps all values keeps the others."""
        kept = np.delete(np.arange(len(self.names)), k)
        other = copy.copy(self)
        for name in _OF_VALUES:
            other.__dict__.pop(name, None)
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
        if periods is None or not wide(self.program):
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

    @cached_property
    def _F(self) -> Dense:
        """How the scaled right-hand side follows the private data."""
        whole = self.scaling.equality_factors[:, None] * self.data.F.toarray()
        return whole[self.program.independent]

    @cached_property
    def template(self) -> Dense | None:
        """A gain K that keeps the rows for every u of the domain, condensed; None if there is none.

        It is that of a policy that releases a constant. Any K will do for a certificate; this one
        is a good place to begin. Of a large program it would take too long: there K answers
        changes of the data where they happen.
        """
        if self.data.F.shape[1] * self.program.n > _LARGE:
            return local_gain(self._parts, self._F)
        data, p = self.data, self.S.shape[0]
        at = data.moving
        half = 0.5 * (data.upper - data.lower)[at]
        asked = Specification(
            target=data.target(data.middle),
            F=data.F[:, at],
            low=-half,
            high=half,
            variance=half**2 / 3,
            reach=2 * half,
            order=1,
            silent=True,
        )
        unit = Laplace(epsilon=1.0, alpha=1.0).calibrate(p, 1.0)
        chance = NoisyProgram(self.program, self.S, unit, self.settings, self._near, asked=asked)
        found = chance.solve(Margins())
        if isinstance(found, Outcome):
            return None
        gain = np.zeros((self.program.n, len(data.lower)))
        gain[:, at] = found.gain
        return (gain / self.scaling.columns[:, None])[self._small.kept]

    def certifier(self, region: Region) -> Certifier:
        """What certifies values over a region."""
        small, target = self._small, self.data.target(region.middle)
        return Certifier(
            small, self._query, region, small.targets(target), self._F, self.template, self._parts
        )

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
            return self._timed.decided(region, draws, *away)
        small = self._small
        targets = small.targets(self.data.target(draws.T).T)
        two = TwoStage(
            small, self._query, targets, self.settings,
            fidelity=weight, answer=answer, parts=self._parts, likely=self._binding,
        )  # fmt: skip
        found = decided(two, self.certifier(region))
        if isinstance(found, Outcome):
            return found
        certificate = self._lifted(region, found.warrant)
        return np.asarray(self.S @ certificate.z0), certificate

    def _lifted(self, region: Region, warrant: Warrant) -> Certificate:
        """The certificate in the units of the program."""
        small, columns = self._small, self.scaling.columns
        t = small.targets(self.data.target(region.middle))
        z0 = columns * cleaned(small.lift(warrant.x[None], t[None])[0], np.ones(1))
        lifted = small.lift(warrant.K.T, self._F.T).T
        K = columns[:, None] * cleaned(lifted, region.half)
        fixed = self.program.fixed  # often at zero, beside which nothing is small
        z0[fixed], K[fixed] = self.program.lower[fixed], 0.0
        values = np.column_stack([np.asarray(self.S @ z0), np.zeros((self.S.shape[0], K.shape[1]))])
        target = np.column_stack([self.data.target(region.middle), self.data.F.toarray()])
        whole = balanced(
            stacked(self.program.equalities.matrix, self.S),
            np.vstack([target, values]),
            np.column_stack([z0, K]),
            np.append(1.0, region.half),
        )
        z0, K = whole[:, 0].copy(), whole[:, 1:].copy()
        rows = self.program.rows
        slopes = np.asarray(rows.matrix @ K)
        bound, m = region.support(slopes)
        for i in np.flatnonzero(np.asarray(rows.matrix @ z0) + bound > rows.bound):
            _, m[i] = region.exact(slopes[i])
        return Certificate(region, self.data.target(region.middle), self.data.F, z0, K, m)

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

    def slopes(self, u: Vector) -> tuple[Dense, Dense]:
        """How the answers follow the data at u, and how the cost curves where values are off.

        By the rows that bind at the optimum: the answers are piecewise affine in u.
        """
        small = self._small
        z = self.data.solutions((u - self.data.mean)[None], self.settings)[0] / self.scaling.columns
        slack = small.limits - np.asarray(small.A @ z)
        binds = np.flatnonzero(slack <= _BINDS * small.sizes)
        M, R = small.rows(binds)
        fixed = np.vstack([small.E.toarray(), M.toarray()])
        follows = np.vstack([np.asarray(small.N @ self._F), -np.asarray(R @ self._F)])
        Q = 2 * small.quadratic.toarray()
        Z = la.null_space(fixed, rcond=_RANK)
        step = np.linalg.pinv(fixed, rcond=_RANK) @ follows
        inner = np.linalg.pinv(Z.T @ Q @ Z, rcond=_RANK, hermitian=True)
        moved = step - Z @ (inner @ (Z.T @ (Q @ step)))
        on_x = self._parts.on_x.toarray()
        on_t = np.asarray(self._parts.on_t @ self._F)
        J = on_x @ moved + on_t
        reach = np.outer(np.abs(on_x).sum(axis=1), np.abs(moved).max(axis=0, initial=0.0))
        J[np.abs(J) <= _RANK * (reach + np.abs(on_t))] = 0.0
        T = on_x @ Z
        still = np.linalg.norm(T, axis=1) <= _RANK * np.linalg.norm(on_x, axis=1)
        T[still] = 0.0  # the rows that bind fix the value
        curved = np.linalg.pinv(T @ inner @ T.T, rcond=_RANK, hermitian=True)
        factors = self._factors
        return J / factors[:, None], factors[:, None] * curved * factors / self.scaling.kappa

    def possible(self, region: Region) -> bool:
        """Whether values can be chosen before the data are known."""
        if self._timed is not None:
            return self._timed.possible
        return self.certifier(region).possible

    def draws(
        self, belief: Belief, count: int, rng: np.random.Generator, within: Region | None = None
    ) -> Dense:
        """Draws of the private data after a measurement: of the prior, or uniform if it has none.

        A prior of draws may have none that is possible any more.
        """
        found = belief.draws(count, rng, within=within, prior=self.prior)
        return found if len(found) else belief.draws(count, rng, within=within)
