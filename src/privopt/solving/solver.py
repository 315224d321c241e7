"""Clarabel: the conic solver, behind one function.

`solve_conic(problem, settings)` returns a `ConicAnswer`; it never raises for a solver status. If
the solver ends short of the tolerance, proximal steps follow,

    x_(k+1) = argmin of the objective + (weight/2) |x - x_k|^2,

which are well posed where a linear cost leaves the recourse undetermined, and end at an optimum of
the problem itself. If they do not get there, an end whose primal residual and relative gap are
within `ACCEPTABLE` counts as optimal; then comes a solve with stronger regularisation, and last two
that tell whether there is a feasible point at all, and a direction in which the objective falls
without end. Both are programs that have an optimum whatever the problem is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp

from privopt.arrays import Vector
from privopt.scalars import real, whole
from privopt.solving.clock import Clock
from privopt.solving.problem import Cone, ConicAnswer, ConicProblem, Kind, Outcome

ACCEPTABLE = 1e-7
_BALANCED = 1e-4  # dual residual beyond which a gap says nothing
_DOWN = 1e-6  # of the largest cost: a direction that falls by less is flat
_WEIGHT = 1e-7  # of a proximal step, for an objective of size one
_STILL = 1e-6  # the last step moves by less,
_SHRINK = 0.3  # and by so much less than the one before,
_REST = 1e-10  # unless it does not move at all
_FAR = 1e6  # scaled variables are around one,
_NOWHERE = 1e12  # and an end as far away as this is none
_STEPS = 8
_SIMPLE = 50_000  # entries up to which the simple factorisation is the faster one,
_SPARSE = 3  # entries a row,
_ROUND = 1200  # and rows of second-order cones
_LONG = 500  # (not of the long one of a deviation)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to solve: relative tolerance, time limit in seconds, threads.

    Parameters
    ----------
    tolerance
        Relative accuracy asked of the solver, and by which rows are tightened so that the solution
        keeps its margins in spite of it.
    time_limit
        Seconds for one `solve`, with all conic programs it takes; None is no limit. Past it, the
        solve ends in a SolverError whose `private` gives the reason.
    threads
        Threads of the solver; 0 lets it choose.
    """

    tolerance: float = field(default=1e-9, metadata={"help": "Relative tolerance of the solver."})
    time_limit: float | None = field(
        default=None, metadata={"help": "Seconds for a solve or a decision."}
    )
    threads: int = field(default=1, metadata={"help": "Threads of the solver; 0 lets it choose."})

    def started(self, now: Callable[[], float] | None = None) -> Running:
        """The same settings with a clock running, from the beginning of the time limit."""
        return Running(
            tolerance=self.tolerance,
            time_limit=self.time_limit,
            threads=self.threads,
            clock=Clock.of(self.time_limit, now or time.monotonic),
        )

    def easier(self, tolerance: float) -> Settings:
        """The same settings, and clock if one runs, with another tolerance."""
        return replace(self, tolerance=tolerance)

    @property
    def seconds_left(self) -> float | None:
        """Seconds for the next conic solve; None for no limit."""
        return self.time_limit

    def __post_init__(self) -> None:
        needed, remedy = "a number from 1e-12 to 1e-6.", "leave it at 1e-9 unless a solve stalls."
        tolerance = real(self.tolerance, "tolerance", needed, remedy, low=1e-12, high=1e-6)
        object.__setattr__(self, "tolerance", tolerance)
        if self.time_limit is not None:
            needed = "a positive number of seconds, or None."
            limit = real(
                self.time_limit, "time_limit", needed, "leave it out.", low=0.0, open_low=True
            )
            object.__setattr__(self, "time_limit", limit)
        whole(self.threads, "threads", "use 1, or 0 for all.", low=0)


@dataclass(frozen=True, kw_only=True)
class Running(Settings):
    """The settings of a verb that has begun: all its conic programs share the time limit."""

    clock: Clock = field(repr=False, compare=False)

    def started(self, now: Callable[[], float] | None = None) -> Running:
        """The same from the beginning, by the same clock unless another is given."""
        return super().started(now or self.clock.now)

    @property
    def seconds_left(self) -> float | None:
        """Seconds for the next conic solve; None for no limit."""
        return None if self.time_limit is None else self.clock.left


