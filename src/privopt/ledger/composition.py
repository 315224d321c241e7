"""Composition: what the recorded charges amount to together, by a tighter rule than their sum.

    sum      epsilon_1 + epsilon_2 + ...    at delta_1 + delta_2 + ... and above
    tight    the smallest epsilon with      L the sum of the privacy losses of the charges
             E max(0, 1 - exp(epsilon - L)) <= delta

The ledger charges and refuses by the first. The smaller of both is a report: it changes nothing.

A loss is ln(P(y)/P'(y)), y drawn from P, for neighbours with laws P and P'. dp-accounting adds the
losses of pairs (P, P') that lose no less than the charges (moved: Delta / scale; grain: the step of
the grid over the scale; p values):

- Laplace noise: one value of scale 1, shifted by a = moved + p grain + 2 grain. One coordinate is
  the worst case: moving one after the other from 0 to v, the trade-off function is at least the
  concatenation of those of shifts |v_1|, |v_2|, ... (Dong, Roth, Su 2022), which for a log-concave
  density is that of the sum. Rounding to the grid moves by p grain at most, and the discrete law
  shifted by m steps has delta(epsilon) below the continuous one shifted by m + 2.
- Gaussian noise: one value of deviation 1, shifted by mu = moved + sqrt(p) grain. The discrete law
  is no further than t = p grain^2 / 24 in total variation from the rounded continuous one, which
  costs t (1 + exp(epsilon)) of delta.
- everything else, also several tries: all that the charged epsilon and delta allow, a loss of
  infinity with probability delta, otherwise of epsilon or -epsilon with odds exp(epsilon) to 1.

Each loss is split between its two neighbours on a grid such that E 1 and E exp(-L) stay:
max(0, 1 - exp(epsilon) x) is convex in x = exp(-L), so delta(epsilon) can only grow ("connect the
dots": Doroshenko et al. 2022).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from privopt.digits import exactly, up
from privopt.errors import InputError
from privopt.extra import library
from privopt.ledger.budget import Budget, decimal
from privopt.ledger.events import Event
from privopt.ledger.ledger import Ledger
from privopt.noise.gaussian import Gaussian
from privopt.noise.laplace import Laplace
from privopt.scalars import real

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

__all__ = ["Composition", "compose"]

_ALWAYS = (
    "all releases concern the same data and the same neighbours, and none was made outside of this "
    "ledger",
    "every charge counts, also one without output",
)
_TIGHT = (
    "how many releases were made, and with what noise, was not decided by looking at earlier ones "
    "(the sum holds also then)",
    "losses are rounded to a grid such that epsilon can only grow, and a little of delta (1e-12, "
    "and 1e-15 for each charge) is kept for the rounding of floating point",
)
_STEPS = 50_000  # of the grid, over the width of the composed loss
_WIDEST = 300.0  # beyond, exp(epsilon) leaves the floats
_COARSEST = 2.0**-20  # of the scale: on a coarser grid the law is not taken for a continuous one
_LAPLACE, _GAUSSIAN = Laplace.kind, Gaussian.kind


class _Loss(NamedTuple):
    """What a charge loses."""

    kind: str  # in words
    size: float  # a of Laplace noise, mu of Gaussian noise, or epsilon
    delta: float = 0.0
    apart: float = 0.0  # total variation between the noise and what stands for it


@dataclass(frozen=True)
class Composition:
    """What all charges of a ledger amount to together.

    Attributes
    ----------
    epsilon, delta
        All releases together are (epsilon, delta)-private; infinite where nothing is known.
    tight
        Whether that epsilon is below the sum of the charges.
    charges
        How many there are of each kind; "as charged" are those of which only the charged epsilon
        and delta are used.
    assumptions
        What must hold, in sentences.
    """

    epsilon: float
    delta: float
    tight: bool
    charges: dict[str, int]
    assumptions: tuple[str, ...]

    def __str__(self) -> str:
        epsilon = up(self.epsilon, 6) if math.isfinite(self.epsilon) else "unknown"
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.charges.items()) or "none"
        rule = "by privacy loss distributions" if self.tight else "by adding up"
        return "\n".join((
            f"All charges together ({kinds}): epsilon {epsilon} at delta = {exactly(self.delta)}, "
            f"{rule}.",
            "This changes neither limit nor charges. It assumes that",
            *(f"  - {one}" for one in self.assumptions),
        ))  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; epsilon is None where nothing is known."""
        epsilon = self.epsilon if math.isfinite(self.epsilon) else None
        return {**vars(self), "epsilon": epsilon, "assumptions": list(self.assumptions)}


