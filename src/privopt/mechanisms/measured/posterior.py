"""Draws of the private data as measurements leave them: prior times the density of the noise.

    p(u | y)  ~  prior(u)  prod over measurements and their rows k of  f((y_k - W_k u) / scale_k)

For the uniform prior on a region (box and slabs): entries that no sum and no slab connects are
independent, so each part of connected ones is drawn by itself. Prior draws are resampled by their
likelihood; chains (`chains`), one for each draw, then move on from there, so that draws are
independent of each other. Few steps will do where many prior draws are likely. Where hardly any of
them is (precise measurements, thin slabs) chains start from one point that is, and run for longer.
For a prior that is given by draws of its own, these are resampled and nothing else.

Everything here is public.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from privopt.arrays import Dense, Vector
from privopt.mechanisms.measured.chains import Chains, Evidence
from privopt.solving.robust.inner import inner
from privopt.solving.robust.region import Region

__all__ = ["Evidence", "posterior"]

_LITTLE, _SWEEPS, _MORE = 2, 12, 48  # sweeps from many likely draws, from some, from one point
_MANY = 4  # times as many likely prior draws as are asked for,
_FEW = 12  # or too few to start from
_POOLS = (64, 512)  # prior draws for each chain, of which it starts at one; more if few are likely


def posterior(
    where: Region,
    evidence: Sequence[Evidence],
    count: int,
    rng: np.random.Generator,
    *,
    prior: Dense | None = None,
) -> Dense:
    """Draws of u, one a row; none if a prior is given and none of its draws is possible.

    Parameters
    ----------
    where
        The draws are those of p(u | y) within it.
    evidence
        What was measured; nothing: the draws are those of the prior.
    prior
        Draws of the prior, one a row; uniform on `where` unless given.
    """
    if prior is not None:
        weight = _weights(where, evidence, prior)
        if not (weight > -np.inf).any():
            return np.zeros((0, len(where.half)))
        share, _ = _shares(weight)
        return prior[rng.choice(len(prior), count, p=share)]
    u = np.zeros((count, len(where.half)))
    for entries in _parts(where, evidence):
        u[:, entries] = _drawn(*_only(entries, where, evidence), count, rng)
    return u


def _drawn(
    where: Region, evidence: Sequence[Evidence], count: int, rng: np.random.Generator
) -> Dense:
    """Draws of entries that are connected, or of one."""
    u, likely = np.zeros((count, len(where.half))), 0.0
    for size in _POOLS:
        pool = where.middle + where.half * (2 * rng.random((size * count, len(where.half))) - 1)
        weight = _weights(where, evidence, pool)
        possible = np.flatnonzero(weight > -np.inf)
        if not evidence and len(possible) >= count:
            return pool[possible[:count]]
        share, likely = _shares(weight)
        if likely >= _FEW:
            u = pool[rng.choice(len(pool), count, p=share)]
        if likely >= _MANY * count:
            break
    sweeps = _LITTLE if likely >= _MANY * count else _SWEEPS
    if likely < _FEW:
        u, sweeps = np.tile(_likely(where, evidence), (count, 1)), _MORE
    chains = Chains(where, evidence, u, rng)
    for _ in range(sweeps):
        chains.exchange()
        chains.sweep()
    return chains.u


def _weights(where: Region, evidence: Sequence[Evidence], pool: Dense) -> Vector:
    """The logarithm of the likelihood of each row, -inf outside the region."""
    weight = np.where(where.holds(pool), 0.0, -np.inf)
    for one in evidence:
        weight = weight + one.likelihood(pool @ one.W.T)
    return weight


def _shares(weight: Vector) -> tuple[Vector, float]:
    """Probabilities by log-weights, and how many draws of equal weight they are worth."""
    best = float(weight.max(initial=-np.inf))
    if best == -np.inf:
        return np.zeros(len(weight)), 0.0
    share = np.exp(weight - best)
    share = share / share.sum()
    return share, 1 / float((share**2).sum())


def _parts(where: Region, evidence: Sequence[Evidence]) -> list[NDArray[np.intp]]:
    """The entries, those together that sums or slabs connect."""
    sums: Any = np.vstack([where.W, *(one.W for one in evidence)]) != 0
    _, part = connected_components(sp.csr_array(sums.T.astype(int) @ sums))
    return [np.flatnonzero(part == k) for k in range(part.max(initial=-1) + 1)]


def _only(
    entries: NDArray[np.intp], where: Region, evidence: Sequence[Evidence]
) -> tuple[Region, list[Evidence]]:
    """What is known of some entries that nothing connects with the others."""
    rows = where.W[:, entries].any(axis=1)
    region = Region(
        where.middle[entries],
        where.half[entries],
        where.W[np.ix_(rows, entries)],
        where.low[rows],
        where.high[rows],
    )
    seen = ((one, one.W[:, entries].any(axis=1)) for one in evidence)
    return region, [
        Evidence(one.W[np.ix_(rows, entries)], one.y[rows], one.scale, one.log_density)
        for one, rows in seen
        if rows.any()
    ]


def _likely(where: Region, evidence: Sequence[Evidence]) -> Vector:
    """A point of the region near to all that was measured."""
    q = len(where.half)
    W = np.vstack([np.zeros((0, q)), *(one.W for one in evidence)])
    y = np.concatenate([np.zeros(0), *(one.y for one in evidence)])
    scale = np.concatenate([np.zeros(0), *(np.full(len(one.W), one.scale) for one in evidence)])
    return inner(where, W, y, scale)
