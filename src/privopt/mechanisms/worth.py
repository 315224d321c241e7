"""Is a release worth its epsilon? What its values tell, beside what a constant would tell, free.

    error^2  = E (q - S z*(u))^2          of each released value q: bias and noise together
    spread^2 = E (S z*(u) - mean)^2       of the answer about its mean: the error of that constant
    told     = 1 - error^2 / spread^2     the share of what varies that the value tells; at least 0

over a public prior of the data; of all values together, with the sums of the squares. A value whose
error is above its spread is better left out: the mean answer, a public constant, is nearer.

Noise falls as 1 / epsilon and bias stays, so the epsilon at which a given share is told solves

    bias^2 + noise^2 (epsilon / epsilon')^2 = (1 - share) spread^2

for the same rule. (A rule designed for that epsilon may do better: it is an estimate.) All of it is
a mean over draws, `SAMPLED`, and public.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privopt.arrays import Vector
from privopt.claims.guarantee import Provenance
from privopt.digits import down, finite, up
from privopt.errors import InputError
from privopt.foreign import some

__all__ = ["HALF", "Worth", "narrow_words", "tells_words", "verdict", "warnings", "what_would_do"]

HALF = 0.5  # of what varies: the share that an epsilon is named for
_AS_NEAR = 1.1  # of distance to spread: below it, neither is much nearer
_LITTLE = 0.1  # of what varies: less is little for its price
_ROUNDING = 1e-9  # of the size of an answer: a spread below it is none
_NOTHING = 1e-6  # of an error: beside it nothing varies


@dataclass(frozen=True, repr=False, eq=False)
class Worth:
    """Errors of released values beside the spread of the answers, in numbers.

    Attributes
    ----------
    names
        Of the released values.
    errors, spreads
        Root mean square error of each value, bias and noise, and that of the mean answer.
    noise
        The part of each error that is noise: what a larger epsilon lessens. Zero where that is not
        known, and then no epsilon is named.
    epsilon
        The charge of the release; 0 for a constant, which costs nothing.
    samples
        Public draws behind the means; 0 if unknown.
    narrow
        Private entries whose domain is narrower than alpha.
    """

    names: tuple[str, ...]
    errors: Vector
    spreads: Vector
    noise: Vector
    epsilon: float
    samples: int = 0
    narrow: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        errors: ArrayLike,
        answers: ArrayLike,
        epsilon: float,
        *,
        noise: ArrayLike = 0.0,
        narrow: Sequence[str] = (),
    ) -> Worth:
        """From draws, one a row: released values less the answers, and the answers S z*(u).

        `noise` is the standard deviation of noise (one number, or one a value) that `errors` does
        not hold yet; it is added to them.
        """
        off, values = (np.atleast_2d(np.asarray(one, dtype=float)) for one in (errors, answers))
        fits = off.shape == values.shape and off.shape[1] == len(names) and len(off) > 0
        if not fits or not (np.isfinite(off).all() and np.isfinite(values).all()):
            raise InputError(
                f"errors and answers have shapes {off.shape} and {values.shape}, or hold numbers "
                "that are not finite.",
                f"one draw a row, of {len(names)} finite values each.",
                "pass released values less answers, and the answers, at the same draws.",
            )
        added = np.broadcast_to(np.asarray(noise, dtype=float), len(names)).copy()
        spreads = values.std(axis=0)
        spreads[spreads <= _ROUNDING * np.abs(values).max(axis=0)] = 0.0
        return cls(
            tuple(names),
            np.sqrt(np.square(off).mean(axis=0) + added**2),
            spreads,
            added,
            float(epsilon),
            len(off),
            tuple(narrow),
        )

    def __repr__(self) -> str:
        return f"Worth({len(self.names)} values: {verdict(self)})"

    @property
    def provenance(self) -> Provenance:
        """How it is known: by draws."""
        return Provenance.SAMPLED

    @property
    def distance(self) -> float:
        """Root mean square distance of all values together from the answers."""
        return math.hypot(*self.errors)

    @property
    def spread(self) -> float:
        """The same of the mean answer, the best constant."""
        return math.hypot(*self.spreads)

    @property
    def ratio(self) -> float:
        """How many times nearer the best constant is: distance / spread; below 1, it is not."""
        return self.distance / self.spread if self.varies else math.inf

    @property
    def told(self) -> Vector:
        """The share of what varies that each value tells; NaN where nothing varies."""
        known = self.spreads > _NOTHING * self.errors
        share = np.full(len(self.names), np.nan)
        share[known] = 1.0 - (self.errors[known] / self.spreads[known]) ** 2
        return np.maximum(share, 0.0)

    @property
    def tells(self) -> float:
        """The share of what varies that all values together tell; NaN where nothing varies."""
        return max(0.0, 1.0 - self.ratio**2) if self.varies else math.nan

    @property
    def varies(self) -> bool:
        """Whether the answers vary at all."""
        return self.spread > _NOTHING * self.distance

    @property
    def beaten(self) -> NDArray[np.bool_]:
        """Which values lie farther off than their mean, a constant, would."""
        return np.asarray(self.errors > self.spreads)

    @property
    def drop(self) -> tuple[str, ...]:
        """The values that are better left out; none of a constant, which costs nothing."""
        chosen = np.flatnonzero(self.beaten) if self.epsilon > 0 else ()
        return tuple(self.names[i] for i in chosen)

    def epsilon_for(self, share: float = HALF) -> float | None:
        """The epsilon at which this rule would tell a share of what varies; None: at none.

        An estimate: noise goes as 1 / epsilon, bias stays.
        """
        if not self.varies:
            return None
        noise = min(math.hypot(*self.noise), self.distance) / self.spread  # squares may overflow
        room = (1.0 - share) - (self.ratio**2 - noise**2)
        if not (self.epsilon > 0 and noise > 0 and room > 0):
            return None
        return self.epsilon * noise / math.sqrt(room)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the numbers, and what follows from them."""
        return {
            "tells": finite(self.tells),
            "distance": self.distance,
            "spread": self.spread,
            "told": [finite(share) for share in self.told.tolist()],
            "errors": self.errors.tolist(),
            "spreads": self.spreads.tolist(),
            "drop": list(self.drop),
            "epsilon_for_half": self.epsilon_for(HALF),
            "narrow": list(self.narrow),
            "samples": self.samples,
            "provenance": self.provenance.value,
        }


