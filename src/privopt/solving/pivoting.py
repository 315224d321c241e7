"""Many linear complementarity problems with one matrix, by block principal pivoting.

    l >= 0,  w = g + Q l >= 0,  l'w = 0        for each row g; Q symmetric, positive semidefinite

The optimality conditions of min 1/2 l'Q l + g'l over l >= 0. A set W of positions is guessed:
l_W = -Q_WW^-1 g_W, zero elsewhere. Where l or w are below zero the position changes sides, all such
positions at once as long as their number falls, otherwise the last of them alone, which ends after
finitely many steps (Murty) where Q_WW is regular for every W. Rows that say the same twice make it
singular: a little is added to its diagonal, so that of two such positions the one that asks for
less gets a multiplier far below zero and leaves; one step of refinement takes it out again. A set
that solves one row is tried for all that are left at once: few sets solve many rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg.lapack as lapack
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector

__all__ = ["complementary"]

_TOOL: Any = lapack  # its functions have no types
_STEPS = 60
_ALONE = 3  # rows that are left: fewer are not tried together
_PATIENCE = 3  # steps of all positions at once that may pass without fewer of them
_ADDED = 1e-10  # to a diagonal of ones
_BELOW = 1e-12  # of the sizes of g and of l: less is rounding
_MET = 1e-6  # of the size of g: what is off by more is met by nothing but what was added
_STILL = 1e-14  # of the largest diagonal entry: a position that nothing moves

Mask = NDArray[np.bool_]


def complementary(Q: Dense, g: Dense, start: Mask) -> tuple[Dense, Mask]:
    """The l of each row of g, and which of them were found, from guesses of where l is above zero.

    There may be none: the program whose dual this is has no feasible point. A row of `start` that
    is all False is a guess that the one before it makes.
    """
    size = np.sqrt(np.maximum(np.diag(Q), 0.0))
    still = size <= _STILL**0.5 * size.max(initial=0.0)  # nothing moves it: it stays outside W
    size[still] = np.inf
    ones, right = Q / size[:, None] / size, g / size
    solutions, solved = np.zeros_like(g), np.zeros(len(g), dtype=bool)
    W = np.zeros(g.shape[1], dtype=bool)
    order = np.argsort(g.min(axis=1, initial=0.0), kind="stable")
    waiting = order[(g[order][:, still] >= 0).all(axis=1)]
    while len(waiting):
        i, waiting = waiting[0], waiting[1:]
        ended = _pivoted(ones, right[i], start[i] if start[i].any() else W)
        if ended is None:
            continue
        W = ended > 0
        solutions[i], solved[i] = ended / size, True
        if len(waiting) > _ALONE:  # those that it solves, too
            ended, right_here = _under(ones, right[waiting], W)
            alike = waiting[right_here]
            solutions[alike], solved[alike] = ended[right_here] / size, True
            waiting = waiting[~right_here]
    return solutions, solved


def _under(Q: Dense, g: Dense, W: Mask) -> tuple[Dense, Mask]:
    """The l of each row that W leads to, and which of them are right."""
    at = np.flatnonzero(W)
    multipliers = np.zeros_like(g)
    multipliers[:, at] = part = _solved(Q[np.ix_(at, at)], -g[:, at].T).T
    w = g + part @ Q[at]
    size = 1 + np.abs(g).max(axis=1, initial=0.0)
    least = -_BELOW * (1 + np.abs(part).max(axis=1, initial=0.0))
    right = (part >= least[:, None]).all(axis=1)
    right &= (W | (w >= -_BELOW * size[:, None])).all(axis=1)
    right &= np.abs(w[:, at]).max(axis=1, initial=0.0) <= _MET * size
    return np.maximum(multipliers, 0.0), right


def _pivoted(Q: Dense, g: Vector, W: Mask) -> Vector | None:
    """One of them, by pivots from W on; None where they do not end."""
    fewest, patience = len(g) + 1, _PATIENCE
    rounding = _BELOW * (1 + float(np.abs(g).max(initial=0.0)))
    for _ in range(_STEPS):
        at = np.flatnonzero(W)
        multipliers = np.zeros(len(g))
        multipliers[at] = part = _solved(Q[np.ix_(at, at)], -g[at])
        w = g + Q[:, at] @ part
        least = -_BELOW * (1 + float(np.abs(part).max(initial=0.0)))
        wrong = np.where(W, multipliers < least, w < -rounding)
        count = int(wrong.sum())
        if not count:
            met = np.abs(w[at]).max(initial=0.0) <= _MET * (1 + np.abs(g).max(initial=0.0))
            return np.maximum(multipliers, 0.0) if met else None
        if count < fewest:
            fewest, patience = count, _PATIENCE
        elif patience:
            patience -= 1
        else:
            wrong = np.arange(len(g)) == np.flatnonzero(wrong)[-1]
        W = W ^ wrong
    return None


def _solved(Q: Dense, right: Dense) -> Dense:
    """Q^-1 right, where Q is regular; large, or NaN, where it is not."""
    if not len(right):
        return right
    shifted = Q.copy()
    shifted.flat[:: len(right) + 1] += _ADDED
    factor, x, info = _TOOL.dposv(shifted, right, lower=1)
    if info:
        return np.full_like(right, np.nan)
    return x + _TOOL.dpotrs(factor, right - Q @ x, lower=1)[0]
