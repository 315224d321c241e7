"""What could be measured: sums W of the private data, and a first guess at what each is worth.

    loss(W)  ~  1/2 tr(H P)        P = Sigma - Sigma W'(W Sigma W' + sigma^2 I)^-1 W Sigma

P is the covariance of the private data that a measurement leaves (as if all were normal), H the
mean over public draws of J'(H_q + 2 fidelity I) J: J how the answers follow the data, H_q how the
cost curves where released values are off, both by the rows that bind at a draw. That ranks
candidates; what they cost is found by simulation.

Candidates, besides the user's own: nothing; the total; zones from coarse to fine, entries that
matter alike in one (Ward's clusters of the columns of H^1/2); each entry; the total and each entry;
the leading directions of H, plain and weighted by how much they matter. Where the program has
periods: the total of each period, and of blocks of them. (What they cost depends on who is
protected: for owners over 24 hours, 24 hourly totals differ by 24 alpha in the 1-norm, by sqrt(24)
alpha in the 2-norm, and the total of the day by 24 alpha in both.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cut_tree, ward

from privopt.arrays import Dense
from privopt.mechanisms.measured.task import DecisionTask
from privopt.model.periods import Periods

__all__ = ["NOTHING", "Candidate", "curvature", "guess", "over_time", "proposed"]

NOTHING = "nothing"
_ZONES = (2, 4, 8, 16, 32)
_BLOCKS = (2, 4, 8, 12)  # of periods
_LEAD = 0.99  # of the curvature that leading directions cover,
_MOST = 8  # by so many of them at the most
_DRAWS, _FEW = 16, 2  # at which curvature is looked at, of programs up to this size and beyond it
_LARGE = 400
_ALIKE = 0.01  # of the largest weight


@dataclass(frozen=True, repr=False, eq=False)
class Candidate:
    """Sums under a name; `own` if the user named them."""

    name: str
    W: Dense
    names: tuple[str, ...]
    own: bool = False


def proposed(
    task: DecisionTask, H: Dense, entries: tuple[str, ...], own: Mapping[str, Candidate]
) -> list[Candidate]:
    """The candidates, the user's own last."""
    q = len(entries)
    one, each = np.ones((1, q)), np.eye(q)
    found = [
        Candidate(NOTHING, np.zeros((0, q)), ()),
        Candidate("total", one, ("total",)),
    ]
    roots = _root(H)
    size = np.linalg.norm(roots, axis=1)
    if q > 2 and size.any():
        tree = ward(roots)
        for count in (k for k in _ZONES if k < q):
            zone = np.asarray(cut_tree(tree, n_clusters=[count]))[:, 0]
            W = (zone == np.arange(count)[:, None]).astype(float)
            names = tuple(f"zone {k + 1}" for k in range(count))
            found.append(Candidate(f"{count} zones", W, names))
    found += over_time(task.program.periods, q)
    found.append(Candidate("each", each, entries))
    if q > 1:
        found.append(Candidate("total and each", np.vstack([one, each]), ("total", *entries)))
        found += _directions(task, H)
    return [*_different(found, task.data.moving), *own.values()]


def over_time(periods: Periods | None, q: int) -> list[Candidate]:
    """The totals of blocks of periods, from long ones to single periods; none without periods."""
    if periods is None or len(periods) == 1:
        return []
    found: list[Candidate] = []
    for count in (*(k for k in _BLOCKS if k < len(periods)), len(periods)):
        groups = periods.totals(count)
        W = np.zeros((len(groups), q))
        for row, entries in zip(W, groups.values(), strict=True):
            row[entries] = 1.0
        name = "each period" if count == len(periods) else f"{count} blocks of periods"
        found.append(Candidate(name, W, tuple(groups)))
    return found


def _different(found: list[Candidate], moving: NDArray[np.intp]) -> list[Candidate]:
    """Without those that measure what one before them does, in other units.

    Entries that do not vary do not count.
    """
    kept: list[Candidate] = []
    for one in found:
        if not any(_same(one.W[:, moving], other.W[:, moving]) for other in kept):
            kept.append(one)
    return kept


def _same(W: Dense, other: Dense) -> bool:
    """Whether two matrices are multiples of each other, to a few digits."""
    if W.shape != other.shape:
        return False
    scale = float((W * other).sum() / max(float((other * other).sum()), 1e-300))
    return bool(np.abs(W - scale * other).max(initial=0.0) <= _ALIKE * np.abs(W).max(initial=0.0))


def _directions(task: DecisionTask, H: Dense) -> list[Candidate]:
    """Leading directions of H in units of how far the data vary."""
    deviation = np.sqrt(task.data.variance)
    values, vectors = np.linalg.eigh(deviation[:, None] * H * deviation)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    if not values[0] > 0:
        return []
    count = 1 + int(np.searchsorted(np.cumsum(values) / values.sum(), _LEAD))
    count = min(count, _MOST, len(values))
    W = (vectors[:, :count] * deviation[:, None]).T / np.where(deviation > 0, deviation**2, 1.0)
    W[:, deviation == 0] = 0.0
    W = W / np.linalg.norm(W, axis=1, keepdims=True)
    names = tuple(f"direction {k + 1}" for k in range(count))
    weight = (values[:count] / values[0]) ** 0.25
    return [
        Candidate("directions", W, names),
        Candidate("weighted directions", weight[:, None] * W, names),
    ]


def guess(task: DecisionTask, H: Dense, W: Dense, deviation: float) -> float:
    """1/2 tr(H P), relative to the size of the cost, for noise of some standard deviation."""
    variance = task.data.variance
    P = np.diag(variance)
    if len(W):
        cross = W * variance
        inner = cross @ W.T + deviation**2 * np.eye(len(W))
        P = P - cross.T @ np.linalg.solve(inner, cross)
    return 0.5 * float((H * P).sum()) / task.scale


def curvature(task: DecisionTask, fidelity: float) -> Dense:
    """H: how the loss curves in the private data, by what a decision cannot know of them."""
    count = _DRAWS if task.program.n <= _LARGE else _FEW
    draws = task.data.mean + task.answers.drawn[:count]
    total = np.zeros((draws.shape[1], draws.shape[1]))
    for u in draws:
        J, curved = task.slopes(u)
        weight = curved + 2 * fidelity * np.eye(len(curved))
        total += J.T @ weight @ J / count
    if np.abs(total).max(initial=0.0) > 0:
        return 0.5 * (total + total.T)
    # Of a linear cost nothing curves where values are off by little: all matter alike.
    for u in draws:
        J, _ = task.slopes(u)
        total += J.T @ J / count
    return 0.5 * (total + total.T)


def _root(H: Dense) -> Dense:
    """A square root of H: a row for each private entry."""
    values, vectors = np.linalg.eigh(H)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
