"""What is said of a release's worth, wherever it is shown: facts, columns, warnings, a line.

Decisions, releases, instruments, frontiers and dry runs say it of their own numbers
(`claims.worth`) with these functions, and so in the same words with the same digits. The numbers
differ where they are means over different things, and then each says over what.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from privopt.claims.units import UnitLabels
from privopt.claims.worth import ALL, HALF, Worth, tells_words, told_percent
from privopt.digits import up
from privopt.foreign import some
from privopt.show.units import valued_in
from privopt.show.view import Fact

__all__ = [
    "AT_MIDDLE", "MEASURED", "SIMULATED", "half_words", "narrow_words", "what_would_do",
    "worth_columns", "worth_facts", "worth_line", "worth_note", "worth_warnings",
]  # fmt: skip

_OFF = (
    "Off by: how far a value lies from the non-private answer, bias and noise (root mean square "
    "over public draws)"
)
_BESIDE = (
    "; constant: how far the mean answer does, which costs no epsilon; tells: the share of what "
    "varies in the answer that the value tells"
)
SIMULATED = "on average over simulated measurements"
AT_MIDDLE = "if the sums are those of the middle of the domain; what is measured decides"
MEASURED = "given what was measured"
_LITTLE = 0.1  # of what varies: less is little for its price


def worth_facts(
    worth: Worth | None, units: UnitLabels | None = None, over: str = ""
) -> tuple[Fact, ...]:
    """How far off the values are, what they tell, which to leave out, which epsilon would do.

    `units` are those of the values: distances have one where all values have the same. `over` says
    what the numbers are means over: `SIMULATED`, `AT_MIDDLE` or `MEASURED`.
    """
    if worth is None or not np.isfinite(worth.errors).all():
        return ()
    off = Fact(
        "distance",
        f"{valued_in(f'{worth.distance:.4g}', units)} expected, from the true answer (bias and "
        "noise)",
        valued_in(f"{worth.distance:.3g}", units),
        "expected distance from the true answer, bias and noise",
    )
    if not worth.known:  # the answers are not known, the errors are
        return (off,)
    share = tells_words(worth.tells) if worth.varies else "nothing"
    paid = worth.epsilon > 0 and worth.varies
    text = f"{worth.verdict} ({over})" if over and paid else worth.verdict
    told = Fact("tells", text, share, "of what varies in the answers is told")
    return (
        off,
        Fact(
            "spread",
            f"{valued_in(f'{worth.spread:.4g}', units)}: the distance of the mean answer, a "
            "constant",
        ),
        told,
        *_advice(worth),
    )


def _advice(worth: Worth) -> Iterator[Fact]:
    """What would be better; of a constant, which costs nothing, nothing."""
    if worth.epsilon == 0 or not worth.varies:
        return
    if worth.always:
        yield Fact("always the same", f"{_named(worth.always)}: a constant, which costs nothing")
    if worth.drop and not worth.beaten.all():
        yield Fact("leave out", f"{_named(worth.drop)}: a constant would be nearer")
    if worth.tells < HALF:
        yield Fact("which epsilon", what_would_do(worth))


def worth_columns(worth: Worth | None) -> dict[str, Sequence[Any]]:
    """Columns of a table of the values."""
    if worth is None or not np.isfinite(worth.errors).all():
        return {}
    if not worth.known:
        return {"off by": worth.errors.tolist()}
    shares = [told_percent(float(share)) for share in worth.told]
    return {
        "off by": worth.errors.tolist(),
        "constant": worth.spreads.tolist(),
        "tells, %": shares,
    }


def worth_note(worth: Worth | None) -> str:
    """What these columns mean; empty where there are none."""
    if worth is None or not worth_columns(worth):
        return ""
    return f"{_OFF}{_BESIDE if worth.known else ''}."


def worth_line(worth: Worth | None) -> str:
    """The verdict below the title of a picture; empty where nothing is known."""
    return f"tells {worth.verdict}" if worth is not None and worth.known else ""


def worth_warnings(worth: Worth | None) -> tuple[str, ...]:
    """What is worth knowing before it is paid for."""
    return () if worth is None else tuple(_warnings(worth))


def _warnings(worth: Worth) -> Iterator[str]:
    paid = worth.epsilon > 0 and worth.known
    if paid and not worth.varies:
        yield f"The values tell {worth.verdict}."
    elif paid:
        if worth.beaten.any() and worth.names != (ALL,):
            constant = "a constant, the mean answer, would be"
            names = _named([worth.names[i] for i in np.flatnonzero(worth.beaten)])
            yield f"These values are farther off than {constant}: {names}."
        if worth.tells < _LITTLE:
            yield f"The values tell {worth.verdict}. {what_would_do(worth)}"
    if worth.narrow:
        yield narrow_words(worth.narrow)


def what_would_do(worth: Worth) -> str:
    """The epsilon at which half of what varies would be told, in words."""
    if not len(worth.noise) and worth.half is None:
        return "Simulation finds the epsilon that would tell half of it: frontier over epsilon."
    enough = worth.epsilon_for(HALF)
    if enough is None:
        return (
            "More is hidden than the noise hides by itself: limits that must hold for all that "
            "the noise leaves possible keep the values off, or the sums do not tell them. A "
            "frontier over epsilon simulates what a larger epsilon does; other sums, fidelity and "
            "within are the other ways."
        )
    where = "below" if worth.below else "at about"
    return (
        f"Half of it would be told {where} epsilon = {up(enough, 2)}, all else as it is "
        f"(estimated on public draws: {worth.provenance.value})."
    )


def half_words(worth: Worth) -> str:
    """Where half of what varies is told; empty where that is not known, or at no epsilon."""
    enough = worth.epsilon_for(HALF)
    if enough is None:
        return ""
    kind = worth.provenance.value
    if worth.below:
        return f"below epsilon {up(enough, 2)}, the least that was simulated ({kind})"
    return f"at about epsilon {up(enough, 2)} ({kind})"


def narrow_words(names: Sequence[str]) -> str:
    """That the domain of some private entries is narrower than alpha."""
    return (
        f"The domain is narrower than alpha for {_named(names)}: the noise hides all there is to "
        "know of each. A smaller alpha, if it will do, takes less noise."
    )


def _named(names: Sequence[str]) -> str:
    return some(list(names), 10, count=True)
