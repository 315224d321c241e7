"""The loss that stands for a charge: never more private than what was recorded.

- Laplace noise of scale b on the grid g = 2^k, p values of l1 sensitivity Delta: one-dimensional
  Laplace noise shifted by a = (Delta + p g + 2 g) / b.

  *One coordinate is the worst case.* Let T_t be the trade-off function of a shift by t. Moving one
  coordinate after the other from 0 to v, the trade-off function is at least the concatenation of
  T_|v_1|, T_|v_2|, ... (group privacy: Dong, Roth, Su 2022). The density is log-concave, so the
  best tests are thresholds, and the concatenation of T_s and T_t is T_(s+t).

  *The grid.* Rounded values are shifted by Delta + p g at most. Shifted by m g, the discrete law
  has delta = 1 - exp(-i g / b) at epsilon = (m - 2i) g / b, the same as the continuous law, and
  chords in exp(epsilon) between. The continuous law shifted by 2 g more lies above these.

- Gaussian noise of deviation sigma, l2 sensitivity Delta: shifted by (Delta + sqrt(p) g) / sigma.
  The discrete law is no further than t = p (g / sigma)^2 / 24 in total variation from the rounded
  continuous one, which loses no more than the continuous one (rounding is post-processing). The
  distance costs t (1 + exp(epsilon)) of delta.

- Everything else (truncated noise, repeated tries, noise that was not recorded): all that the
  charged epsilon and delta allow.
"""

from __future__ import annotations

import math

from privopt.ledger import loss
from privopt.ledger.budget import Budget
from privopt.ledger.inspection import Event
from privopt.ledger.request import Request

__all__ = ["distance", "kind_of", "loss_of"]

_COARSEST = 2.0**-20  # of the scale: on a coarser grid the law is not taken for a continuous one


def loss_of(event: Event) -> loss.Loss | None:
    """What stands for the loss of a charge; None where nothing is lost."""
    request, charge = event.request, event.charge
    if charge == Budget(0):
        return None
    if request is None or not _known(request):  # None: redacted
        return loss.Pair(_up(charge.epsilon), charge.delta)
    g, moved = _grain(request), request.sensitivity / request.scale
    if request.noise == "Laplace":
        # The noise's own charge is (Delta + p g) / b, rounded up.
        a = max(request.own_epsilon or 0.0, moved + request.size * g) + 2 * g
        return loss.Laplace(_up(a))
    return loss.Gaussian(_up(moved + math.sqrt(request.size) * g))


def distance(event: Event) -> float:
    """Total variation between the noise and what stands for it: Gaussian noise on its grid."""
    request = event.request
    if request is None or not isinstance(loss_of(event), loss.Gaussian):
        return 0.0
    return request.size * _grain(request) ** 2 / 24


def kind_of(event: Event) -> str:
    """The kind of a charge, in words; "as charged" if only epsilon and delta are used."""
    request = event.request
    if event.charge == Budget(0):
        return "without cost"
    if request is None:
        return "redacted (as charged)"
    if _known(request):
        return request.noise
    tries = f", {request.tries} tries" if request.tries > 1 else ""
    return f"{request.noise or 'unknown noise'}{tries} (as charged)"


def _known(request: Request) -> bool:
    """Whether the record says all about the noise: one draw, of a law that is understood."""
    return (
        request.noise in ("Laplace", "Gaussian")
        and request.tries == 1
        and request.exponent is not None
        and min(request.scale, request.sensitivity, request.size) > 0
        and _grain(request) <= _COARSEST
    )


def _grain(request: Request) -> float:
    """Step of the grid over the scale of the noise."""
    try:
        return math.ldexp(1 / request.scale, request.exponent or 0)
    except OverflowError:
        return math.inf


def _up(value: float) -> float:
    """Rounded up to seven digits: noises that differ by less are composed as one."""
    if value == 0 or math.isinf(value):
        return value
    step = max(10.0 ** (math.floor(math.log10(value)) - 6), math.ulp(0.0))
    return math.ceil(value / step) * step
