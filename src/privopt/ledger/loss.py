"""Privacy loss distributions: the only file that calls dp-accounting.

The loss of a release is L = ln(P(y)/P'(y)), y drawn from P, for neighbours with laws P and P'. The
losses of independent releases add, and

    delta(epsilon) = E max(0, 1 - exp(epsilon - L))

is the smallest delta that goes with an epsilon. What stands for the loss of a release
(`noise.loss`) has a delta(epsilon) that is nowhere below, so the composed curve is not either.

On a grid of losses of step h each loss is split between its two neighbours such that E 1 and
E exp(-L) stay: max(0, 1 - exp(epsilon) x) is convex in x = exp(-L), so delta(epsilon) can only grow
("connect the dots": Doroshenko et al. 2022).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from privopt.errors import InputError
from privopt.extra import how_to_install
from privopt.noise.loss import GaussianLoss, LaplaceLoss, Loss, PairLoss

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

__all__ = ["GaussianLoss", "LaplaceLoss", "Loss", "PairLoss", "epsilon"]

_STEPS = 50_000  # of the grid, over the width of the composed loss
_WIDEST = 300.0  # beyond, exp(epsilon) leaves the floats


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
    library = _library()
    if isinstance(loss, LaplaceLoss):
        return library.from_laplace_mechanism(1 / loss.a, value_discretization_interval=h)
    if isinstance(loss, GaussianLoss):
        return library.from_gaussian_mechanism(1 / loss.mu, value_discretization_interval=h)
    finite, masses = 1 - loss.delta, dict[int, float]()
    for value in (loss.e, -loss.e):
        mass = finite / (1 + math.exp(-value))
        low = math.floor(value / h)
        # Weights a + b = 1 of low h and low h + h, with a + b exp(-h) = exp(low h - value).
        b = min(1.0, max(0.0, math.expm1(low * h - value) / math.expm1(-h)))
        for place, weight in ((low, 1 - b), (low + 1, b)):
            masses[place] = masses.get(place, 0.0) + mass * weight
    held = library.PrivacyLossDistribution
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


def _library() -> Any:  # noqa: ANN401 -- imported late: it takes a second, and is optional
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError:
        raise InputError(
            "dp-accounting is not installed.",
            "dp-accounting.",
            f"run: {how_to_install('accounting')}",
        ) from None
    return privacy_loss_distribution