_OUTCOMES = {
    "Solved": Outcome.OPTIMAL,
    "PrimalInfeasible": Outcome.INFEASIBLE,
    "DualInfeasible": Outcome.UNBOUNDED,
    "MaxTime": Outcome.TIME,
}
_WEAK = {
    "AlmostPrimalInfeasible": Outcome.INFEASIBLE,
    "AlmostDualInfeasible": Outcome.UNBOUNDED,
}
_CONES: dict[Kind, Callable[[Cone], Any]] = {
    Kind.ZERO: lambda cone: clarabel.ZeroConeT(cone.size),
    Kind.NONNEGATIVE: lambda cone: clarabel.NonnegativeConeT(cone.size),
    Kind.SECOND_ORDER: lambda cone: clarabel.SecondOrderConeT(cone.size),
    Kind.EXPONENTIAL: lambda _: clarabel.ExponentialConeT(),
    Kind.POWER: lambda cone: clarabel.PowerConeT(cone.power),
}


def solve_conic(problem: ConicProblem, settings: Settings) -> ConicAnswer:
    """Solve once; if the end is weak, by proximal steps, then with stronger regularisation."""
    answer, end = _attempt(problem, settings, careful=False)
    if answer.outcome is Outcome.UNBOUNDED and end is _End.SURE:
        return _told_apart(problem, settings, answer)
    if end is _End.SURE or answer.outcome is Outcome.TIME:
        return answer
    nearer, sure = proximal(problem, settings, answer.x)
    if nearer.outcome is Outcome.TIME:
        return nearer
    if end is _End.CLOSE:
        worse = _value(problem, nearer.x) - _value(problem, answer.x)
        return nearer if sure and worse <= _STILL * abs(_value(problem, answer.x)) else answer
    if sure:
        return nearer
    answer, end = _attempt(problem, settings, careful=True)
    ended = end is not _End.WEAK and _size(answer.x) <= _FAR
    if ended or answer.outcome is Outcome.TIME:
        return answer
    return _told_apart(problem, settings, answer)


def _told_apart(problem: ConicProblem, settings: Settings, answer: ConicAnswer) -> ConicAnswer:
    """The answer; infeasible or unbounded, if a further solve shows that it is."""
    if _no_point(problem, settings):
        return ConicAnswer(Outcome.INFEASIBLE, answer.x)
    if answer.outcome is not Outcome.UNBOUNDED and _falls(problem, settings):
        return ConicAnswer(Outcome.UNBOUNDED, answer.x)
    return answer


def proximal(problem: ConicProblem, settings: Settings, near: Vector) -> tuple[ConicAnswer, bool]:
    """Proximal steps from where the solver ended, until they hardly move and move less and less.

    A step moves by weight |x_(k+1) - x_k|^2, relative to the size of the objective. Steps towards
    an optimum shrink fast; along a slope too gentle to see, each moves as much as the one before,
    and that is not taken for an end.
    """
    n = len(problem.q)
    x = near if _size(near) <= _FAR else np.zeros(n)
    largest = float(np.abs(problem.q).max(initial=0.0))
    easier = settings.easier(min(10 * settings.tolerance, 1e-6))
    movement, done = 0.0, False  # one step alone does not show that they shrink
    dual: Vector | None = None
    for _ in range(_STEPS):
        size = max(abs(_value(problem, x)), 0.05 * largest) or 1.0
        P = sp.csc_array(problem.P / size + _WEIGHT * sp.eye_array(n))
        # For the move alone: beside (weight/2) |x_k|^2, the objective may be rounding.
        q, b = (problem.q + problem.P @ x) / size, problem.b - problem.A @ x
        answer, end = _attempt(replace(problem, P=P, q=q, b=b), easier, careful=False)
        if end is _End.WEAK or answer.outcome is not Outcome.OPTIMAL:
            at = replace(answer, x=x + answer.x)
            return at, end is _End.SURE and answer.outcome is Outcome.INFEASIBLE
        before, movement = movement, _WEIGHT * float(answer.x @ answer.x)
        x, dual = x + answer.x, None if answer.dual is None else size * answer.dual
        if _size(x) > _FAR:  # on its way to infinity
            break
        done = movement <= _STILL and movement <= max(_SHRINK * before, _REST)
        if done:
            break
    return ConicAnswer(Outcome.OPTIMAL, x, dual), done


def _size(x: Vector) -> float:
    """The largest |x_j|; infinite if some are no numbers."""
    return float(np.abs(x).max(initial=0.0)) if bool(np.isfinite(x).all()) else np.inf


def _value(problem: ConicProblem, x: Vector) -> float:
    with np.errstate(over="ignore", invalid="ignore"):  # an x on its way to infinity
        return float(problem.q @ x + 0.5 * x @ (problem.P @ x))


