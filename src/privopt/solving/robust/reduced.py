"""A region without what does not count: entries that do not move, slabs that others imply.

    half_j = 0, nearly                 u_j is known: no gain need follow it
    W_k a multiple of W_l              two slabs of one sum are one: where they overlap
    low_k = high_k, W_k = combination of such rows       says what the others say

To an interior-point method these are directions that nothing bounds: it would end nowhere. What is
left holds all that the other entries do in the region, and hardly more (1e-9 of its widths), so a
gain that keeps the rows there, with room for the entries left out, keeps them in the region.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.robust.region import Region

__all__ = ["reduced"]

_STILL = 1e-8  # of the largest half-width: an entry that moves less is not followed
_THIN = 1e-9  # of how far a sum can reach: a slab that is thinner is none wide
_ALIKE = 12  # decimals in which multiples agree


def reduced(region: Region) -> tuple[Region, NDArray[np.intp]]:
    """The region of the entries that move, and which these are."""
    half = region.half
    moving = half > _STILL * half.max(initial=0.0)
    entries = np.flatnonzero(moving)
    W, still = region.W[:, entries], np.abs(region.W[:, ~moving]) @ half[~moving]
    reach = np.abs(W) @ half[entries]
    there = reach > 0
    W, reach = W[there], reach[there]
    low, high = (region.low - still)[there] / reach, (region.high + still)[there] / reach
    W, low, high = _merged(W / reach[:, None], low, high)
    kept = _independent(W * half[entries], low, high)
    left = Region(region.middle[entries], half[entries], W[kept], low[kept], high[kept])
    return left, entries


def _merged(W: Dense, low: Vector, high: Vector) -> tuple[Dense, Vector, Vector]:
    """Slabs of one sum, in one or the other direction, as one: where they overlap."""
    seen: dict[tuple[float, ...], int] = {}
    ends: list[list[float]] = []
    rows: list[int] = []
    for k, row in enumerate(W):
        lead = row[np.argmax(np.abs(row) > 0.5 * np.abs(row).max())]
        sign = 1.0 if lead > 0 else -1.0
        least, most = (low[k], high[k]) if sign > 0 else (-high[k], -low[k])
        turned: list[float] = (sign * row / np.abs(row).max()).tolist()
        key = tuple(round(value, _ALIKE) for value in turned)
        place = seen.setdefault(key, len(rows))
        if place == len(rows):
            rows.append(k)
            ends.append([float(least), float(most)])
            W[k] = sign * row
        else:
            ends[place] = [max(ends[place][0], least), min(ends[place][1], most)]
    both = np.array(ends).reshape(-1, 2)
    middle = 0.5 * both.sum(axis=1)  # those that only rounding keeps apart meet there
    return W[rows], np.minimum(both[:, 0], middle), np.maximum(both[:, 1], middle)


def _independent(W: Dense, low: Vector, high: Vector) -> list[int]:
    """All slabs but those that thin ones imply: rows of W in units of the box."""
    width, basis, kept = high - low, np.zeros((0, W.shape[1])), list[int]()
    for k in np.argsort(width, kind="stable"):
        rest = W[k] - (W[k] @ basis.T) @ basis
        rest = rest - (rest @ basis.T) @ basis
        size = float(np.linalg.norm(rest))
        if size <= _THIN * float(np.linalg.norm(W[k])):
            continue
        kept.append(int(k))
        if width[k] <= _THIN:
            basis = np.vstack([basis, rest / size])
    return sorted(kept)
