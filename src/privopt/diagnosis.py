"""Why no plan exists, for the curator.

Which rows block: with the noise as asked, the rows on which the least total excess over the limits
lies (each relative to its size). And what would do, each parameter alone:
the smallest epsilon, the largest alpha and the smallest eta at which the program becomes feasible,
by bisection to one percent; each reported value was tried and found feasible.

All of it depends on d. It is private, and never part of a release.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Vector
from privopt.conic.chance import ChanceProgram
from privopt.conic.highs import WarmLP
from privopt.conic.scaling import Scaling
from privopt.conic.solver import Settings
from privopt.discreet import discreet
from privopt.errors import PrivoptError
from privopt.feasibility.analytic import Analytic
from privopt.feasibility.protocol import Feasibility, Settled
from privopt.magnitude import public_bound
from privopt.noise.calibration import Privacy, query_sensitivity
from privopt.objective import ExpectedCost
from privopt.program import ConvexProgram
from privopt.query import Query, still_entries
from privopt.repeat import Repeat
from privopt.showing.figures import figure, titled
from privopt.showing.result import PrivateResult
from privopt.showing.view import Note, Table, View

__all__ = ["Diagnosis", "Request", "diagnose", "diagnose_program"]

_PRECISION = 1.01
T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class Diagnosis(PrivateResult):
    """Private: what blocks, and what would do. Values only by attribute or `summary()`.

    Attributes
    ----------
    rows
        Names of the rows on which the least total excess lies, worst first.
    excess
        By how much, relative to their size.
    epsilon, alpha, eta
        Smallest epsilon, largest alpha, smallest eta (each alone) that would be feasible; None if
        that parameter alone does not help within its range.
    before_noise
        Whether the program itself is infeasible, without any noise.
    """

    rows: tuple[str, ...]
    excess: tuple[float, ...]
    epsilon: float | None
    alpha: float | None
    eta: float | None
    before_noise: bool = False

    def __repr__(self) -> str:
        return "Diagnosis(private: read .rows, .epsilon, .alpha, .eta, or print .summary())"

    def _view(self) -> View:
        title, notes = "Rows that block. PRIVATE.", self._remedies
        if self.before_noise:
            title = "Infeasible before any noise: no epsilon, alpha or eta helps. PRIVATE."
        if self.before_noise and not self.rows:
            title = f"{title} The equalities G z = d contradict each other."
        table = Table("row", self.rows, {"relative excess": self.excess})
        return View(title, table, notes, limit=10)

    @property
    def _remedies(self) -> tuple[Note, ...]:
        if self.before_noise:
            return ()
        found = (
            ("smallest epsilon", self.epsilon),
            ("largest alpha", self.alpha),
            ("smallest eta", self.eta),
        )
        return tuple(
            Note(
                f"Feasible, all else equal, at the {label}: "
                f"{'none in its range' if value is None else f'{value:.4g}'}"
            )
            for label, value in found
        )

    def plot(self) -> Any:  # noqa: ANN401 -- a plotly figure; plotly has no types
        """The rows that block, and by how much. Private."""
        bars = {"type": "bar", "x": list(self.rows), "y": list(self.excess)}
        remedies = "; ".join(note.text for note in self._remedies)
        return figure(
            [bars],
            "PRIVATE: rows that block",
            remedies,
            yaxis=titled("excess over the limit, relative to the row's size"),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Request:
    """What was asked of `solve` when no plan was found."""

    program: ConvexProgram
    query: Query
    privacy: Privacy
    feasibility: Feasibility
    repeat: Repeat | None
    rng: np.random.Generator
    settings: Settings

    def chance(self, privacy: Privacy, feasibility: Feasibility) -> ChanceProgram:
        """The chance-constrained program under another privacy or feasibility request."""
        S = self.query.matrix(self.program)
        tries = 1 if self.repeat is None else self.repeat.tries(feasibility)
        calibration = privacy.calibrate(
            S.shape[0],
            query_sensitivity(privacy, S),
            bound=public_bound(self.program, S),
            tries=tries,
        )
        near = self.program.solve(self.settings).z
        still = still_entries(self.query, self.program)
        return ChanceProgram(
            self.program, S, calibration, ExpectedCost(), self.settings, near, still
        )

    def feasible(self, privacy: Privacy, feasibility: Feasibility) -> bool:
        """Whether a plan is found under another request, with the same draws."""
        chance = self.chance(privacy, feasibility)
        return isinstance(feasibility.settle(chance, copy.deepcopy(self.rng)), Settled)


@discreet
def diagnose(request: Request) -> Diagnosis:
    """Find the blocking rows and the nearest feasible epsilon, alpha and eta."""
    privacy, feasibility = request.privacy, request.feasibility

    def with_epsilon(epsilon: float) -> bool:
        return request.feasible(_changed(privacy, epsilon=epsilon), feasibility)

    def with_alpha(alpha: float) -> bool:
        return request.feasible(_changed(privacy, alpha=alpha), feasibility)

    def with_eta(eta: float) -> bool:
        return request.feasible(privacy, _changed(feasibility, eta=eta))

    chance = request.chance(privacy, feasibility)
    excess = chance.excess(feasibility.margins(chance, copy.deepcopy(request.rng)))
    least = max(1e-6, 0.01 * float(excess.max(initial=0.0)))
    order = [int(i) for i in np.argsort(-excess) if excess[i] > least]
    names = request.program.rows.names
    given = getattr(feasibility, "eta", None)
    return Diagnosis(
        rows=tuple(names[i] for i in order),
        excess=tuple(float(excess[i]) for i in order),
        epsilon=_search(with_epsilon, privacy.epsilon, _epsilons(privacy)),
        alpha=_search(with_alpha, privacy.alpha, privacy.alpha * 1e-9),
        eta=None
        if given is None
        else _search(with_eta, float(np.min(np.asarray(given, dtype=float))), _etas(feasibility)),
    )


@discreet
def diagnose_program(program: ConvexProgram, target: Vector) -> Diagnosis:
    """The rows that block a program without noise: least total excess, by a linear program."""
    scaling = Scaling.of(program, target)
    A, G = scaling.rows(program.rows.matrix), scaling.equalities(program.equalities.matrix)
    m, n = A.shape
    lp = WarmLP(
        c=np.concatenate([np.zeros(n), np.ones(m)]),
        M=sp.block_array([[A, -sp.eye_array(m)], [G, None]]) if m else G,
        row_lower=np.concatenate([np.full(m, -np.inf), scaling.targets(target)]),
        row_upper=np.concatenate([scaling.bounds(program.rows.bound), scaling.targets(target)]),
        lower=np.concatenate([np.full(n, -np.inf), np.zeros(m)]),
        upper=np.full(n + m, np.inf),
    )
    answer = lp.solve()
    excess = np.zeros(m) if answer is None else answer.x[n:]
    order = [int(i) for i in np.argsort(-excess) if excess[i] > 1e-7]
    names = program.rows.names
    return Diagnosis(
        rows=tuple(names[i] for i in order),
        excess=tuple(float(excess[i]) for i in order),
        epsilon=None,
        alpha=None,
        eta=None,
        before_noise=True,
    )


def _changed(request: T, **changes: float) -> T:
    """The same request with another number in it."""
    return cast("T", dataclasses.replace(cast("Any", request), **changes))


def _epsilons(privacy: Privacy) -> float:
    """The largest epsilon worth trying."""
    classical = getattr(privacy, "calibration", None) == "classical"
    return 0.999 if classical else max(1e4, 100 * privacy.epsilon)


def _etas(feasibility: Feasibility) -> float:
    """The largest eta in the range of a reformulation."""
    if isinstance(feasibility, Analytic) and feasibility.margin == "unimodal":
        return 1 / 6 if feasibility.scope == "row" else 0.499
    return 0.499


def _search(feasible: Callable[[float], bool], start: float, end: float) -> float | None:
    """The feasible value nearest to `start` on the way to `end`, to one percent."""

    def holds(value: float) -> bool:
        try:
            return feasible(value)
        except PrivoptError:  # outside the range of that parameter
            return False

    bad, good = start, start
    while True:
        good = min(2 * good, end) if end > start else max(good / 2, end)
        if holds(good):
            break
        if good == end:
            return None
        bad = good
    while max(good / bad, bad / good) > _PRECISION:
        middle = float(np.sqrt(good * bad))
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good
