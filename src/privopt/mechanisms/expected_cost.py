"""What a plan or a policy with a curved cost comes to in the mean, and how far that may be off.

    E[c(z)] = E[c1'z + z'C2 z] + sum_k E[phi_k(z)],        z = z~ + K v + Z xi

The linear and quadratic part is exact. A piecewise-linear part phi_k whose pieces are moved apart
by one noise term is exact over the noise (`solving.mean_height`), at each v. The others are means
over draws of the noise, each beside its opposite.

A plan has no v: where all parts are exact, so is its cost. The v of a prior that was given are its
rows, all of them (a sample of them, where there are many and a part needs draws); those of
the uniform prior are even draws in blocks, scrambled independently, so that the means of the blocks
tell how far their mean may be off. No draw here is one that the solution was optimised by.

Where the cost is infinite at some draws, no mean is known; stated is that over the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.estimate import MeanEstimate
from privopt.mechanisms.completed import SEED
from privopt.mechanisms.curved import Curved
from privopt.mechanisms.private_data import PrivateData, even_draws
from privopt.noise.calibration import Calibration
from privopt.solving.mean_height import mean_height, single_term

__all__ = ["Answering", "plan_cost", "policy_cost"]

_NOISE = 2048  # draws of the noise, of a plan
_DATA = 1024  # draws of the data, of a policy; the noise of each is drawn once or more
_BLOCKS = 16


@dataclass(frozen=True, eq=False, repr=False)
class Answering:
    """A solution that answers noise.

    Attributes
    ----------
    Z
        Its recourse, with a row for every variable: zero for what is chosen last.
    noise
        The law of xi.
    """

    curved: Curved
    Z: Dense
    noise: Calibration

    @cached_property
    def exact(self) -> dict[int, Vector]:
        """The parts of phi that are exact over the noise: slopes over the one term of each."""
        law, found = self.noise.law, dict[int, Vector]()
        for k, pieces in self.curved.price.pieces.items():
            slopes = single_term(np.asarray(pieces.A @ self.Z), spherical=law.spherical)
            if slopes is not None:
                found[k] = self.noise.scale * slopes
        return found

    @property
    def sampled(self) -> bool:
        """Whether some part of phi is a mean over draws."""
        return len(self.exact) < len(self.curved.price.t)

    def known(self, z: Dense) -> Vector:
        """The exact parts of the mean cost, given the solution without noise (rows)."""
        C2 = self.curved.early
        found = self.curved.known(z) + self.noise.deviation**2 * float(
            (self.Z * np.asarray(C2 @ self.Z)).sum()
        )
        for k, slopes in self.exact.items():
            pieces = self.curved.price.pieces[k]
            offsets = np.asarray(pieces.A @ z.T).T - pieces.b
            found = found + pieces.weight * mean_height(slopes, offsets, self.noise.law)
        return found

    def drawn(self, known: float | Vector, z: Dense, other: Dense, xi: Dense) -> Vector:
        """The mean cost as each row tells it, from one draw of the noise and its opposite.

        z is given the draw, `other` its opposite, and `known` is what is exact. Where the cost is
        infinite at some draws: all of the cost at each row, NaN where it is infinite.
        """
        noise = xi @ self.Z.T
        both = np.vstack([z + noise, other - noise])
        rest = self.curved.price.at(both, but=self.exact.keys()).values
        if np.isfinite(rest).all():
            return known + _paired(rest)
        return _paired(self.curved.costs(both))


def _paired(values: Vector) -> Vector:
    return values.reshape(2, -1).mean(axis=0)


def plan_cost(
    answering: Answering, z: Vector, draws: int = _NOISE, seed: int = SEED + 1
) -> MeanEstimate:
    """The mean cost of z + Z xi; z has an entry for every variable."""
    known = float(answering.known(z[None])[0])
    if not answering.sampled:
        return MeanEstimate.exact(known)
    every, xi = np.tile(z, (draws, 1)), answering.noise.sample(np.random.default_rng(seed), draws)
    return MeanEstimate.over(answering.drawn(known, every, every, xi))


def policy_cost(
    answering: Answering, z: Vector, gain: Dense, data: PrivateData, seed: int = SEED + 1
) -> MeanEstimate:
    """The mean cost of z + K v + Z xi; z is the solution at the mean of the prior."""
    if not len(data.moving):
        return plan_cost(answering, z, seed=seed)
    if data.prior is None:
        return _over_domain(answering, z, gain, data, seed)
    return _over_prior(answering, z, gain, data.prior - data.mean, seed)


def _over_domain(
    answering: Answering, z: Vector, gain: Dense, data: PrivateData, seed: int
) -> MeanEstimate:
    """Over the uniform prior: each even draw of v with its opposite."""
    curved, rng = answering.curved, np.random.default_rng(seed)
    moved = float((gain * np.asarray(curved.early @ gain)).sum(axis=0) @ data.variance)
    if not len(curved.price.t):  # curved limits alone
        return MeanEstimate.exact(float(answering.known(z[None])[0]) + moved)
    blocks = [even_draws(data.lower, data.upper, rng, _DATA // _BLOCKS) for _ in range(_BLOCKS)]
    v = np.vstack(blocks) - data.mean
    one, other = z + v @ gain.T, z - v @ gain.T
    values = 0.5 * (answering.known(one) + answering.known(other))
    # of the linear and quadratic part, the mean over v is known
    values += curved.known(z[None])[0] + moved
    values -= 0.5 * (curved.known(one) + curved.known(other))
    if answering.sampled:
        values = answering.drawn(values, one, other, answering.noise.sample(rng, _DATA))
    if np.isnan(values).any():
        return MeanEstimate.over(values)
    means = values.reshape(_BLOCKS, -1).mean(axis=1)
    return replace(MeanEstimate.over(means), samples=_DATA)


def _over_prior(
    answering: Answering, z: Vector, gain: Dense, rows: Dense, seed: int
) -> MeanEstimate:
    """Over the rows of a prior: draws of the noise for each, unless all parts are exact."""
    centres, rng, count = z + rows @ gain.T, np.random.default_rng(seed), len(rows)
    known = float(answering.known(centres).mean())
    if not answering.sampled:
        return MeanEstimate.exact(known)
    many = count > _DATA
    times = 1 if many else max(2, -(-_DATA // count))
    chosen = centres[rng.choice(count, _DATA, replace=False)] if many else centres
    every = np.tile(chosen, (times, 1))
    values = answering.drawn(known, every, every, answering.noise.sample(rng, len(every)))
    if many or np.isnan(values).any():
        return MeanEstimate.over(values)
    by_row = values.reshape(times, count)
    about = by_row - by_row.mean(axis=0)  # which rows there are is not left to chance
    about *= np.sqrt((values.size - 1) / (values.size - count))
    return MeanEstimate.over(values.mean() + about)
