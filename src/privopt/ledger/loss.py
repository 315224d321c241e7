"""The privacy losses of charges, and their sum: the only file that calls dp-accounting.

The loss of a release is L = ln(P(y)/P'(y)), y drawn from P, for neighbours with laws P and P'. The
losses of independent releases add, and

    delta(epsilon) = E max(0, 1 - exp(epsilon - L))

is the smallest delta that goes with an epsilon. What stands for the loss of a release
(`noise.loss`) has a delta(epsilon) that is nowhere below, so the composed curve is not either:

- for one draw of noise, what its family says stands for it (`Privacy.standing`)
- for everything else (noise whose family does not say, repeated tries, noise that was not
  recorded), all that the charged epsilon and delta allow

On a grid of losses of step h each loss is split between its two neighbours such that E 1 and
E exp(-L) stay: max(0, 1 - exp(epsilon) x) is convex in x = exp(-L), so delta(epsilon) can only grow
("connect the dots": Doroshenko et al. 2022).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from privopt.extra import library
from privopt.ledger.budget import Budget
from privopt.ledger.events import Event
from privopt.ledger.request import Request
from privopt.noise.loss import Drawn, GaussianLoss, LaplaceLoss, Loss, PairLoss, Standing
from privopt.noise.registry import of_kind

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

__all__ = ["distance", "epsilon", "kind_of", "loss_of"]

_STEPS = 50_000  # of the grid, over the width of the composed loss
_WIDEST = 300.0  # beyond, exp(epsilon) leaves the floats
_COARSEST = 2.0**-20  # of the scale: on a coarser grid the law is not taken for a continuous one


def loss_of(event: Event) -> Loss | None:
    """What stands for the loss of a charge; None where nothing is lost."""
    request, charge = event.request, event.charge
    if charge == Budget(0):
        return None
    stands = _standing(request)
    return _up(PairLoss(charge.epsilon, charge.delta) if stands is None else stands.loss)


def distance(event: Event) -> float:
    """Total variation between the noise and what stands for it."""
    stands = None if event.charge == Budget(0) else _standing(event.request)
    return 0.0 if stands is None else stands.apart


def kind_of(event: Event) -> str:
    """The kind of a charge, in words; "as charged" if only epsilon and delta are used."""
    request = event.request
    if event.charge == Budget(0):
        return "without cost"
    if request is None:
        return "redacted (as charged)"
    if _standing(request) is not None:
        return request.noise
    tries = f", {request.tries} tries" if request.tries > 1 else ""
    return f"{request.noise or 'unknown noise'}{tries} (as charged)"


def _standing(request: Request | None) -> Standing | None:
    """What stands for a record that says all about its noise; None: redacted, or it does not."""
    if request is None or request.tries != 1 or request.exponent is None:
        return None
    family = of_kind(request.noise)
    if family is None or min(request.scale, request.sensitivity, request.size) <= 0:
        return None
    grain = _grain(request)
    if grain > _COARSEST:
        return None
    moved = request.sensitivity / request.scale
    return family.standing(Drawn(request.size, moved, grain, request.own_epsilon or 0.0))


def _grain(request: Request) -> float:
    """Step of the grid over the scale of the noise."""
    try:
        return math.ldexp(1 / request.scale, request.exponent or 0)
    except OverflowError:
        return math.inf


def _up(loss: Loss) -> Loss:
    """Rounded up to seven digits: noises that differ by less are composed as one."""
    match loss:
        case LaplaceLoss(a):
            return LaplaceLoss(_digits(a))
        case GaussianLoss(mu):
            return GaussianLoss(_digits(mu))
        case PairLoss(e):
            return replace(loss, e=_digits(e))


def _digits(value: float) -> float:
    if value == 0 or math.isinf(value):
        return value
    step = max(10.0 ** (math.floor(math.log10(value)) - 6), math.ulp(0.0))
    return math.ceil(value / step) * step


def epsilon(losses: Mapping[Loss, int], delta: float) -> float:
    """An epsilon that goes with delta for all losses together, each as often as said.

    Not below the smallest one; infinite if none was found.
    """
    if not losses:
        return 0.0
    width, room = _width(losses), _room(delta, sum(losses.values()))
    if not 0 < width <= _WIDEST or room <= 0:
        return math.inf
    h = width / _STEPS
    total: PrivacyLossDistribution | None = None
    for loss, times in losses.items():
        one = _on(loss, h)
        one = one.self_compose(times) if times > 1 else one
        total = one if total is None else total.compose(one)
    return math.inf if total is None else float(total.get_epsilon_for_delta(room))


def _on(loss: Loss, h: float) -> PrivacyLossDistribution:
    """A loss on the grid."""
    module = "dp_accounting.pld.privacy_loss_distribution"
    losses = library(module, "accounting", "dp-accounting")
    if isinstance(loss, LaplaceLoss):
        return losses.from_laplace_mechanism(1 / loss.a, value_discretization_interval=h)
    if isinstance(loss, GaussianLoss):
        return losses.from_gaussian_mechanism(1 / loss.mu, value_discretization_interval=h)
    finite, masses = 1 - loss.delta, dict[int, float]()
    for value in (loss.e, -loss.e):
        mass = finite / (1 + math.exp(-value))
        low = math.floor(value / h)
        # Weights a + b = 1 of low h and low h + h, with a + b exp(-h) = exp(low h - value).
        b = min(1.0, max(0.0, math.expm1(low * h - value) / math.expm1(-h)))
        for place, weight in ((low, 1 - b), (low + 1, b)):
            masses[place] = masses.get(place, 0.0) + mass * weight
    held = losses.PrivacyLossDistribution
    return held.create_from_rounded_probability(masses, loss.delta, h)


def _room(delta: float, times: int) -> float:
    """Delta without what the floating point of the transforms may hide.

    Measured against 40 digits it hides up to 1e-11 of delta itself, and 2e-11 in a million
    compositions; fifty times as much is kept.
    """
    return delta * (1 - 1e-9) - 1e-12 - 1e-15 * times


def _width(losses: Mapping[Loss, int]) -> float:
    """How far the composed loss reaches: ten deviations beyond its mean, or its largest value."""
    spreads = [(loss.spread, times) for loss, times in losses.items()]
    mean = sum(times * spread[0] for spread, times in spreads)
    variance = sum(times * spread[1] * spread[1] for spread, times in spreads)
    return min(sum(times * spread[2] for spread, times in spreads), mean + 10 * math.sqrt(variance))
