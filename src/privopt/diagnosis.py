"""Why no plan exists, for the curator.

Which rows block: with the noise as asked, the rows that must be exceeded to make the program
feasible (least total excess, each relative to its size). And what would do, each parameter alone:
the smallest epsilon, the largest alpha and the smallest eta at which the program becomes feasible,
by bisection to one percent; each reported value was tried and found feasible.

All of it depends on d. It is private, and never part of a release.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from privopt.conic.chance import ChanceProgram
from privopt.conic.solver import Settings
from privopt.errors import PrivoptError
from privopt.feasibility.protocol import Feasibility, Settled
from privopt.magnitude import public_bound
from privopt.noise.calibration import Privacy, query_sensitivity
from privopt.objective import ExpectedCost
from privopt.program import ConvexProgram
from privopt.query import Query
from privopt.repeat import Repeat

__all__ = ["Diagnosis", "diagnose"]

_PRECISION = 1.01


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """Private: what blocks, and what would do. Values only by attribute or `summary()`.

    Attributes
    ----------
    rows
        Names of the rows that must be exceeded, worst first.
    excess
        By how much, relative to their size.
    epsilon, alpha, eta
        Smallest epsilon, largest alpha, smallest eta (each alone) that would be feasible; None if
        that parameter alone does not help.
    """

    rows: tuple[str, ...]
    excess: tuple[float, ...]
    epsilon: float | None
    alpha: float | None
    eta: float | None

    def __repr__(self) -> str:
        return "Diagnosis(private: read .rows, .epsilon, .alpha, .eta, or print .summary())"

    def summary(self) -> str:
        """The diagnosis in words, for the curator's eyes."""
        lines = ["Rows that block (relative excess):"]
        lines += [
            f"  {name}: {amount:.3g}"
            for name, amount in list(zip(self.rows, self.excess, strict=True))[:10]
        ]
        if len(self.rows) > 10:
            lines.append(f"  ... {len(self.rows)} in all")
        for label, value in (
            ("smallest epsilon", self.epsilon),
            ("largest alpha", self.alpha),
            ("smallest eta", self.eta),
        ):
            text = "none: it does not help alone" if value is None else f"{value:.4g}"
            lines.append(f"Feasible, all else equal, at the {label}: {text}")
        return "\n".join(lines)


def diagnose(
    program: ConvexProgram,
    query: Query,
    privacy: Privacy,
    feasibility: Feasibility,
    repeat: Repeat | None,
    rng: int | np.random.Generator | None,
    settings: Settings,
) -> Diagnosis:
    """Find the blocking rows and the nearest feasible epsilon, alpha and eta."""
    seed = rng if isinstance(rng, int) else 0

    def settle(p: Privacy, f: Feasibility, relaxed: ConvexProgram | None = None) -> Settled | None:
        chosen = relaxed or program
        S = query.matrix(program)
        tries = 1 if repeat is None else repeat.tries(f)
        bound = public_bound(program, S)
        calibration = p.calibrate(S.shape[0], query_sensitivity(p, S), bound=bound, tries=tries)
        if relaxed is not None:
            S = sp.csr_array(sp.hstack([S, sp.csr_array((S.shape[0], relaxed.n - program.n))]))
        chance = ChanceProgram(chosen, S, calibration, ExpectedCost(), settings)
        try:
            result = f.settle(chance, np.random.default_rng(seed))
        except PrivoptError:
            return None
        return result if isinstance(result, Settled) else None

    def eta_feasible(eta: float) -> bool:
        other = feasibility.with_eta(eta)
        return other is not None and settle(privacy, other) is not None

    rows, excess = _blocking(program, lambda relaxed: settle(privacy, feasibility, relaxed))
    eta = _current_eta(feasibility)
    top = _largest_eta(feasibility)
    return Diagnosis(
        rows,
        excess,
        _search(
            lambda e: settle(privacy.replace(epsilon=e), feasibility) is not None,
            privacy.epsilon,
            2.0,
            privacy.epsilon * 2.0**40,
        ),
        _search(
            lambda a: settle(privacy.replace(alpha=a), feasibility) is not None,
            privacy.alpha,
            0.5,
            privacy.alpha * 2.0**-40,
        ),
        None if eta is None else _search(eta_feasible, eta, 2.0, top),
    )


def _current_eta(feasibility: Feasibility) -> float | None:
    given = getattr(feasibility, "eta", None)
    return None if given is None else float(np.max(np.asarray(given, dtype=float)))


def _largest_eta(feasibility: Feasibility) -> float:
    if getattr(feasibility, "margin", None) == "unimodal":
        return 1 / 6
    return 0.499 if hasattr(feasibility, "margin") else 0.99


def _search(
    feasible: Callable[[float], bool], start: float, factor: float, end: float
) -> float | None:
    """The feasible value nearest to `start` on the way to `end`, to one percent."""
    bad, good = start, start
    while True:
        good = good * factor
        last = good >= end if factor > 1 else good <= end
        good = end if last else good
        if feasible(good):
            break
        if last:
            return None
        bad = good
    while max(good / bad, bad / good) > _PRECISION:
        middle = float(np.sqrt(good * bad))
        good, bad = (middle, bad) if feasible(middle) else (good, middle)
    return good


def _blocking(
    program: ConvexProgram, settle: Callable[[ConvexProgram], Settled | None]
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Rows with positive excess in the relaxation A z - size t <= b, t >= 0, minimise sum t."""
    rows = program.rows
    n, m = program.n, len(rows)
    size = np.abs(rows.bound) + np.asarray(abs(rows.matrix).sum(axis=1)).ravel()
    size = np.where(size > 0, size, 1.0)
    relaxed = ConvexProgram(
        linear=np.concatenate([np.zeros(n), np.ones(m)]),
        A=sp.vstack(
            [
                sp.hstack([rows.matrix, -sp.diags_array(size)]),
                sp.hstack([sp.csr_array((m, n)), -sp.eye_array(m)]),
            ]
        ),
        b=np.concatenate([rows.bound, np.zeros(m)]),
        G=sp.hstack([program.equalities.matrix, sp.csr_array((len(program.equalities), m))]),
        d=program.right_hand_side(),
    )
    settled = settle(relaxed)
    if settled is None:
        return (), ()
    excess = settled.solved.z[n:]
    least = 1e-6 * max(1.0, float(excess.max(initial=0.0)))
    order = [int(i) for i in np.argsort(-excess) if excess[i] > least]
    return tuple(rows.names[i] for i in order), tuple(float(excess[i]) for i in order)
