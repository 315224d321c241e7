"""Is a release worth its epsilon? What its values tell, beside what a constant would tell, free.

    error^2  = E (q - S z*(u))^2          of each released value q: bias and noise together
    spread^2 = E (S z*(u) - mean)^2       of the answer about its mean: the error of that constant
    told     = 1 - error^2 / spread^2     the share of what varies that the value tells; at least 0

over public draws of the data; of all values together, with the sums of the squares. A value whose
error is above its spread is better left out: the mean answer, a public constant, is nearer.

A larger epsilon lessens what noise hides, and nothing else. Noise on a measured sum hides no more
than the sum could tell, `most`; precisions add up, and that of the measurement grows as epsilon^2:

    hidden(epsilon')^-2 = most^-2 + (noise^-2 - most^-2) (epsilon' / epsilon)^2

The epsilon at which a share is told solves rest^2 + hidden(epsilon')^2 = (1 - share) spread^2. That
is an estimate: a decision made for that epsilon may do better. All of it is a mean over draws,
`SAMPLED`, and public.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Vector
from privopt.claims.facts import Ends
from privopt.claims.guarantee import Provenance
from privopt.digits import down, finite
from privopt.noise.neighbours import Neighbours

__all__ = ["ALL", "HALF", "Worth", "narrow_entries", "tells_words", "told_percent"]

ALL = "all values"  # the name where only all of them together are known
HALF = 0.5  # of what varies: the share that an epsilon is named for
_AS_NEAR = 1.1  # of distance to spread: below it, neither is much nearer
_NOTHING = 1e-6  # of an error: beside it nothing varies
_SLIGHT = 1e-4  # of all that varies: an error below it is what solvers leave
_TIMES = 1e6  # the most by which an epsilon is changed
_STEPS = 100  # of a bisection


def _nothing() -> Vector:
    return np.zeros(0)


@dataclass(frozen=True, repr=False, eq=False)
class Worth:
    """Errors of released values beside the spread of the answers, in numbers.

    Attributes
    ----------
    names
        Of the released values.
    errors, spreads
        Root mean square error of each value, bias and noise, and that of the mean answer. NaN where
        it is not known.
    epsilon
        The charge of the release; 0 for a constant, which costs nothing.
    noise, most
        What noise hides now, in parts whose squares add up to a part of distance^2, and what each
        part would be with no measurement at all. Empty where that is not known, and then no
        epsilon is named.
    samples
        Public draws behind the means; 0 if unknown.
    narrow
        Private entries whose domain is narrower than alpha.
    half
        The epsilon at which half is told, where that was simulated: infinite if at none.
    below
        Whether half is told already at the least epsilon that was simulated, so that `half` is only
        a bound from above.
    """

    names: tuple[str, ...]
    errors: Vector
    spreads: Vector
    epsilon: float
    noise: Vector = field(default_factory=_nothing)
    most: Vector = field(default_factory=_nothing)
    samples: int = 0
    narrow: tuple[str, ...] = ()
    half: float | None = None
    below: bool = False

    @classmethod
    def of_all(cls, distance: float, spread: float, epsilon: float) -> Worth:
        """Where only the sums over all values are known."""
        return cls((ALL,), np.array([distance]), np.array([spread]), epsilon)

    def __repr__(self) -> str:
        count = len(self.names)
        return f"Worth({count} value{'s' if count != 1 else ''}: tells {self.verdict})"

    @property
    def provenance(self) -> Provenance:
        """How it is known: by draws."""
        return Provenance.SAMPLED

    @property
    def known(self) -> bool:
        """Whether errors and spreads of all values are known."""
        return bool(np.isfinite(self.errors).all() and np.isfinite(self.spreads).all())

    @property
    def distance(self) -> float:
        """Root mean square distance of all values together from the answers."""
        return math.hypot(*self.errors)

    @property
    def spread(self) -> float:
        """The same of the mean answer, the best constant."""
        return math.hypot(*self.spreads)

    @property
    def varies(self) -> bool:
        """Whether the answers vary at all."""
        return self.spread > _NOTHING * self.distance

    @property
    def ratio(self) -> float:
        """How many times nearer the best constant is: distance / spread; below 1, it is not."""
        if not self.known:
            return math.nan
        return self.distance / self.spread if self.varies else math.inf

    @property
    def told(self) -> Vector:
        """The share of what varies that each value tells; NaN where nothing varies.

        A constant tells nothing, however near it came to the answers at these draws.
        """
        varies = self.spreads > _NOTHING * self.errors
        share = np.full(len(self.names), np.nan)
        if self.epsilon == 0:
            share[varies] = 0.0
            return share
        share[varies] = 1.0 - (self.errors[varies] / self.spreads[varies]) ** 2
        return np.maximum(share, 0.0)

    @property
    def tells(self) -> float:
        """The share of what varies that all values together tell; NaN where nothing varies."""
        if not (self.known and self.varies):
            return math.nan
        return max(0.0, 1.0 - self.ratio**2) if self.epsilon > 0 else 0.0

    @property
    def beaten(self) -> NDArray[np.bool_]:
        """Which values lie farther off than their mean, a constant, would; not by rounding."""
        return np.asarray(self.errors > np.maximum(self.spreads, _SLIGHT * self.spread))

    @property
    def drop(self) -> tuple[str, ...]:
        """The values that are better left out; none of a constant, which costs nothing."""
        chosen = np.flatnonzero(self.beaten) if self.epsilon > 0 else ()
        return tuple(self.names[i] for i in chosen)

    @property
    def always(self) -> tuple[str, ...]:
        """The values that are the same over the whole domain, and told exactly by a constant."""
        still = (self.spreads == 0) & (self.errors == 0)
        return tuple(self.names[i] for i in np.flatnonzero(still))

    @property
    def verdict(self) -> str:
        """The one answer, after "it tells": how much of what varies, and what a constant would."""
        if not self.known:
            return "what is not known: the answers at some draws are not"
        if not self.varies:
            return "nothing: the answer is the same over the whole domain"
        if self.tells >= 0.001:
            return f"{tells_words(self.tells)} of what varies in the answers"
        if self.epsilon == 0:
            return "nothing: the release is a constant"
        if self.ratio < _AS_NEAR:
            return "nothing: a constant, the mean answer, would be as near"
        return f"nothing: a constant, the mean answer, would be {down(self.ratio, 2)} times nearer"

    def epsilon_for(self, share: float = HALF) -> float | None:
        """The epsilon at which a share of what varies would be told; None: this does not tell.

        An estimate, and no bound: what noise hides falls as the module's formula says, and the rest
        is taken to stay. Where limits keep values off, the rest falls, too; simulation tells.
        """
        if share == HALF and self.half is not None:
            return finite(self.half)
        if not (self.epsilon > 0 and self.known and self.varies and self.noise.any()):
            return None
        with np.errstate(over="ignore"):  # of a file that says anything
            noise, most = self.noise / self.spread, self.most / self.spread  # squares may overflow
        noise, most = noise[noise > 0], most[self.noise > 0]
        rest = max(0.0, self.ratio**2 - float(np.square(noise).sum()))
        room = (1.0 - share) - rest

        def hidden(times: float) -> float:
            prior = most**-2.0
            return float((1.0 / (prior + (noise**-2.0 - prior) * times**2)).sum())

        low, high = 1.0 / _TIMES, _TIMES
        if not room > 0 or hidden(high) > room:
            return None
        for _ in range(_STEPS):
            middle = math.sqrt(low * high)
            low, high = (low, middle) if hidden(middle) <= room else (middle, high)
        return self.epsilon * high

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the numbers, and what follows from them."""
        return {
            "verdict": self.verdict,
            "tells": finite(self.tells),
            "distance": finite(self.distance),
            "spread": finite(self.spread),
            "told": [finite(share) for share in self.told.tolist()],
            "errors": [finite(value) for value in self.errors.tolist()],
            "spreads": [finite(value) for value in self.spreads.tolist()],
            "drop": list(self.drop),
            "always": list(self.always),
            "epsilon_for_half": self.epsilon_for(HALF),
            "epsilon_for_half_is_bound": self.below,
            "narrow": list(self.narrow),
            "samples": self.samples,
            "provenance": self.provenance.value,
        }


def told_percent(share: float) -> float | None:
    """A share of what varies in percent, with the digits it is told with wherever it is shown.

    Rounded to the side on which it holds; None where nothing varies.
    """
    if math.isnan(share):
        return None
    percent = 100 * share
    return 0.0 if percent < 0.1 else float(down(percent, 2 if percent < 99 else 3))


def tells_words(share: float) -> str:
    """The same in words."""
    percent = told_percent(share)
    return "nothing varies" if percent is None else f"{percent:g}%" if percent else "nothing"


def narrow_entries(names: Sequence[str], domain: Ends, protected: Neighbours) -> tuple[str, ...]:
    """Private entries that can vary, but by less than the change of one entry that is hidden."""
    width = domain[1] - domain[0]
    alpha = np.array(protected.alphas(len(width)))
    return tuple(names[int(i)] for i in np.flatnonzero((width > 0) & (width < alpha)))
