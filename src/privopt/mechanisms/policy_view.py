"""How a policy shows itself: where its releases lie, how far off they are, and what they tell.

Each released value is set beside the best constant in its place, the mean answer. One that does not
follow d tells nothing; one farther off than that constant tells less than the constant would.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.digits import up
from privopt.mechanisms.policy import Policy
from privopt.show.figures import BLUE, ORANGE, Dots, spans
from privopt.show.view import Note, Table, View, claims

__all__ = ["judged", "noise_of", "plot_of", "size_of", "view_of", "warnings_of"]

_COLUMNS = (
    "What is released at the middle of the domain, its range over the domain, and how far noise "
    "moves it either way in 95% of releases. Off by: how far it lies from the non-private answer, "
    "bias and noise (root mean square); and how far the mean answer does, a public constant."
)


def size_of(policy: Policy) -> str:
    """How many variables, private entries and released values there are."""
    n, q = policy.gain.shape
    return f"{n} variables, {q} private, {len(policy.names)} released"


def noise_of(policy: Policy) -> str:
    """Noise level and charge, in words; and that a release tells nothing, where that is so."""
    noise = policy.calibration
    if noise is None:
        return (
            "releases a CONSTANT: it is private and costs nothing, and carries no information on "
            "d; ask for more with floor= or fidelity="
        )
    still = (
        "; its values do NOT follow d: a constant with noise, which is charged and tells nothing; "
        "ask for more with fidelity="
    )
    return (
        f"noise level s={policy.sensitivity:.4g}, charge epsilon={up(noise.epsilon, 6)}, "
        f"delta={up(noise.delta, 6)}{'' if policy.follows else still}"
    )


def view_of(policy: Policy) -> View:
    """Each released value, and what the policy costs and claims."""
    middle, reach = policy.map.middle, policy.reach
    columns: dict[str, Any] = {
        "middle": middle,
        "lowest": middle - reach,
        "highest": middle + reach,
        "noise (95%)": np.full(len(middle), _noise_reach(policy)),
    }
    if policy.errors is not None and policy.spreads is not None:
        columns |= {"off by": policy.errors, "constant": policy.spreads}
    beside = "" if policy.spread is None else f" (the mean answer: {policy.spread:.4g})"
    return View(
        f"Policy: {size_of(policy)}",
        Table("value", policy.names, columns),
        (
            Note(_COLUMNS),
            Note(f"Each release: {noise_of(policy)}."),
            Note(
                f"Expected cost {policy.cost:.6g}, {100 * policy.loss:.3g}% above the mean optimal "
                f"cost; expected distance from the non-private answer {policy.distance:.4g}"
                f"{beside}."
            ),
            *(Note(text) for text in judged(policy)),
            *claims(policy.guarantee),
        ),
    )


def plot_of(policy: Policy) -> Any:  # noqa: ANN401 -- a plotly figure; plotly has no types
    """The range of each released value, without and with its noise."""
    middle, reach, noise = policy.map.middle, policy.reach, _noise_reach(policy)
    wide = reach + noise
    marks = [
        Dots("over the domain", middle, middle - reach, middle + reach, BLUE, width=5),
        Dots("with 95% of the noise", middle, middle - wide, middle + wide, ORANGE),
    ]
    return spans(
        policy.names,
        marks if noise else marks[:1],
        f"Policy at {policy.privacy.describe()}",
        f"loss {100 * policy.loss:.3g}%, distance {policy.distance:.4g}; privacy "
        f"{policy.guarantee.privacy.label}, feasibility {policy.guarantee.feasibility.label}",
        "released value",
    )


def judged(policy: Policy) -> Iterator[str]:
    """Which values tell nothing, and which less than a constant would."""
    still = ~policy.moving
    if still.any() and policy.follows:
        yield f"These values do not follow d, and tell nothing: {_some(policy, still)}."
    if policy.errors is None or policy.spreads is None or policy.calibration is None:
        return
    beaten = (policy.errors > policy.spreads) & ~still
    if beaten.any():
        yield (
            "These values are farther off than a constant, the mean answer, would be: "
            f"{_some(policy, beaten)}."
        )


def warnings_of(policy: Policy) -> Iterator[str]:
    """What is worth knowing before a release is paid for: that it tells nothing, or little."""
    if policy.calibration is None:
        yield "The release is a constant: it costs nothing, and tells nothing of d."
    elif not policy.follows:
        yield (
            "No released value follows d: the release is a constant with noise, which is charged "
            "and tells nothing."
        )
    yield from judged(policy)


def _some(policy: Policy, which: NDArray[np.bool_]) -> str:
    names = [policy.names[i] for i in np.flatnonzero(which)]
    return ", ".join(names[:10]) + (f", ... ({len(names)})" if len(names) > 10 else "")


def _noise_reach(policy: Policy) -> float:
    """How far noise moves a released value, either way, in 95% of releases."""
    if policy.calibration is None:
        return 0.0
    return policy.calibration.scale * policy.calibration.law.half_width(0.95)