def compose(ledger: Ledger, delta: float) -> Composition:
    """All charges of a ledger together, at one delta. A report: the ledger does not use it.

    Parameters
    ----------
    ledger
        The ledger; one opened with `read_only=True` will do.
    delta
        Chance that the promise fails, well below one over the number of people. At delta = 0
        nothing is tighter than the sum.
    """
    if not isinstance(ledger, Ledger):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"ledger is a {type(ledger).__name__}.", "a Ledger.", "pass privopt.Ledger(path)."
        )
    needed = "a number from 0 to below 1."
    delta = real(delta, "delta", needed, "1e-6 is common.", low=0.0, high=1.0, open_high=True)
    losses, claimed, spent = Counter[_Loss](), 0, Budget(0)
    for event in ledger.history():
        if event.kind == "charge":
            losses[_loss(event)] += 1
            claimed += event.request is None or event.request.provenance != "PROVEN"
            spent = event.spent
    kinds = Counter[str]()
    for loss, times in losses.items():
        kinds[loss.kind] += times
    added = spent.epsilon if spent.exact[1] <= (decimal(delta) or 0) else math.inf
    tight = 0.0 if spent == Budget(0) else _tight(losses, delta)
    said = f"{claimed} of {kinds.total()} charges are as private as claimed: that is assumed or "
    return Composition(
        min(tight, added),
        delta,
        tight < added,
        dict(sorted(kinds.items())),
        (
            *_ALWAYS,
            *([f"{said}sampled, not proven"] if claimed else []),
            *(_TIGHT if tight < added else ()),
        ),
    )


def _loss(event: Event) -> _Loss:
    """What loses no less than a charge; where its noise is not known, all that it may cost."""
    asked, charge = event.request, event.charge
    if charge == Budget(0):
        return _Loss("without cost", 0.0)
    if asked is None:
        return _Loss("redacted (as charged)", charge.epsilon, charge.delta)
    tries = f", {asked.tries} tries" if asked.tries > 1 else ""
    noise = f"{asked.noise or 'unknown noise'}{tries}"
    charged = _Loss(f"{noise} (as charged)", charge.epsilon, charge.delta)
    recorded = asked.exponent is not None and min(asked.scale, asked.sensitivity, asked.size) > 0
    if noise not in (_LAPLACE, _GAUSSIAN) or not recorded:
        return charged
    grain = 2.0 ** min(0.0, max(-1000.0, (asked.exponent or 0) - math.log2(asked.scale)))
    moved, p = asked.sensitivity / asked.scale, asked.size
    if grain > _COARSEST:
        return charged
    if noise == _GAUSSIAN:
        return _Loss(noise, moved + math.sqrt(p) * grain, apart=p * grain**2 / 24)
    # The noise's own charge is moved + p grain, rounded up.
    return _Loss(noise, max(asked.own_epsilon or 0.0, moved + p * grain) + 2 * grain)


def _tight(losses: Counter[_Loss], delta: float) -> float:
    """Epsilon by the sum of the losses, with room for the distance of the laws; or infinite."""
    apart = sum(times * loss.apart for loss, times in losses.items())
    found = _epsilon(losses, delta)
    if not apart or not math.isfinite(found):
        return found
    # Room for t (1 + exp(epsilon)), if epsilon grows by no more than one for it.
    moved = _epsilon(losses, delta - apart * (1 + math.exp(found + 1)))
    return moved if moved <= found + 1 else math.inf


def _epsilon(losses: Counter[_Loss], delta: float) -> float:
    """An epsilon not below the smallest one; infinite if none was found."""
    # What the floating point of the transforms hides is up to 1e-11 of delta, and 2e-11 in a
    # million compositions (against 40 digits): fifty times as much is kept.
    room = delta * (1 - 1e-9) - 1e-12 - 1e-15 * losses.total()
    width = _width(losses)
    if not 0 < width <= _WIDEST or room <= 0:
        return math.inf
    total: PrivacyLossDistribution | None = None
    for loss, times in losses.items():
        one = _distribution(loss, width / _STEPS).self_compose(times)
        total = one if total is None else total.compose(one)
    return math.inf if total is None else float(total.get_epsilon_for_delta(room))


def _distribution(loss: _Loss, h: float) -> PrivacyLossDistribution:
    """A loss on a grid of step h."""
    laws = library("dp_accounting.pld.privacy_loss_distribution", "accounting", "dp-accounting")
    if loss.kind == _LAPLACE:
        return laws.from_laplace_mechanism(1 / loss.size, value_discretization_interval=h)
    if loss.kind == _GAUSSIAN:
        return laws.from_gaussian_mechanism(1 / loss.size, value_discretization_interval=h)
    masses = Counter[int]()
    for value in (loss.size, -loss.size):
        mass = (1 - loss.delta) / (1 + math.exp(-value))
        low = math.floor(value / h)
        # Weights a + b = 1 of low h and low h + h, with a + b exp(-h) = exp(low h - value).
        b = min(1.0, max(0.0, math.expm1(low * h - value) / math.expm1(-h)))
        masses.update({low: mass * (1 - b)})
        masses.update({low + 1: mass * b})
    return laws.PrivacyLossDistribution.create_from_rounded_probability(masses, loss.delta, h)


def _width(losses: Counter[_Loss]) -> float:
    """How far the composed loss reaches: ten deviations beyond its mean, or its largest value."""
    bounded = [(loss.kind != _GAUSSIAN, loss.size, times) for loss, times in losses.items()]
    mean = sum(n * min(s if finite else math.inf, s * s / 2) for finite, s, n in bounded)
    largest = sum(n * s if finite else math.inf for finite, s, n in bounded)
    return min(largest, mean + 10 * math.sqrt(sum(n * s * s for _, s, n in bounded)))
