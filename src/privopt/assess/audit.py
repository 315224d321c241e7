"""An audit: how well releases tell two data apart, as a bound from below on epsilon.

    epsilon >= ln( (P_low(E | d) - delta) / P_up(E | d') )        with probability >= confidence

A mechanism that is (epsilon, delta)-private has P(E | d) <= e^epsilon P(E | d') + delta for every
event E and all neighbours d, d', either way round. Half of the releases choose E, and which way
round, from a family (`events`); the other half, independent of that choice, give the
Clopper-Pearson bounds. Each of the two misses with probability at most (1 - confidence) / 2. One
event is tested, one way round: there is nothing else to correct for.

The releases are those of the mechanism itself, with its sampler and its grid; nothing is simulated.
That they are independent of each other is assumed. An audit can refute a claim and never prove one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from privopt.assess.events import choose
from privopt.assess.histograms import Histograms
from privopt.assess.releases import another_length, draw
from privopt.assess.worst import worst_pair
from privopt.claims.estimate import Estimate, estimate_to_dict
from privopt.errors import InputError
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.scalars import probability, real, whole
from privopt.show.pictures.picture import Picture
from privopt.show.result import Result
from privopt.show.view import Fact, Table, View

__all__ = ["Audit", "audit"]

LIMIT = "an audit can refute a claim, never prove one"


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
    """A bound from below on the epsilon of a mechanism at one pair of data.

    It is made of many releases: private if d or d' is.

    Attributes
    ----------
    epsilon, delta
        The mechanism is not (e, delta)-private for any e below this epsilon, with the stated
        confidence. At least 0, which says nothing.
    confidence
        Probability with which the bound holds.
    samples
        Releases of each of the two data.
    event
        What tells them apart, in words.
    direction
        After which of the two it is likelier: "d" or "d_prime".
    at_d, at_d_prime
        Probability of the event after each, from the half of the releases that did not choose it.
        Their intervals hold together with the stated confidence as far as the bound uses them.
    claimed
        The epsilon that is claimed at this delta; None if there is no claim.
    histograms
        What is plotted.
    """

    epsilon: float
    delta: float
    confidence: float
    samples: int
    event: str
    direction: Literal["d", "d_prime"]
    at_d: Estimate
    at_d_prime: Estimate
    claimed: float | None
    histograms: Histograms = field(repr=False)

    @property
    def refuted(self) -> bool:
        """Whether the bound exceeds what is claimed."""
        return self.claimed is not None and self.epsilon > self.claimed

    @property
    def verdict(self) -> str:
        """The outcome in a sentence."""
        if self.claimed is None:
            return "Nothing is claimed, so there is nothing to refute."
        if self.refuted:
            return (
                f"REFUTED: epsilon {self.claimed:.6g} is claimed. If d and d' are neighbours, that "
                f"is false (with confidence {100 * self.confidence:.10g}%)."
            )
        return (
            f"NOT REFUTED: epsilon {self.claimed:.6g} is claimed, and these releases do not "
            "contradict it. Another pair, event or number of releases may."
        )

    def __repr__(self) -> str:
        claim = ""
        if self.claimed is not None:
            outcome = "REFUTED" if self.refuted else "not refuted"
            claim = f", claimed {self.claimed:.6g}: {outcome}"
        return f"Audit({self._bound}{claim}; {self.samples} releases of each; {LIMIT})"

    @property
    def _bound(self) -> str:
        at = f" at delta {self.delta:g}" if self.delta else ""
        return f"epsilon >= {self.epsilon:.3g}{at} with confidence {100 * self.confidence:.10g}%"

    def view(self) -> View:
        """How often the event was seen, and what follows."""
        both = (self.at_d, self.at_d_prime)
        claimed = "nothing" if self.claimed is None else f"epsilon {self.claimed:.6g}"
        return View(
            "Audit",
            Table(
                "after",
                ("d", "d'"),
                {
                    "event, %": [100 * one.value for one in both],
                    "at least": [100 * one.interval[0] for one in both],
                    "at most": [100 * one.interval[1] for one in both],
                    "releases": [one.samples for one in both],
                },
            ),
            (
                Fact("releases", f"{self.samples} of each; half chose the event, half tested it"),
                Fact("event", self.event),
                Fact("measured", self._bound),
                Fact("claimed", claimed),
            ),
            notes=(f"{LIMIT.capitalize()}: it saw one pair of data and one family of events.",),
            warnings=(self.verdict,),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "confidence": self.confidence,
            "samples": self.samples,
            "event": self.event,
            "direction": self.direction,
            "at_d": estimate_to_dict(self.at_d),
            "at_d_prime": estimate_to_dict(self.at_d_prime),
            "claimed": self.claimed,
            "refuted": self.refuted,
            "limit": LIMIT,
        }

    def plot(self) -> Picture:
        """What was released of d and of d', the event shaded."""
        claim = "" if self.claimed is None else f", claimed {self.claimed:.3g}"
        return self.histograms.picture(
            f"{self._bound}{claim}",
            f"The event: {self.event}. After d {100 * self.at_d.value:.3g}%, "
            f"after d' {100 * self.at_d_prime.value:.3g}%",
        )


