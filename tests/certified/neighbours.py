"""Pairs of neighbours that try to tell two measurements apart."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from tests.certified.stored import Real, Stored, power

Pair: TypeAlias = tuple[list[Real], list[Real]]


def of_one_entry(stored: Stored, rng: np.random.Generator, count: int = 60) -> Iterator[Pair]:
    """Pairs that differ in one entry: the worst entry, grid steps, edges, vertices, outside."""
    alpha, low, high = float(stored.alpha), *_ends(stored)
    sizes = [
        sum(abs(row[j]) ** stored.order for row in stored.matrix) * (b > a)
        for j, (a, b) in enumerate(zip(stored.low, stored.high, strict=True))
    ]
    worst, step = int(np.argmax(sizes)), float(power(-stored.coarse))
    for turn in range(count):
        j = worst if turn % 4 else int(rng.integers(len(low)))
        sign = 1.0 if rng.random() < 0.5 else -1.0
        kind, move = turn % 6, alpha
        d = rng.uniform(low, high)
        if kind == 0:  # random, any step
            move = alpha * rng.random()
        elif kind == 1:  # a vertex
            d = np.where(rng.random(len(low)) < 0.5, low, high)
            sign = 1.0 if d[j] == low[j] else -1.0
        elif kind == 2:  # across half steps of the grid
            d[j] = (np.floor(rng.uniform(low[j], high[j]) / step) + 0.5) * step
            d[j] = _nudged(d[j], int(rng.integers(-2, 3)))
        elif kind == 3:  # at an edge of the domain
            d[j] = _nudged(rng.choice([low[j], high[j]]), int(rng.integers(-2, 3)))
            sign = 1.0 if abs(d[j] - low[j]) < abs(d[j] - high[j]) else -1.0
        elif kind == 4:  # near zero, where floats are finer than the grid
            d[j] = rng.choice([0.0, 0.5 * step, -0.5 * step, 5e-324, 1.5 * step])
            d[j] = _nudged(d[j], int(rng.integers(-2, 3)))
        else:  # outside
            d = rng.uniform(low - 2 * alpha, high + 2 * alpha)
            d[int(rng.integers(len(d)))] *= rng.choice([1.0, 1e12])
        yield _pair(d, j, sign * move, stored.alpha)
        if kind == 0:  # numbers between floats, exactly alpha apart
            yield _between(d, j, Fraction(sign), stored.alpha, Fraction(rng.random()))


def _ends(stored: Stored) -> tuple[np.ndarray, np.ndarray]:
    low, high = zip(*stored.box, strict=True)
    return np.array([float(a) for a in low]), np.array([float(b) for b in high])


def _nudged(value: float, times: int) -> float:
    for _ in range(abs(times)):
        value = float(np.nextafter(value, np.inf if times > 0 else -np.inf))
    return value


def _between(d: np.ndarray, j: int, sign: Fraction, alpha: Fraction, part: Fraction) -> Pair:
    """D with a part of the distance to the next float added to an entry, and its neighbour."""
    first: list[Real] = d.tolist()
    second = list(first)
    first[j] = Fraction(float(d[j])) + part * Fraction(float(np.spacing(d[j])))
    second[j] = first[j] + sign * alpha
    return first, second


def _pair(d: np.ndarray, j: int, move: float, alpha: Fraction) -> Pair:
    """d and its neighbour at the given step, which is cut to alpha exactly."""
    other = d.copy()
    other[j] = d[j] + move
    while abs(Fraction(float(other[j])) - Fraction(float(d[j]))) > alpha:
        other[j] = np.nextafter(other[j], d[j])
    return d.tolist(), other.tolist()


def of_one_owner(stored: Stored, rng: np.random.Generator, count: int) -> Iterator[Pair]:
    """Pairs of any relation: one owner's entries move as far as the file says they may."""
    alphas = stored.alphas
    for turn in range(count):
        group = stored.owners[int(rng.integers(len(stored.owners)))]
        share = [Fraction(rng.choice([0.0, 1.0, rng.uniform(-0.2, 1.2)])) for _ in stored.box]
        d: list[Any] = [a + s * (b - a) for s, (a, b) in zip(share, stored.box, strict=True)]
        if turn % 3 == 0:  # between floats
            d = [x + alphas[0] * Fraction(int(rng.integers(-999, 999)), 10**17) for x in d]
        row = stored.matrix[int(rng.integers(len(stored.matrix)))]
        agree = [1 if row[j] >= 0 else -1 for j in range(len(row))]
        signs = agree if turn % 2 else rng.choice([-1, 1], len(row)).tolist()
        share = [Fraction(1)] * len(row)
        if stored.total:
            parts = [int(v) for v in rng.integers(0, 100, len(group))]
            if turn % 4 == 0:
                parts = [int(n == turn // 4 % len(group)) for n in range(len(group))]
            whole = max(sum(parts), 1)
            for j, part in zip(group, parts, strict=True):
                share[j] = Fraction(part, whole)
        elif turn % 5 == 0:
            group = [group[int(rng.integers(len(group)))]]
        other = list(d)
        for j in group:
            other[j] = d[j] + signs[j] * share[j] * alphas[j]
        yield d, other
