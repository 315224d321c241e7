"""Lines of a drawing that cross, and fewer of them: nodes are moved one at a time.

    cost of a node's place = crossings of its lines + crowding + how far it went from its start

`untangled` goes over the nodes a few times, tries places around each and takes the cheapest. A
place is crowded where a node or a line that is not its own comes near.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector

__all__ = ["crossings", "untangled"]

Nodes = NDArray[np.intp]
_PASSES = 4
_REACH = (0.4, 0.9, 1.8)  # rings of places tried, in mean lengths of a line
_ANGLES = 10
_FREE = 0.3  # a cost below which a node stays where it is
_NEAR = 0.45  # of the mean length of a line: what is nearer than this is crowded


def crossings(place: Dense, source: Nodes, target: Nodes) -> int:
    """How many pairs of lines cross; lines that share an end do not."""
    a, b = place[source], place[target]
    total = 0
    for k in range(len(source) - 1):
        rest = slice(k + 1, None)
        ends = source[k], target[k]
        apart = ~(np.isin(source[rest], ends) | np.isin(target[rest], ends))
        total += int((apart & _crossed(a[k], b[k], a[rest], b[rest])).sum())
    return total


def untangled(place: Dense, source: Nodes, target: Nodes) -> Dense:
    """The drawing with nodes moved to where fewer lines cross and less is crowded."""
    x = place.copy()
    if not len(source):
        return x
    length = float(np.linalg.norm(x[source] - x[target], axis=1).mean())
    angle = 2 * np.pi * np.arange(_ANGLES) / _ANGLES
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    steps = np.concatenate([np.zeros((1, 2)), *(reach * ring for reach in _REACH)]) * length
    degree = np.bincount(np.concatenate([source, target]), minlength=len(x))
    order = np.argsort(degree, kind="stable")
    for _ in range(_PASSES):
        moved = False
        for node in order:
            own = (source == node) | (target == node)
            ends = np.where(source[own] == node, target[own], source[own])
            if _cost(x[[node]], node, ends, x, source[~own], target[~own], length)[0] < _FREE:
                continue
            middle = x[ends].mean(axis=0) - x[node] if len(ends) else np.zeros(2)
            tried = x[node] + np.concatenate([steps, [middle], middle + steps[1 : 1 + _ANGLES]])
            cost = _cost(tried, node, ends, x, source[~own], target[~own], length)
            cost += 0.05 * np.linalg.norm(tried - place[node], axis=1) / length
            best = int(np.argmin(cost))
            if cost[best] < cost[0] - 1e-3:
                x[node], moved = tried[best], True
        if not moved:
            break
    return x


def _cost(
    tried: Dense, node: int, ends: Nodes, x: Dense, source: Nodes, target: Nodes, length: float
) -> Vector:
    """Of a node at each place: crossings of its lines, and what is near."""
    a, b = x[source], x[target]
    cost = np.zeros(len(tried))
    near = _NEAR * length
    others = np.delete(x, node, axis=0)
    gaps = np.linalg.norm(tried[:, None] - others[None], axis=2)
    cost += (np.maximum(1.0 - gaps / (1.5 * near), 0.0) ** 2).sum(axis=1) * 2.0
    gaps = _distance(tried[:, None], a[None], b[None])
    cost += (np.maximum(1.0 - gaps / near, 0.0) ** 2).sum(axis=1)
    for end in ends:
        free = (source != end) & (target != end)
        to = x[end]
        cost += _crossed(tried[:, None], to, a[free][None], b[free][None]).sum(axis=1)
        passed = np.delete(x, [node, end], axis=0)
        gaps = _distance(passed[None], tried[:, None], to)
        cost += (np.maximum(1.0 - gaps / near, 0.0) ** 2).sum(axis=1)
        long = np.linalg.norm(tried - to, axis=1) / length
        cost += 0.1 * np.maximum(long - 1.0, 0.0) ** 2 + 0.1 * np.maximum(0.6 - long, 0.0)
    return cost


def _crossed(a: Dense, b: Dense, c: Dense, d: Dense) -> NDArray[np.bool_]:
    """Whether the lines from a to b and from c to d cross."""
    one = _side(a, b, c) * _side(a, b, d) < 0
    return one & (_side(c, d, a) * _side(c, d, b) < 0)


def _side(a: Dense, b: Dense, c: Dense) -> Vector:
    """On which side of the line from a to b the point c lies, by sign."""
    u, v = b - a, c - a
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


def _distance(p: Dense, a: Dense, b: Dense) -> Vector:
    """From points to lines with two ends."""
    u = b - a
    length = np.maximum((u * u).sum(axis=-1), 1e-12)
    share = np.clip(((p - a) * u).sum(axis=-1) / length, 0.0, 1.0)
    gap = p - a - share[..., None] * u
    return np.hypot(gap[..., 0], gap[..., 1])