def tells_words(share: float) -> str:
    """A share of what varies, rounded to the side on which it holds."""
    if math.isnan(share):
        return "nothing varies"
    percent = 100 * share
    return "nothing" if percent < 0.1 else f"{down(percent, 2 if percent < 99 else 4)}%"


def verdict(worth: Worth) -> str:
    """The one sentence: what is told, and what a constant would do."""
    if not worth.varies:
        return "nothing: the answer is the same over the whole domain"
    if worth.tells >= 0.001:
        return f"{tells_words(worth.tells)} of what varies in the answers"
    if worth.epsilon == 0:
        return "nothing: the release is a constant"
    if worth.ratio < _AS_NEAR:
        return "nothing: a constant, the mean answer, would be as near"
    return f"nothing: a constant, the mean answer, would be {down(worth.ratio, 2)} times nearer"


def warnings(worth: Worth, silent: NDArray[np.bool_] | None = None) -> Iterator[str]:
    """What is worth knowing before it is paid for; of `silent` values something else was said."""
    beaten = worth.beaten if silent is None else worth.beaten & ~silent
    if worth.epsilon > 0 and beaten.any():
        names = some([worth.names[i] for i in np.flatnonzero(beaten)], 10, count=True)
        yield f"These values are farther off than a constant, the mean answer, would be: {names}."
    if worth.epsilon > 0 and worth.tells < _LITTLE:
        yield f"The values tell {verdict(worth)}. {what_would_do(worth)}"
    if worth.narrow:
        yield narrow_words(worth.narrow)


def what_would_do(worth: Worth) -> str:
    """The epsilon at which half of what varies would be told, in words."""
    enough = worth.epsilon_for(HALF)
    if enough is None:
        return (
            "The bias of this rule alone is too large to tell half of it: design one for a larger "
            "epsilon, or ask for fidelity or within."
        )
    return (
        f"This rule would tell half of it at about epsilon = {up(enough, 2)} (estimated on public "
        f"draws: {worth.provenance.value})."
    )


def narrow_words(names: Sequence[str]) -> str:
    """That the domain of some private entries is narrower than alpha."""
    return (
        f"The domain is narrower than alpha for {some(list(names), 10, count=True)}: the noise "
        "hides all there is to know of each. A smaller alpha, if it will do, takes less noise."
    )
