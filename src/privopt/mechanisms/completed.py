"""What a release costs once it is completed: the loss that the curator meets in the end.

    completed loss = mean over draws of [ c(z^) - c(z*) ] / scale

    z* = argmin c(z): A z <= b, G z = d                  the optimum without privacy
    z^ = argmin c(z): A z <= b, G z = d, S z = y         the best solution that has the release y

The expected cost of a plan is that of its affine solution z(xi), which needs no solving. A curator
who re-optimises what is not released pays less wherever the affine solution is feasible, and has a
feasible solution where it is not. Draws whose release no feasible solution has are counted
(`MeanEstimate.without`) and left out of the mean: the feasibility claim bounds their share, as far
as it speaks of all rows together.

Completions at many draws are one program with many right-hand sides (`solving.sweep`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privopt.arrays import Dense, Sparse, Vector
from privopt.claims.estimate import MeanEstimate
from privopt.mechanisms.completion import holding
from privopt.model.excess import loss_scale
from privopt.model.program import ConvexProgram
from privopt.solving.deterministic import Ended, optimum
from privopt.solving.solver import Settings
from privopt.solving.sparse import absolute
from privopt.solving.sweep import Sweep
from privopt.solving.threads import one_thread

__all__ = ["SEED", "SolutionCosts", "completed_loss", "completed_words", "optima", "simulated"]

SEED = 18  # of the noise in simulated releases: public draws, the same in every run
_DRAWS, _FEWER = 256, 64  # simulated releases, of programs up to this size and beyond it
_LARGE = 1000


def simulated(program: ConvexProgram) -> int:
    """How many releases are simulated."""
    return _DRAWS if program.n <= _LARGE else _FEWER


@dataclass(frozen=True, repr=False, eq=False)
class SolutionCosts:
    """Costs of solutions, one a draw, and what each is made of (`solving.scaling.worth`)."""

    values: Vector
    sizes: Vector

    @classmethod
    def of(cls, program: ConvexProgram, z: Dense) -> SolutionCosts:
        """The costs of solutions, one a row."""
        linear, C2, size = program.linear, program.quadratic, np.abs(z)
        return cls(
            program.constant + z @ linear + (z.T * np.asarray(C2 @ z.T)).sum(axis=0),
            size @ np.abs(linear) + (size.T * np.asarray(absolute(C2) @ size.T)).sum(axis=0),
        )


def optima(program: ConvexProgram, d: Dense) -> Dense:
    """Optima of a program at right-hand sides of G, one a row; NaN where there is none."""
    settings, targets = Settings(), np.tile(program.equalities.bound, (len(d), 1))
    targets[:, : d.shape[1]] = d

    def one(target: Vector) -> Ended | None:
        ended = optimum(program, target, settings)
        return ended if isinstance(ended, Ended) else None

    with one_thread():
        return Sweep(program).at(targets, one)


def completed_loss(
    program: ConvexProgram,
    S: Sparse,
    d: Dense,
    released: Dense,
    optimal: SolutionCosts | None = None,
) -> MeanEstimate:
    """The mean extra cost of completed releases, as a fraction of the mean optimal cost.

    Parameters
    ----------
    d, released
        The data and the released values of each draw (row).
    optimal
        SolutionCosts without privacy at each d, if they are known.
    """
    best = SolutionCosts.of(program, optima(program, d)) if optimal is None else optimal
    if np.isnan(best.values).all():  # no program of ours; a file may hold anything
        return MeanEstimate.over(best.values)
    whole = SolutionCosts.of(program, optima(holding(program, S), np.hstack([d, released])))
    target = program.right_hand_side(d.mean(axis=0))
    mean, size = float(np.nanmean(best.values)), float(np.nanmean(best.sizes))
    return MeanEstimate.over((whole.values - best.values) / loss_scale(program, target, mean, size))


def completed_words(loss: MeanEstimate) -> str:
    """The loss after completion, in words."""
    if not loss.samples:
        return f"unknown: none of {loss.without} releases can be completed"
    low, high = loss.interval
    found = f"{100 * loss.value:.3g}% [{100 * low:.3g}, {100 * high:.3g}]%"
    total = loss.samples + loss.without
    none = f", {loss.without} of which cannot be completed" if loss.without else ""
    return f"{found} ({100 * loss.confidence:.10g}%; {total} simulated releases{none})"
