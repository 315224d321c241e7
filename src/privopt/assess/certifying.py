"""A sensitivity for every pair of neighbours: the recourse made public, the pieces enumerated.

The chance-constrained program is solved once, at the middle of the public domain. Its recourse Z
and its margins h_i(A_i Z) are kept for every d, and

    z~(d) = argmin { c(z) : A z <= b - h,  G z = d }

is then piecewise affine in d. The pieces are enumerated (`regions`). Neighbours lie on a segment of
length alpha along one entry, inside the domain, which is convex: S z~ moves along it by no more
than slopes times lengths of the pieces it meets (`farthest`; l1 norm for Laplace, l2 for Gaussian),
hence by no more than alpha times the largest slope, and mostly less.

The noise depends on the factor, the margins on the noise and the pieces on the margins: so factor
-> noise -> Z, h -> factor is repeated until the factor found is within the one put in.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from privopt.arguments import check_arguments
from privopt.arrays import Vector
from privopt.assess.moves import Moves, check_points
from privopt.assess.regions import Regions, enumerate_regions
from privopt.certificate import fingerprint, form_of
from privopt.conic.solver import Settings
from privopt.domain import Box
from privopt.errors import CombinationError, InfeasibleError, InputError, NotCertifiedError
from privopt.feasibility import Always, Analytic, ExactBox, SampledBox
from privopt.feasibility.protocol import Feasibility
from privopt.labels import positions
from privopt.noise.calibration import Privacy
from privopt.noise.sensitivity import Assumed, Certified
from privopt.plan import Plan
from privopt.planning import solve
from privopt.private_data import PrivateData
from privopt.program import ConvexProgram
from privopt.query import Query
from privopt.scalars import whole
from privopt.threads import one_thread

__all__ = ["certify"]

_APART = 1e-6  # relative: margins are raised by up to this, at random, so that no two rows coincide
_TRIES = 20
_GRID = 6  # factors tried below one that leaves no plan
_CLOSE = 0.999  # a factor this near to the one put in is not worth another round


def certify(
    program: ConvexProgram,
    query: Query,
    privacy: Privacy,
    feasibility: Feasibility,
    *,
    domain: Box,
    balance: Any = None,  # noqa: ANN401
    limit: int = 10_000,
    rng: int = 0,
    settings: Settings | None = None,
) -> Certified:
    """Certify the sensitivity of the paper's mechanism with a public recourse.

    Parameters
    ----------
    program
        A program whose cost is strictly convex in what the equalities leave free (a small quadratic
        cost will do). Private entries of d are not read; d=None will do where all are private.
    query, privacy, feasibility
        As for `solve`. The sensitivity in `privacy` is not used. Feasibility must be `Analytic`,
        `ExactBox`, `SampledBox` or `Always`: margins that depend on the recourse alone.
    domain
        Where the private entries of d can lie.
    balance
        Entries of d that absorb a change of a private one, as for `design`.
    limit
        Most pieces to look at. Seconds are limited by `settings.time_limit`.
    rng
        Seed of the draws of `SampledBox`.
    settings
        Tolerance, time limit, threads.

    Returns
    -------
    Certified
        For `solve(program, query, Laplace(..., sensitivity=certified), feasibility)`, which uses
        the certified recourse and margins. Its privacy claim is PROVEN if the certificate is
        `whole` (a plan exists for every d of the domain), and ASSUMED otherwise.

    Raises
    ------
    NotCertifiedError
        A limit was reached. It says how many pieces were seen and the largest factor among them,
        which is no bound.
    InfeasibleError
        No plan exists at the middle of the domain under the noise that the factor asks for.
    CombinationError
        The cost leaves z open, or the margins depend on more than the recourse.

    Notes
    -----
    The number of pieces can grow exponentially with the rows that can bind. On the paper's
    instances (domain [0.5, 1] at every node) 3 to 39 nodes have 1 to 200 pieces, done in seconds;
    57 nodes have thousands and are not reached in five minutes. Where the factor is large, the
    noise it asks for may leave no plan (4 in 10 instances of 14 nodes): `design` is then the way.

    Examples
    --------
    >>> import privopt as po
    >>> drawn = po.experiments.instance("3_lmbd", 2)
    >>> parts = drawn.program, drawn.query, po.Laplace(epsilon=1, alpha=0.1), po.ExactBox(eta=0.05)
    >>> found = po.assess.certify(*parts, domain=drawn.domain)
    >>> round(found.factor, 4), found.regions, found.whole
    (0.6502, 1, True)
    """
    check_arguments(
        program=program, query=query, privacy=privacy, feasibility=feasibility, settings=settings
    )
    settings = (settings or Settings()).started()
    _check(feasibility, domain)
    whole(limit, "limit", "leave it out.")
    with one_thread(when=program.n <= 500):
        taken = () if balance is None else positions(balance, program.data_names, "entries of d")
        data = PrivateData.of(program, *domain.ends(len(program.private)), None, balance)
        search = _Factor(program, query, privacy, feasibility, data, rng, settings, limit)
        found = search.found()
    return Certified(
        factor=found.factor,
        regions=len(found.regions.laws),
        whole=found.regions.whole,
        recourse=np.asarray(found.plan.recourse),
        margins=found.margins,
        lower=data.lower,
        upper=data.upper,
        rounding=0.5 * search.room,
        balance=tuple(taken),
        rule=found.plan.margins,
        feasibility=found.plan.guarantee.feasibility,
        fingerprint=fingerprint(program, query, privacy, feasibility, data),
    )


def _check(feasibility: Feasibility, domain: object) -> None:
    if not isinstance(feasibility, (Analytic, ExactBox, SampledBox, Always)):
        raise CombinationError(
            f"{type(feasibility).__name__} was handed to certify.",
            "margins that depend on the recourse alone: Analytic, ExactBox, SampledBox or Always.",
            "use ExactBox for all rows together, or design, which takes every reformulation.",
        )
    if not isinstance(domain, Box):
        raise InputError(
            f"domain is {type(domain).__name__}.",
            "the public range of the private data.",
            "pass domain=privopt.Box(lower, upper).",
        )


@dataclass(frozen=True, eq=False)
class _Round:
    """One factor put in, and what came of it."""

    factor: float
    plan: Plan
    margins: Vector
    regions: Regions


class _Factor:
    """The smallest factor found that is not below the one it leads to."""

    def __init__(
        self,
        program: ConvexProgram,
        query: Query,
        privacy: Privacy,
        feasibility: Feasibility,
        data: PrivateData,
        rng: int,
        settings: Settings,
        limit: int,
    ) -> None:
        self._program, self._query, self._privacy = program.at(data.middle), query, privacy
        self._feasibility, self._rng, self._limit = feasibility, rng, limit
        self._settings = settings
        S = query.matrix(program)
        self._form = form_of(program, data)
        self._moves = Moves(self._form, S, privacy, data)

    @property
    def room(self) -> float:
        """Part of the sensitivity that is set aside for rounding, half for each neighbour."""
        return self._moves.room

    def found(self) -> _Round:
        """Put factors in until one is confirmed; then a smaller one, if it may be.

        Where the factor needed leaves no plan, some below it are tried (with wide margins the map
        may move less again), and taken only if a plan exists for all of the domain.
        """
        factor = self._moves.sampled(self._form)
        best: _Round | None = None
        grid: list[float] = []
        missing: InfeasibleError | None = None
        largest = 0.0
        seen = Regions((), (), False, "complete")
        for _ in range(_TRIES):
            try:
                plan = self._plan(factor)
            except InfeasibleError as error:
                if missing is None and best is None:
                    grid = np.linspace(largest, factor, _GRID + 2)[1:-1].tolist()
                missing = missing or error
                if best is not None or not grid:
                    break
                factor = grid.pop(0)
                continue
            largest = max(largest, factor)
            margins = _raised(plan)
            form = self._form.bounded(self._program.rows.bound - margins)
            needed = self._moves.sampled(form)
            if needed <= factor:
                seen = enumerate_regions(form, limit=self._limit, deadline=self._settings.deadline)
                check_points(form, seen)
                if seen.end != "complete":
                    break
                needed = self._moves.factor(form, seen.laws)
            if needed <= factor and (seen.whole or missing is None):
                best = _Round(factor, plan, margins, seen)
                if needed >= _CLOSE * factor:
                    break
            elif missing is not None and not grid:
                break
            factor = grid.pop(0) if grid and best is None else needed
        if best is not None:
            return best
        if missing is not None and seen.end == "complete":
            raise _no_plan(largest, missing)
        raise _not_certified(seen, max(factor, self._moves.steepest(seen.laws)))

    def _plan(self, factor: float) -> Plan:
        """The plan at the middle of the domain, with the noise of a factor."""
        noise = dataclasses.replace(cast("Any", self._privacy), sensitivity=Assumed(factor))
        return solve(
            self._program,
            self._query,
            noise,
            self._feasibility,
            rng=self._rng,
            settings=self._settings,
        )


def _raised(plan: Plan) -> Vector:
    """What each row gives up for the noise, and a little more, so that rows lie apart."""
    rows, calibration = plan.program.rows, plan.calibration
    spread = calibration.scale * plan.recourse.under(rows.matrix)
    margins = plan.margins.value(spread, math.sqrt(calibration.law.variance))
    size = np.abs(rows.bound) + np.asarray(abs(rows.matrix) @ np.abs(plan.expected)) + margins
    size = np.maximum(size, 1e-3 * float(size.max(initial=0.0)))
    return margins + _APART * size * np.random.default_rng(2).uniform(0.1, 1.0, len(size))


def _no_plan(largest: float, error: InfeasibleError) -> InfeasibleError:
    return InfeasibleError(
        "the factor that the map needs leaves no plan at the middle of the domain: its noise is "
        f"too large. (Plans up to a factor of {largest:.4g} exist, and move by more than that.)",
        "noise that leaves a plan: a larger epsilon, a smaller alpha, fewer released values, a "
        "larger eta or a smaller domain.",
        "use design, which chooses a map that moves less; error.diagnose() names the rows that "
        "block at the middle.",
        error.diagnose,
    )


def _not_certified(seen: Regions, factor: float) -> NotCertifiedError:
    why = {
        "complete": "each factor led to a larger one",
        "limit": "the limit of pieces was reached",
        "time": "the time limit was reached",
        "thin": "the feasible part of the domain is thinner than rounding",
    }[seen.end]
    count = len(seen.laws)
    return NotCertifiedError(
        f"the sensitivity is not certified: {why}. {count} pieces of the solution map were seen, "
        f"the largest factor met is {factor:.4g}. This is NOT a bound.",
        "all pieces, within the limits.",
        "use design, which is proven without them; or a larger limit= or time_limit, a smaller "
        "domain; or privopt.Sampled, which claims no proof.",
        count,
        factor,
    )
