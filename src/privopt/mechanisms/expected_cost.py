"""What a plan with a curved cost comes to in the mean, and how far that may be off.

    E[c(z)] = E[c1'z + z'C2 z] + sum_k E[phi_k(z)],        z = z~ + Z xi

The linear and quadratic part is exact. A piecewise-linear part phi_k whose pieces are moved apart
by one noise term is exact (`solving.mean_height`). The others are means over draws of the noise,
each beside its opposite. No draw here is one that the solution was optimised by.

Where the cost is infinite at some draws, no mean is known; stated is that over the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.estimate import MeanEstimate
from privopt.mechanisms.completed import SEED
from privopt.mechanisms.curved import Curved
from privopt.noise.calibration import Calibration
from privopt.solving.mean_height import mean_height, single_term

__all__ = ["Answering", "plan_cost"]

_NOISE = 2048  # draws of the noise


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