def _no_point(problem: ConicProblem, settings: Settings) -> bool:
    """Whether the least t with b - A x + t e in K is positive, e inside the cones.

    This program has a point wherever the equalities do, so it is solved where the other stalled.
    """
    answer, end = _attempt(problem.deepest, settings, careful=False)
    if end is _End.WEAK or answer.outcome is not Outcome.OPTIMAL:
        return end is _End.SURE and answer.outcome is Outcome.INFEASIBLE
    return float(answer.x[-1]) > 10 * ACCEPTABLE


def _falls(problem: ConicProblem, settings: Settings) -> bool:
    """Whether q'x < 0 for some x with -A x in K, P x = 0 and |x_j| <= 1: a way down without end."""
    n = len(problem.q)
    unit = sp.eye_array(n)
    curved = sp.csr_array(problem.P)[np.flatnonzero(abs(problem.P).sum(axis=1))]
    rows = len(problem.b) + curved.shape[0]
    ways = ConicProblem(
        P=sp.csc_array((n, n)),
        q=problem.q,
        A=sp.vstack([problem.A, curved, unit, -unit], format="csc"),
        b=np.concatenate([np.zeros(rows), np.ones(2 * n)]),
        cones=(*problem.cones, Cone.zero(curved.shape[0]), Cone.nonnegative(2 * n)),
    )
    answer, end = _attempt(ways, settings, careful=False)
    size = float(np.abs(problem.q).max(initial=0.0))
    solved = end is not _End.WEAK and answer.outcome is Outcome.OPTIMAL
    return solved and float(problem.q @ answer.x) < -_DOWN * size


class _End(Enum):
    """How far an answer is to be trusted: within the tolerance, within `ACCEPTABLE`, not."""

    SURE = auto()
    CLOSE = auto()
    WEAK = auto()


def _attempt(
    problem: ConicProblem, settings: Settings, *, careful: bool
) -> tuple[ConicAnswer, _End]:
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.max_threads = settings.threads
    sizes = [cone.size for cone in problem.cones if cone.kind is Kind.SECOND_ORDER]
    round_rows = sum(size for size in sizes if size <= _LONG)
    small = problem.A.nnz <= max(_SIMPLE, _SPARSE * problem.A.shape[0])
    if small and round_rows <= _ROUND:
        options.direct_solve_method = "qdldl"
    options.max_iter = 400 if careful else 200
    options.tol_feas = options.tol_gap_abs = options.tol_gap_rel = settings.tolerance
    options.tol_infeas_rel = 1e-9
    seconds = settings.seconds_left
    if seconds is not None:
        if seconds == 0.0:
            return ConicAnswer(Outcome.TIME, np.zeros(len(problem.q))), _End.WEAK
        options.time_limit = seconds
    if careful:
        options.static_regularization_constant = 1e-7
        options.iterative_refinement_max_iter = 50
        options.max_step_fraction = 0.95
    solver = clarabel.DefaultSolver(
        _upper(problem.P),
        problem.q,
        sp.csc_matrix(problem.A, copy=False),
        problem.b,
        [_CONES[cone.kind](cone) for cone in problem.cones if cone.size > 0],
        options,
    )
    result = solver.solve()
    status = str(result.status)
    x = np.array(result.x)
    outcome = _OUTCOMES.get(status)
    if outcome is Outcome.OPTIMAL and _size(x) > _NOWHERE:
        return ConicAnswer(Outcome.STALLED, x), _End.WEAK
    if outcome is None:
        size = 1.0 + min(abs(result.obj_val), abs(result.obj_val_dual))
        gap = abs(result.obj_val - result.obj_val_dual) / size
        accurate = gap <= ACCEPTABLE and result.r_prim <= ACCEPTABLE and result.r_dual <= _BALANCED
        close = accurate and _size(x) <= _FAR
        outcome = Outcome.OPTIMAL if close else _WEAK.get(status, Outcome.STALLED)
        return ConicAnswer(outcome, x, np.array(result.z)), _End.CLOSE if close else _End.WEAK
    return ConicAnswer(outcome, x, np.array(result.z)), _End.SURE


def _upper(P: Any) -> Any:  # noqa: ANN401 -- any scipy sparse
    matrix: Any = P if P.format == "csc" else P.tocsr()  # symmetric: its rows are its columns
    column: Any = np.repeat(np.arange(matrix.shape[1], dtype=np.intp), np.diff(matrix.indptr))
    half = matrix.indices <= column
    count = np.concatenate([[0], np.cumsum(np.bincount(column[half], minlength=matrix.shape[1]))])
    upper = sp.csc_matrix((matrix.data[half], matrix.indices[half], count), shape=matrix.shape)
    upper.sort_indices()
    return upper
