"""One common factor for all rows, calibrated on draws and certified on fresh ones.

h_i(a) = k * (standard deviation of a'xi) with the smallest k at which the solution violates some
row in a share of at most eta - 4 standard errors of the calibration draws. Fresh draws then
certify, by the Clopper-Pearson bound at confidence 1 - beta, that the probability of any violation
is at most eta; attempt j spends beta/2^j, so that retries do not spoil the confidence. Calibrated
to eta itself the certificate would nearly always fail.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri

from privopt.arrays import Dense, Vector
from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms
from privopt.feasibility.protocol import BETA, Feasibility, Settled, check_probability, draw
from privopt.scalars import whole
from privopt.solving.margins import Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.problem import Outcome
from privopt.solving.scaling import TOLERANCE
from privopt.solving.solved import Solved

__all__ = ["Joint", "within_reach"]

_SOLVES = 25
_ATTEMPTS = 10
_FRESH = 4  # fresh draws for each one of calibration: a certificate rarely fails by chance


@dataclass(frozen=True, kw_only=True)
class Joint(Feasibility):
    """All rows hold together with probability at least 1 - eta, with confidence 1 - beta.

    Parameters
    ----------
    eta, beta
        Violation probability and one minus the confidence.
    draws
        Draws for calibration; enough that four standard errors are a tenth of eta, unless given.
        Each certificate takes four times as many.
    """

    name: ClassVar[str] = "joint"
    kind: ClassVar[str] = "Joint"

    eta: float
    beta: float = field(metadata=BETA)
    draws: int | None = field(
        default=None, metadata={"help": "Of joint: draws of the calibration."}
    )

    def __post_init__(self) -> None:
        check_probability(self, "eta", 0.5)
        check_probability(self, "beta", 0.5)
        if self.draws is not None:
            whole(self.draws, "draws", "leave it out.", low=math.ceil(100 / self.eta))

    @property
    def count(self) -> int:
        """Number of draws of calibration."""
        return self.draws or int(np.ceil(1600 * (1 - self.eta) / self.eta))

    def margins(self, chance: NoisyProgram, rng: np.random.Generator) -> Margins:
        """The normal quantile, where the calibration starts."""
        return _common(chance, -float(ndtri(self.eta)))

    def settle(self, chance: NoisyProgram, rng: np.random.Generator) -> Settled | Outcome:
        """Calibrate the factor, certify it; raise it and try again if the certificate fails."""
        target = self.eta - 4 * math.sqrt(self.eta * (1 - self.eta) / self.count)
        law, p = chance.calibration.law, chance.noise_dimensions
        draws = draw(law, rng, (self.count, p))
        found = self._calibrate(chance, draws, max(float(target), self.eta / 4))
        if isinstance(found, Outcome):
            return found
        factor, solved = found
        for attempt in range(1, _ATTEMPTS + 1):
            fresh = draw(law, rng, (_FRESH * self.count, p))
            violations = _violated(chance, solved, fresh)
            confidence = 1 - self.beta * 0.5**attempt
            bound = float(betaincinv(violations + 1, len(fresh) - violations, confidence))
            if bound <= self.eta:
                return Settled(solved, _common(chance, factor), self.claim(chance))
            factor *= 1.01
            again = chance.solve(_common(chance, factor))
            if isinstance(again, Outcome):
                return again
            solved = again
        return Outcome.STALLED

    def _calibrate(
        self, chance: NoisyProgram, draws: Dense, target: float
    ) -> tuple[float, Solved] | Outcome:
        """Smallest factor whose violation on the draws is within the target, by a safe secant.

        `low` violates too much, `high` is acceptable, `top` leaves no solution. A solution within
        the target keeps each row by itself with that probability, hence with the factor `least`
        (for truncated noise a bound of that factor, a quarter of it to be safe): where that one
        leaves no solution, none exists.
        """
        law = chance.calibration.law
        least = float(law.cone(np.array([target]), chance.noise_dimensions)[0])
        least *= 0.25 if math.isfinite(law.bound) else 1.0
        low, high, top = 0.0, math.inf, math.inf
        factor = -float(ndtri(target))
        best: tuple[float, Solved] | None = None
        for _ in range(_SOLVES):
            solved = chance.solve(_common(chance, factor))
            guess = math.nan
            edge = solved is Outcome.STALLED and factor > 0.99 * top  # next to where none exists
            if solved is Outcome.INFEASIBLE or edge:
                top = factor
                if best is None and (top <= least or top - low < 1e-3 * top):
                    return Outcome.INFEASIBLE
            elif isinstance(solved, Outcome):
                return solved
            else:
                need = _needed(chance, solved, draws, factor)
                share = float(np.mean(need > factor))
                if share <= target:
                    high, best = factor, (factor, solved)
                    if share >= 0.97 * target or high - low < 1e-3 * high:
                        break
                else:
                    low = factor
                guess = float(np.quantile(need, 1 - 0.985 * target))
            end = min(high, top)
            if low < guess < end:
                factor = guess
            elif top == factor and low == 0:
                factor = least
            else:
                factor = 0.5 * (low + end) if math.isfinite(end) else 1.5 * low
        return best if best is not None else Outcome.INFEASIBLE

    def claim(self, chance: NoisyProgram) -> Claim:
        """All rows at once, by the certificate."""
        # No factor, bound or attempt here: they depend on d, and the claim is published.
        return Claim.of(
            FeasibilityTerms(chance.program.rows.limits, self.eta),
            Provenance.PROVEN,
            f"{_FRESH * self.count} fresh draws bound its violation (Clopper-Pearson)",
            Scope.JOINT,
            confidence=1 - self.beta,
        )


def _common(chance: NoisyProgram, factor: float) -> Margins:
    return Margins(deviations=np.full(chance.rows, factor))


def _violated(chance: NoisyProgram, solved: Solved, draws: Dense) -> int:
    """Number of draws at which some row is exceeded."""
    slack, spread = chance.spread(solved)
    rows = within_reach(slack + TOLERANCE, spread, draws)
    count = 0
    for block in _blocks(draws):
        count += int((block @ spread[rows].T - slack[rows] > TOLERANCE).any(axis=1).sum())
    return count


def _needed(chance: NoisyProgram, solved: Solved, draws: Dense, factor: float) -> Vector:
    """The factor each draw would need, were Z kept: k max_i A_i Z xi / (b_i - A_i z~)."""
    slack, spread = chance.spread(solved)
    safe = np.maximum(slack, 1e-3 * TOLERANCE)
    # Rows beyond reach of every draw at half their slack would ask for less than half the factor.
    rows = within_reach(0.5 * safe, spread, draws)
    return np.concatenate(
        [
            (factor * (block @ spread[rows].T - TOLERANCE) / safe[rows]).max(axis=1, initial=0.0)
            for block in _blocks(draws)
        ]
    )


def within_reach(slack: Vector, spread: Dense, draws: Dense) -> NDArray[np.intp]:
    """Positions of the rows that some draw (a row of `draws`) may exceed: a'xi > slack, at most.

    a'xi <= sum_j max(a_j low_j, a_j high_j) for draws within [low, high].
    """
    low, high = draws.min(axis=0, initial=0.0), draws.max(axis=0, initial=0.0)
    reach = np.maximum(spread * low, spread * high).sum(axis=1)
    return np.flatnonzero(reach >= slack * (1 - 1e-12))


def _blocks(draws: Dense) -> list[Dense]:
    return np.array_split(draws, max(1, len(draws) // 20_000))
