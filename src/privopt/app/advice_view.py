"""How advice shows itself: the verdict in sentences, what it rests on, and two pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from privopt.claims.worth import tells_words, told_percent
from privopt.digits import exactly, up
from privopt.foreign import some
from privopt.show.pictures.curve import curve
from privopt.show.pictures.picture import Picture
from privopt.show.units import axis, each_unit, unit_column, unit_facts
from privopt.show.view import Fact, Table, View
from privopt.show.worth import SIMULATED, half_words, narrow_words, what_would_do

if TYPE_CHECKING:
    from privopt.app.advice import Advice

__all__ = ["pictures_of", "verdict_of", "view_of"]

_COST = "Expected extra cost, once the rest is optimised again."
_DASHED = " Dashed: the constant, which costs no epsilon."
_NONE = " No constant can be completed for all data of the domain."
_FAR = "Expected distance of the values from the answer without privacy."
_ABOVE = " Above the line of the mean answer, values tell nothing."
_LITTLE = 0.1  # of what varies: less is little for its price
_FEW, _NAMED = 3, 6  # values that are named in any case, and constants at most
_EACH = (
    "Off by: how far a value lies from the non-private answer (root mean square over simulated "
    "measurements); constant: how far the mean answer does, which costs no epsilon; tells: the "
    "share of what varies in the answer that the value tells. A dry run says the same for sums as "
    "in the middle of the domain, and a release for those that were measured: theirs differ."
)
_OTHER = (
    "These sums were chosen for {}, and were simulated anew for what is asked here; others may be "
    "better. privopt choose, with --overwrite, chooses anew."
)


def verdict_of(advice: Advice) -> str:
    """The advice in a sentence or two."""
    return " ".join((*_sentences(advice), *_constants(advice), *_room(advice)))


def _sentences(advice: Advice) -> Iterator[str]:
    worth, all_of = advice.worth, len(advice.decision.names)
    if advice.same:
        yield "The answer is the same over the whole domain: publish it without privopt."
        return
    if not advice.measures:
        yield (
            "Release the constant: it costs no epsilon, and no sum that was tried leads to a "
            "cheaper decision."
        )
        return
    epsilon = exactly(advice.instrument.privacy.epsilon)
    if not worth.tells >= _LITTLE:
        yield f"Do not spend epsilon {epsilon} on this: the values would tell {worth.verdict}."
        yield what_would_do(worth)
        return
    few = all_of <= _FEW or advice.leave_out or advice.always
    what = _listed(advice.keep) if few else f"all {all_of} values"
    if advice.leave_out:
        what += f", and leave out {_listed(advice.leave_out)}"
    told = f"tells {tells_words(worth.tells)} of what varies in the answers"
    yield f"Measure {advice.sums} at epsilon {epsilon}, and release {what}: that {told}."


def _constants(advice: Advice) -> Iterator[str]:
    """What each value is that is always the same, and why."""
    names = advice.decision.names
    units = dict(zip(names, each_unit(advice.decision.units, len(names)), strict=True))
    found = {name: f"{name} is {value:.6g} {units[name]}" for name, value in advice.always.items()}
    held = [text.rstrip() for name, text in found.items() if name in advice.still]
    same = [text.rstrip() for name, text in found.items() if name not in advice.still]
    if held:
        why = "it has no room" if len(held) == 1 else "they have no room"
        yield f"{some(held, _NAMED, count=True)} whatever the data are: {why}."
    if same:
        yield f"{some(same, _NAMED, count=True)} over the whole domain."
    if found and not advice.same:
        yield "That tells nothing and costs nothing."


def _room(advice: Advice) -> Iterator[str]:
    if advice.fits == 0 and advice.worth.tells >= _LITTLE:
        yield f"It does not fit what is left of the budget, {advice.left}."


def view_of(advice: Advice) -> View:
    """The verdict, then what it rests on."""
    own, units, sums = advice.worth, advice.decision.units, advice.instrument.view()
    warnings = (narrow_words(own.narrow),) if own.narrow and not advice.same else ()
    if advice.other and not advice.same:
        warnings += (_OTHER.format(advice.other),)
    tables = (replace(sums.table, note=" ".join(sums.notes)), *sums.more)
    return View(
        "Advice",
        _values(advice),
        tuple(_facts(advice)),
        (_EACH,),
        None if advice.same else advice.guarantee.in_units(units),
        warnings,
        lead=advice.verdict,
        more=() if advice.same else tuple(one for one in tables if len(one)),
    )


def _values(advice: Advice) -> Table:
    """Each value: whether to release it, how far off it is, and what it tells."""
    names, each = advice.decision.names, advice.worth
    if each.names != names:  # of sums that lead to no decision, nothing else is known
        each = advice.decision.worth

    def advised(name: str) -> str:
        return "a constant" if name in advice.always else "yes" if name in advice.keep else "no"

    columns = {
        "release": [advised(name) for name in names],
        "off by": each.errors.tolist(),
        "constant": each.spreads.tolist(),
        "tells, %": [told_percent(float(share)) for share in each.told],
        **unit_column(advice.decision.units, len(names)),
    }
    return Table("value", names, columns, "each value, on average over simulated measurements")


def _facts(advice: Advice) -> Iterator[Fact]:
    worth = advice.worth
    yield Fact("verdict", advice.verdict)
    yield from _measured(advice)
    told = tells_words(worth.tells) if advice.measures and worth.varies else "nothing"
    text = f"{worth.verdict} ({SIMULATED})" if told != "nothing" else worth.verdict
    yield Fact("tells", text, told, "of what varies in the answers is told")
    yield from unit_facts(advice.decision.units)
    if advice.measures and half_words(worth):
        yield Fact("half is told", half_words(worth))
    if advice.leave_out:
        yield Fact("leave out", f"{_listed(advice.leave_out)}: a constant would be nearer")
    if not advice.same:
        yield from _costs(advice)
    yield from _budget(advice)


def _measured(advice: Advice) -> Iterator[Fact]:
    if not advice.measures:
        what = "answer" if advice.same else "release"
        yield Fact("measure", f"nothing: the {what} is a constant")
        return
    epsilon, count = advice.instrument.privacy.epsilon, len(advice.instrument.names)
    many = "1 sum" if count == 1 else f"{count} sums"
    yield Fact("measure", f"{advice.sums} ({many} of the private data)", many, "to measure")
    odds = up(math.exp(min(epsilon, 700.0)), 3)
    yield Fact(
        "epsilon",
        f"{exactly(epsilon)}: the odds of any conclusion about one of those who are protected "
        f"change by a factor of at most {odds}",
        exactly(epsilon),
        f"epsilon: odds change by a factor of at most {odds}",
    )


def _costs(advice: Advice) -> Iterator[Fact]:
    own, constant = advice.point(advice.instrument.privacy.epsilon), advice.point(0.0)
    if own is not None and own.loss is not None and advice.measures:
        error = "" if own.loss_error is None else f" +- {100 * own.loss_error:.2g}"
        yield Fact(
            "extra cost",
            f"{100 * own.loss:.3g}%{error}, once the rest is optimised again (SAMPLED)",
            f"{100 * own.loss:.3g}%",
            "expected extra cost",
        )
    if constant is not None and constant.loss is not None:
        yield Fact("a constant", f"{100 * constant.loss:.3g}% extra cost, and no epsilon")
    elif constant is not None:
        yield Fact("a constant", "none can be completed for all data of the domain")


def _budget(advice: Advice) -> Iterator[Fact]:
    if advice.ledger is None:
        yield Fact("budget", "not known: the job has no ledger")
        return
    yield Fact("budget", f"{advice.left} left of {advice.limit} ({advice.ledger})")
    fits = advice.fits
    if fits is not None:
        times = "once" if fits == 1 else f"{fits} times" if fits else "not at all"
        yield Fact("fits", f"{times}, at {advice.charge}", str(fits), "times it fits the budget")


def pictures_of(advice: Advice) -> tuple[Picture, ...]:
    """Extra cost and distance at the epsilons that were simulated; none of fewer than two."""
    line, still = advice.instrument.curve, advice.point(0.0)
    points = [] if line is None else [one for one in line.points if one.epsilon > 0]
    if len(points) < 2 or advice.same:
        return ()
    losses = [(one.epsilon, None if one.loss is None else 100 * one.loss) for one in points]
    constant = None if still is None or still.loss is None else 100 * still.loss
    mean = advice.worth.spread if advice.worth.varies else None
    cost = _COST + (_NONE if constant is None else _DASHED)
    return (
        curve(losses, "epsilon", "extra cost, %", [("the constant", constant)],
              name="Cost by epsilon", caption=cost),
        curve([(one.epsilon, one.distance) for one in points], "epsilon",
              axis("distance", advice.decision.units),
              [("", None), ("the mean answer", mean)], name="Distance by epsilon",
              caption=_FAR + ("" if mean is None else _ABOVE), ink="box"),
    )  # fmt: skip


def _listed(names: tuple[str, ...]) -> str:
    return some(list(names), 10, count=True)
