"""How a policy shows itself: where its releases lie, how far off they are, and what they tell.

Each released value is set beside the best constant in its place, the mean answer. One that does not
follow d tells nothing; one farther off than that constant tells less than the constant would.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privopt.claims.terms import PrivacyTerms
from privopt.digits import charge, exactly, up
from privopt.foreign import some
from privopt.show.figures import BLUE, ORANGE, Dots, spans
from privopt.show.view import Fact, Table, View

if TYPE_CHECKING:
    from privopt.mechanisms.policy import Policy

__all__ = ["in_short", "noise_of", "plot_of", "view_of", "warnings_of"]

_COLUMNS = (
    "What is released at the middle of the domain, its range over the domain, and how far noise "
    "moves it either way in 95% of releases. Off by: how far it lies from the non-private answer, "
    "bias and noise (root mean square); and how far the mean answer does, a public constant."
)
_SPREAD = "{:.4g}, of the true answers about their mean: the distance of the best constant"
_MORE = "Ask for more with floor (--floor 1), fidelity or within."


def noise_of(policy: Policy) -> str:
    """The noise of a release, in words."""
    if policy.calibration is None:
        return "none: the release is a CONSTANT"
    return f"level s = {policy.sensitivity:.4g}, scale {policy.calibration.scale:.4g}"


def in_short(policy: Policy) -> str:
    """What it is, what is worth knowing before a release, and what it claims."""
    lines = (
        f"Policy({policy.program.sizes}, {len(policy.names)} released; noise {noise_of(policy)}; "
        f"expected loss {100 * policy.loss:.3g}%, expected distance {policy.distance:.3g})",
        *warnings_of(policy),
        str(policy.guarantee),
    )
    return "\n".join(lines)


def view_of(policy: Policy) -> View:
    """Each released value, and what the policy costs and claims."""
    noise, middle, reach = policy.calibration, policy.map.middle, policy.reach
    columns: dict[str, Any] = {
        "middle": middle,
        "lowest": middle - reach,
        "highest": middle + reach,
        "noise (95%)": np.full(len(middle), _noise_reach(policy)),
    }
    if policy.errors is not None and policy.spreads is not None:
        columns |= {"off by": policy.errors, "constant": policy.spreads}
    epsilon, delta = (0.0, 0.0) if noise is None else (noise.epsilon, noise.delta)
    loss, terms = f"{100 * policy.loss:.3g}", PrivacyTerms.of(policy.privacy)
    alpha, relation = exactly(terms.alpha), policy.privacy.neighbours
    protected = (
        f"a change of one private entry by up to {alpha}" if relation.plain else relation.words
    )
    lower, upper = policy.domain
    ends = {"least": lower, "largest": upper}
    return View(
        "Policy",
        Table("value", policy.names, columns, "what is released"),
        (
            Fact("program", policy.program.sizes),
            Fact("noise", noise_of(policy), f"{policy.sensitivity:.3g}", "noise level s"),
            Fact("follows d", f"by up to {reach.max():.4g} either way over the domain"),
            Fact(
                "charge",
                f"{charge(epsilon, delta)} for each release, for {terms.hidden}",
                f"ε = {up(epsilon, 4)}",
                "charge of each release",
            ),
            Fact("cost", f"{policy.cost:.6g} expected over the domain"),
            Fact(
                "loss",
                f"{loss}% of the cost without privacy",
                f"{loss} %",
                "expected extra cost over the domain",
            ),
            Fact(
                "distance",
                f"{policy.distance:.4g} expected, of the release from the true answer",
                f"{policy.distance:.3g}",
                "expected distance of a release from the true answer",
            ),
            *(() if policy.spread is None else (Fact("spread", _SPREAD.format(policy.spread)),)),
        ),
        (_COLUMNS,),
        policy.guarantee,
        tuple(warnings_of(policy)),
        lead="A rule, made from public data alone, that says what is released for any data of a "
        "public domain. Its privacy holds for every pair of neighbours: "
        f"{policy.privacy.describe()} for {protected}.",
        more=(Table("entry", policy.program.private_names, ends, "domain"),),
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


def warnings_of(policy: Policy) -> Iterator[str]:
    """What is worth knowing before a release is paid for: that it tells nothing, or little."""
    still = ~policy.moving
    if policy.calibration is None:
        yield f"The release is a constant: it costs nothing, and tells nothing of d. {_MORE}"
    elif not policy.follows:
        yield (
            "The released values do NOT follow d: the release is a constant with noise, which is "
            f"charged and tells nothing. {_MORE}"
        )
    elif still.any():
        yield f"These values do not follow d, and tell nothing: {_some(policy, still)}."
    if policy.errors is None or policy.spreads is None or policy.calibration is None:
        return
    beaten = (policy.errors > policy.spreads) & ~still
    if beaten.any():
        yield (
            "These values are farther off than a constant, the mean answer, would be: "
            f"{_some(policy, beaten)}."
        )


def _some(policy: Policy, which: NDArray[np.bool_]) -> str:
    return some([policy.names[i] for i in np.flatnonzero(which)], 10, count=True)


def _noise_reach(policy: Policy) -> float:
    """How far noise moves a released value, either way, in 95% of releases."""
    if policy.calibration is None:
        return 0.0
    return policy.calibration.scale * policy.calibration.law.half_width(0.95)
