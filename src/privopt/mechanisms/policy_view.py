"""How a policy shows itself: where its releases lie, how far off they are, and what they tell.

Each released value is set beside the best constant in its place, the mean answer. One that does not
follow d tells nothing; one farther off than that constant tells less than the constant would.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Vector
from privopt.claims.terms import PrivacyTerms
from privopt.digits import charge, exactly, up
from privopt.foreign import some
from privopt.mechanisms.completed import completed_words
from privopt.show.pictures.intervals import Dots, intervals
from privopt.show.pictures.picture import Picture
from privopt.show.units import (
    counted_in,
    each_unit,
    in_money,
    unit_column,
    unit_facts,
    valued_in,
)
from privopt.show.view import Fact, Table, View
from privopt.show.worth import (
    worth_columns,
    worth_facts,
    worth_line,
    worth_note,
    worth_warnings,
)

if TYPE_CHECKING:
    from privopt.mechanisms.policy import Policy

__all__ = ["in_short", "noise_of", "plot_of", "table_of", "view_of", "warnings_of"]

_COLUMNS = (
    "What is released at the middle of the domain, its range over the domain, and how far noise "
    "moves it either way in 95% of releases. Loss as designed: that of the affine solution; the "
    "completed loss is what is paid once a release is completed."
)
_MORE = "Ask for more with floor (--floor 1), fidelity or within."


def noise_of(policy: Policy) -> str:
    """The noise of a release, in words."""
    if policy.calibration is None:
        return "none: the release is a CONSTANT"
    if policy.rule is not None:
        return f"of scale {policy.calibration.scale:.4g} on {_measured(policy)}"
    return f"level s = {policy.sensitivity:.4g}, scale {policy.calibration.scale:.4g}"


def _cost(policy: Policy) -> str:
    """The cost, with how far a mean over draws may be off."""
    return f"{policy.cost:.6g}" if policy.priced is None else policy.priced.figures()


def _money(policy: Policy) -> str:
    return in_money(_cost(policy), policy.kernel.units)


def _measured(policy: Policy) -> str:
    """What an affine rule measures, in words."""
    count = 0 if policy.rule is None else len(policy.rule.sums)
    return "one measured sum" if count == 1 else f"each of {count} measured sums"


def in_short(policy: Policy) -> str:
    """What it is, what is worth knowing before a release, and what it claims."""
    lines = (
        f"Policy({policy.program.sizes}, {len(policy.names)} released; noise {noise_of(policy)}; "
        f"expected loss {100 * policy.loss:.3g}% as designed, expected distance "
        f"{policy.distance:.3g})",
        *warnings_of(policy),
        str(policy.guarantee),
    )
    return "\n".join(lines)


def table_of(policy: Policy) -> Table:
    """Each released value: where it lies, how far off it is, and what it tells."""
    middle, reach = policy.kernel.middle, policy.reach
    columns: dict[str, Any] = {
        "middle": middle,
        "lowest": middle - reach,
        "highest": middle + reach,
        "noise (95%)": _noise_reach(policy),
    }
    columns |= unit_column(policy.kernel.units, len(policy.names))
    columns |= worth_columns(policy.worth)
    return Table("value", policy.names, columns, "what is released")


def view_of(policy: Policy) -> View:
    """Each released value, and what the policy costs and claims."""
    noise, reach = policy.calibration, policy.reach
    epsilon, delta = (0.0, 0.0) if noise is None else (noise.epsilon, noise.delta)
    terms, completed = PrivacyTerms.of(policy.privacy), policy.completed_loss
    units = policy.kernel.units
    alpha = counted_in(exactly(terms.alpha), units)
    terms = terms if units is None else terms.in_units(units)
    protected = terms.neighbours
    if policy.privacy.neighbours.plain:
        protected = f"a change of one private entry by up to {alpha}"
    most = valued_in(f"{reach.max():.4g}", units)
    lower, upper = policy.domain
    ends = {"least": lower, "largest": upper}
    return View(
        "Policy",
        table_of(policy),
        (
            Fact("program", policy.program.sizes),
            _noise_fact(policy),
            Fact("follows d", f"by up to {most} either way over the domain"),
            Fact(
                "charge",
                f"{charge(epsilon, delta)} for each release, for {terms.hidden}",
                f"ε = {up(epsilon, 4)}",
                "charge of each release",
            ),
            *unit_facts(units),
            Fact("cost", f"{_money(policy)} expected over the domain, as designed"),
            Fact("loss", f"{100 * policy.loss:.3g}% of the cost without privacy, as designed"),
            Fact(
                "completed loss",
                completed_words(completed),
                f"{100 * completed.value:.3g} %",
                "expected extra cost, once the curator has re-optimised what is not released",
            ),
            *_worth(policy),
        ),
        (f"{_COLUMNS} {worth_note(policy.worth)}".strip(),),
        policy.guarantee.in_units(units),
        tuple(warnings_of(policy)),
        lead="A rule, made from public data alone, that says what is released for any data of a "
        "public domain. Its privacy holds for every pair of neighbours: "
        f"{policy.privacy.describe()} for {protected}.",
        more=(Table("entry", policy.program.private_names, ends, "domain"),),
    )


def _worth(policy: Policy) -> tuple[Fact, ...]:
    if policy.worth is not None:
        return worth_facts(policy.worth, policy.kernel.units)
    far = valued_in(f"{policy.distance:.4g}", policy.kernel.units)
    return (Fact("distance", f"{far} expected, from the true answer"),)


def plot_of(policy: Policy) -> Picture:
    """The range of each released value, without and with its noise."""
    middle, reach, noise = policy.kernel.middle, policy.reach, _noise_reach(policy)
    wide = reach + noise
    told = f"; {worth_line(policy.worth)}" if policy.worth is not None else ""
    marks = [
        Dots("over the domain", middle, middle - reach, middle + reach, "analytic", width=5),
        Dots("with 95% of the noise", middle, middle - wide, middle + wide, "sampled"),
    ]
    return intervals(
        policy.names,
        marks if noise.any() else marks[:1],
        f"Policy at {policy.privacy.describe()}",
        f"completed loss {100 * policy.completed_loss.value:.3g}%, distance {policy.distance:.4g}, "
        f"bias and noise{told}; privacy "
        f"{policy.guarantee.privacy.label}, feasibility {policy.guarantee.feasibility.label}",
        "released value",
        each_unit(policy.kernel.units, len(policy.names)),
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
    yield from worth_warnings(policy.worth, still)


def _some(policy: Policy, which: NDArray[np.bool_]) -> str:
    return some([policy.names[i] for i in np.flatnonzero(which)], 10, count=True)


def _noise_fact(policy: Policy) -> Fact:
    if policy.rule is None or policy.calibration is None:
        return Fact("noise", noise_of(policy), f"{policy.sensitivity:.3g}", "noise level s")
    scale = f"{policy.calibration.scale:.3g}"
    return Fact("noise", noise_of(policy), scale, f"scale of the noise on {_measured(policy)}")


def _noise_reach(policy: Policy) -> Vector:
    """How far noise moves each released value, either way, in 95% of releases."""
    noise, count = policy.calibration, len(policy.names)
    if noise is None:
        return np.zeros(count)
    if policy.rule is None:
        return np.full(count, noise.scale * noise.law.half_width(0.05))
    # Of each value its own, slope_i xi: the quantile of a sum of what the sums have.
    reach, moved = np.zeros(count), policy.rule.slope.any(axis=1)
    slope = policy.rule.slope[moved]
    reach[moved] = noise.scale * noise.law.quantile(slope, np.full(len(slope), 0.025))[0]
    return reach
