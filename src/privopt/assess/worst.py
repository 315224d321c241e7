"""The worst neighbours of an instrument: those whose releases lie farthest apart.

    y = offset + M u + noise          u = private entries of d, clamped to the box

The map is affine, so how far y moves depends on the change of u alone, and grows with it: the worst
change is a vertex of what neighbours allow, within the box.

    total    one entry j by alpha_j:                        max_j ||M e_j|| alpha_j
    each     all entries of one owner o, with signs s:      max_o max_s || sum_j M_j alpha_j s_j ||

in the norm of the noise: l1 for Laplace, l2 for Gaussian, in which the privacy loss grows with the
distance. The signs are tried out where they, or those of the values, are few; of many, a local
search finds good ones (`exact` says which). The bound that the noise was made for,
max_o || sum_j |M_j| alpha_j ||, may lie above: it is safe for signs that no data have at once.

The data are made up: nothing of anyone's d is looked at.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.errors import InputError
from privopt.foreign import some
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.kernel.noisy_map import NoisyMap
from privopt.noise.neighbours import exact_alpha

__all__ = ["WorstPair", "kernel_of", "worst_pair"]

_FEW = 12  # signs that are tried out


@dataclass(frozen=True, eq=False)
class WorstPair:
    """Two made-up data, neighbours, whose releases lie farthest apart.

    Attributes
    ----------
    d, d_prime
        The data, with an entry for each of `data_names`; entries that are not private are 0.
    entries
        Names of the private entries that differ.
    distance
        How far apart the released values are without noise, in the norm of the noise.
    exact
        Whether no pair is farther apart; else it is the best that a search found.
    """

    d: Vector
    d_prime: Vector
    entries: tuple[str, ...]
    distance: float
    exact: bool

    @property
    def words(self) -> str:
        """What the pair is, in words."""
        best = "farthest apart" if self.exact else "the farthest apart that a search found"
        return (
            f"made-up neighbours, {best}: they differ in {some(list(self.entries), 4)}, and what "
            f"is released in {self.distance:.6g}"
        )


def kernel_of(mechanism: Any) -> NoisyMap:  # noqa: ANN401 -- the edge
    """What reads d in an instrument, or in that of a measurement."""
    if isinstance(mechanism, Measurement):
        mechanism = mechanism.instrument
    if not isinstance(mechanism, Instrument):
        raise InputError(
            f"mechanism is a {type(mechanism).__name__}, whose worst neighbours are not known.",
            "an Instrument or a Measurement; or two data of your own.",
            "pass d and d_prime; assess.lower_bound(...).witness has a pair for a plan.",
        )
    return mechanism.kernel


def worst_pair(mechanism: Instrument | Measurement) -> WorstPair:
    """The neighbours whose releases lie farthest apart, at a corner of the domain."""
    kernel = kernel_of(mechanism)
    relation, order = kernel.privacy.neighbours, kernel.privacy.order
    lower, upper = kernel.map.box
    size = len(lower)
    steps = np.minimum(np.array(relation.alphas(size)), upper - lower)
    moves = kernel.map.gain * steps  # a column for each private entry
    best, change, exact = -1.0, np.zeros(size), True
    for group in relation.groups(size):
        own = moves[:, group]
        if relation.change == "total":
            norms = np.linalg.norm(own, ord=order, axis=0)
            signs, sure = np.eye(len(group))[int(norms.argmax())], True
        else:
            signs, sure = _signs(own, order)
        distance = float(np.linalg.norm(own @ signs, ord=order))
        exact = exact and sure
        if distance > best:
            best, change = distance, np.zeros(size)
            change[group] = signs
    d, d_prime = np.zeros((2, len(kernel.data_names)))
    d[kernel.private] = d_prime[kernel.private] = lower
    alphas = relation.alphas(size)
    for j in np.flatnonzero(change * steps):
        at = int(kernel.private[j])
        far = _within(float(lower[j]), float(steps[j]), exact_alpha(alphas[j]))
        (d_prime if change[j] > 0 else d)[at] = min(far, float(upper[j]))
    names = [kernel.data_names[int(i)] for i in np.flatnonzero(d != d_prime)]
    return WorstPair(d, d_prime, tuple(names), best, exact)


def _within(start: float, step: float, alpha: Fraction) -> float:
    """The float at a step from the start, or right before it: no further than alpha."""
    end = start + step
    while Fraction(end) - Fraction(start) > alpha:
        end = float(np.nextafter(end, start))
    return end


def _signs(columns: Dense, order: int) -> tuple[Vector, bool]:
    """Signs with which the columns add up to the longest vector; whether they surely do."""
    p, count = columns.shape
    if count <= _FEW:
        return _best(_all_signs(count), columns, order), True
    if order == 1 and p <= _FEW:  # the l1 norm is the largest sum with signs of the values
        return _best(np.where(_all_signs(p) @ columns < 0, -1.0, 1.0), columns, order), True
    starts = [np.ones(count), *(np.where(row < 0, -1.0, 1.0) for row in columns)]
    return _best(np.array([_climbed(one, columns, order) for one in starts]), columns, order), False


def _all_signs(count: int) -> Dense:
    """All signs but for those that are others turned round."""
    rest = itertools.product((1.0, -1.0), repeat=max(count - 1, 0))
    return np.array([(1.0, *signs)[:count] for signs in rest])


def _best(signs: Dense, columns: Dense, order: int) -> Vector:
    lengths = np.linalg.norm(signs @ columns.T, ord=order, axis=1)
    return signs[int(lengths.argmax())]


def _climbed(signs: Vector, columns: Dense, order: int) -> Vector:
    """One sign after the other turned round, while that makes the sum longer."""
    total, turned = columns @ signs, True
    signs = signs.copy()
    while turned:
        turned = False
        for j in range(len(signs)):
            other = total - 2 * signs[j] * columns[:, j]
            longer = np.linalg.norm(other, ord=order) > np.linalg.norm(total, ord=order) * (
                1 + 1e-9
            )
            if longer:
                signs[j], total, turned = -signs[j], other, True
    return signs
