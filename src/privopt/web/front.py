"""Cost against usefulness, as the browser draws it: points, the one of the job, the constant.

The constant is what would be decided with nothing measured. Where none was found that keeps the
limits, there is none to draw.
"""

from __future__ import annotations

from typing import Any

from privopt.app.advising import Advice
from privopt.web.grain import settled
from privopt.web.results import decision_size
from privopt.web.worth import advice_words, silent, worth_of

__all__ = ["advised", "front_of", "point_of"]


def advised(advice: Advice) -> dict[str, Any]:
    """Worth and front of an instrument that was simulated."""
    curve, size = advice.instrument.curve, decision_size(advice.decision)
    points = () if curve is None else curve.points
    told = {one.epsilon: point_of(one.epsilon, one.distance, one.loss, size) for one in points}
    epsilon = advice.instrument.privacy.epsilon if advice.measures else 0.0
    here, constant = told.get(epsilon), told.get(0.0)
    own = next((one for one in points if one.epsilon == epsilon), None)
    worth = worth_of(advice.worth, None, size)
    worth["sentence"] = advice_words(advice, size)
    worth["silent"] = silent(advice.decision.worth, size) if advice.measures else []
    worth["loss"] = None if here is None else here["loss"]
    if own is not None and own.loss is not None and own.loss_error is not None:
        off = 2.58 * own.loss_error  # 99%, as the other intervals
        worth["loss_interval"] = [settled(max(0.0, own.loss - off)), settled(own.loss + off)]
    worth["constant_loss"] = None if constant is None else constant["loss"]
    worth["constant_distance"] = None if constant is None else constant["distance"]
    return {
        "worth": worth,
        "front": front_of([point for value, point in told.items() if value > 0], here, constant),
        "keep": list(advice.keep),
        "leave_out": list(advice.leave_out),
    }


def point_of(
    epsilon: float, distance: float | None, loss: float | None, size: float
) -> dict[str, float | None]:
    """A point of a front; None where there was no decision."""
    return {"epsilon": epsilon, "distance": settled(distance, size), "loss": settled(loss)}


def front_of(
    points: list[dict[str, float | None]],
    here: dict[str, float | None] | None,
    constant: dict[str, float | None] | None,
) -> dict[str, Any]:
    """A front; without the constant where none was found that keeps the limits."""
    known = constant is not None and None not in (constant["distance"], constant["loss"])
    return {
        "points": points,
        "here": here,
        "constant": {"distance": constant["distance"], "loss": constant["loss"]}
        if known and constant is not None
        else None,
    }
