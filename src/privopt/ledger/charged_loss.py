"""The loss that stands for a charge: never more private than what was recorded.

- One draw of noise whose family says what stands for it (`Privacy.standing`): that.
- Everything else (noise whose family does not say, repeated tries, noise that was not recorded):
  all that the charged epsilon and delta allow.
"""

from __future__ import annotations

import math
from dataclasses import replace

from privopt.ledger.budget import Budget
from privopt.ledger.inspection import Event
from privopt.ledger.request import Request
from privopt.noise.loss import Drawn, GaussianLoss, LaplaceLoss, Loss, PairLoss, Standing
from privopt.noise.registry import of_kind

__all__ = ["distance", "kind_of", "loss_of"]

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
