"""What a release is worth, as the browser shows it: what its values tell, its cost, its failures.

A value tells nothing where it does not vary beside the other values, or where a constant, the mean
answer, would be as near.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privopt.app.advising import Advice
from privopt.claims.estimate import Estimate, MeanEstimate
from privopt.claims.worth import Worth
from privopt.digits import finite
from privopt.show.worth import what_would_do
from privopt.web.grain import settled, settled_all

__all__ = ["NO_WORTH", "advice_words", "cost_of", "failures_of", "silent", "worth_of"]

_NONE = 0.001  # of what varies: less is nothing
_SAME = "nothing: the answer is the same over the whole domain, and a constant says it for free"
_LITTLE = 0.1  # of what varies: less is little for its price

NO_WORTH: dict[str, Any] = {
    "distance": None, "constant_distance": None, "spread": None, "tells": None, "verdict": None,
    "sentence": None, "silent": [], "loss": None, "loss_interval": None, "constant_loss": None,
    "failures": None, "failures_interval": None, "failures_allowed": None, "provenance": "SAMPLED",
}  # fmt: skip


def worth_of(worth: Worth, loss: MeanEstimate | None, size: float = 0.0) -> dict[str, Any]:
    """What values tell, and what they cost once the rest is optimised again.

    `size` is that of the values beside these: what does not vary beside it, does not vary.
    """
    tells = worth.tells if varies(worth, size) else math.nan
    verdict = "nothing" if not tells > _NONE else "little" if tells < _LITTLE else "useful"
    if not worth.known:
        verdict = None
    return {
        **NO_WORTH,
        "distance": settled(worth.distance, size),
        "constant_distance": settled(worth.spread, size),
        "spread": settled(worth.spread, size),
        "tells": finite(tells),
        "verdict": verdict,
        "sentence": f"The values tell {worth.verdict if varies(worth, size) else _SAME}.",
        "silent": silent(worth, size),
        "drop": list(worth.drop),
        "epsilon_for_half": worth.epsilon_for(),
        **cost_of(loss),
    }


def varies(worth: Worth, size: float) -> bool:
    """Whether the answers vary, beside values of a size."""
    return not worth.known or (worth.varies and bool(settled(worth.spread, size)))


def silent(worth: Worth, size: float) -> list[str]:
    """The values that tell nothing while others do."""
    told = np.where(settled_all(worth.spreads, size) > 0, np.nan_to_num(worth.told), 0.0)
    names = [name for name, share in zip(worth.names, told, strict=True) if not share > _NONE]
    return names if len(names) < len(worth.names) else []


def cost_of(loss: MeanEstimate | None) -> dict[str, Any]:
    """The extra cost with its interval; nothing where it is not known."""
    if loss is None:
        return {}
    low, high = loss.interval
    return {"loss": settled(loss.value), "loss_interval": [settled(low), settled(high)]}


def failures_of(failed: Estimate, allowed: float | None) -> dict[str, Any]:
    """The share of simulated releases that cannot be completed, beside what is allowed."""
    low, high = failed.interval
    return {
        "failures": finite(failed.value),
        "failures_interval": [finite(low), finite(high)],
        "failures_allowed": allowed,
    }


def advice_words(advice: Advice, size: float) -> str:
    """The verdict, and where half would be told; no commands."""
    worth = advice.worth
    if not varies(worth, size):
        return f"Spend no epsilon on this: the values would tell {_SAME}."
    text = advice.verdict.replace(what_would_do(worth), "").strip()
    half = advice.half
    if half is None or worth.tells >= _LITTLE:
        return text
    return f"{text} Half of it would be told at about epsilon {half:.2g}, all else as it is."