def audit(
    mechanism: Instrument | Measurement | Callable[[Any], Any],
    d: Any = None,  # noqa: ANN401
    d_prime: Any = None,  # noqa: ANN401
    *,
    samples: int = 10_000,
    confidence: float = 0.99,
    delta: float | None = None,
    claimed: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """Bound the epsilon of a mechanism at one pair of data from below, by its releases alone.

    Parameters
    ----------
    mechanism
        An instrument, or the one of a measurement; or a function of d. If that returns a
        plan (anything that can `release()`), it is made once for each of the data and releases
        `samples` times; if it returns a `Release`, a number or a vector, it is called for each
        sample. Its samples must be independent.
    d, d_prime
        The two data, as the mechanism takes them. Of an instrument or measurement neither need be
        given: the worst neighbours are picked (`assess.worst_pair`). Else, that they are
        neighbours is for you to know: see `assess.lower_bound(...).witness`. Each release of real
        data costs privacy: take made-up data, or keep the audit to yourself.
    samples
        Releases of each, at least 100.
    confidence
        Probability with which the bound holds.
    delta
        Of (epsilon, delta)-privacy; None takes what the releases claim, or else 0.
    claimed
        The epsilon that is claimed; None takes what the releases claim at this delta.
    progress
        Called now and then with the releases done and all releases.

    Returns
    -------
    Audit
        epsilon, the event that shows it, and whether the claim is refuted.

    Examples
    --------
    >>> import numpy as np
    >>> from privopt.assess import audit
    >>> rng = np.random.default_rng(0)
    >>> audit(lambda d: d + rng.laplace(), 0.0, 1.0, claimed=1.0).refuted  # in floating point
    True
    """
    samples = whole(samples, "samples", "use 10000, or more for a better bound.", low=100)
    confidence = probability(confidence, "confidence", remedy="use 0.99.")
    if delta is not None:
        remedy = "use 0 for pure differential privacy."
        delta = real(delta, "delta", "a number in [0, 1).", remedy, low=0, high=1, open_high=True)
    if claimed is not None:
        claimed = real(claimed, "claimed", "an epsilon >= 0.", "leave it out.", low=0)

    def report(done: int) -> None:
        if progress is not None:
            progress(done, 2 * samples)

    if d is None and d_prime is None:
        pair = worst_pair(mechanism)  # pyright: ignore[reportArgumentType] -- it refuses functions
        d, d_prime = pair.d, pair.d_prime
    elif d is None or d_prime is None:
        raise InputError(
            "one of d and d_prime is missing.",
            "two data; or none, for the worst neighbours of an instrument.",
            "pass both, or leave both out.",
        )
    here = draw(mechanism, d, samples, report)
    there = draw(mechanism, d_prime, samples, lambda done: report(samples + done))
    if here.values.shape != there.values.shape:
        raise another_length()
    claims = [one.claim for one in (here, there) if one.claim is not None]
    if delta is None:
        delta = max((claim[1] for claim in claims), default=0.0)
    if claimed is None and claims and max(claim[1] for claim in claims) <= delta:
        claimed = max(claim[0] for claim in claims)

    half = samples // 2
    event, after_d = choose(here.values[:half], there.values[:half], here.names, delta)
    tested = here.values[half:], there.values[half:]
    at_d, at_d_prime = (Estimate.of(int(event.holds(Y).sum()), len(Y), confidence) for Y in tested)
    likelier, other = (at_d, at_d_prime) if after_d else (at_d_prime, at_d)
    return Audit(
        epsilon=_loss(likelier.interval[0] - delta, other.interval[1]),
        delta=delta,
        confidence=confidence,
        samples=samples,
        event=str(event),
        direction="d" if after_d else "d_prime",
        at_d=at_d,
        at_d_prime=at_d_prime,
        claimed=claimed,
        histograms=Histograms.of(event, *tested, here.names),
    )


def _loss(low: float, high: float) -> float:
    """The logarithm of low / high, at least 0."""
    return max(math.log(low / high), 0.0) if low > 0 else 0.0
