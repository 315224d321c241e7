"""How an instrument shows itself: what each sum can vary by over the domain, beside its noise."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.guarantee import Guarantee
from privopt.digits import up
from privopt.noise.calibration import Calibration, Privacy
from privopt.show.figures import Dots, spans
from privopt.show.view import Fact, Table, View

__all__ = ["sums_plot", "sums_text", "sums_view"]


def sums_text(
    names: Sequence[str], entries: Sized, privacy: Privacy, noise: Calibration | None
) -> str:
    """What is measured of some private entries, in a line."""
    if noise is None:
        return "Instrument(nothing is measured; epsilon 0)"
    return (
        f"Instrument({len(names)} sums of {len(entries)} private entries; "
        f"noise of scale {noise.scale:.4g} on each; {privacy.describe()})"
    )


def sums_view(
    names: tuple[str, ...],
    W: Dense,
    domain: tuple[Vector, Vector],
    privacy: Privacy,
    noise: Calibration | None,
    guarantee: Guarantee,
    chosen: Table | None = None,
) -> View:
    """What is measured, and with what noise; and what it was `chosen` from."""
    _, reach = _reached(W, domain)
    scale = 0.0 if noise is None else noise.scale
    columns = {
        "entries": [int(np.count_nonzero(row)) for row in W],
        "can vary by": reach,
        "noise": np.full(len(names), scale),
    }
    return View(
        "Instrument",
        Table("sum", names, columns, "what is measured"),
        (
            Fact("charge", privacy.describe() if noise is not None else "none"),
            Fact("hides", privacy.neighbours.hidden),
            Fact("sensitivity", "0" if noise is None else up(noise.sensitivity, 10)),
        ),
        guarantee=guarantee,
        notes=("can vary by: the most that a sum moves over the domain, either way.",),
        more=() if chosen is None else (chosen,),
    )


def sums_plot(
    names: tuple[str, ...],
    W: Dense,
    domain: tuple[Vector, Vector],
    privacy: Privacy,
    noise: Calibration | None,
) -> Any:  # noqa: ANN401 -- a plotly figure; plotly has no types
    """How far each sum can vary over the domain, beside its noise (the extra `report`)."""
    middle, reach = _reached(W, domain)
    wide = 0.0 if noise is None else 3 * noise.scale
    marks = [
        Dots("over the domain", middle, middle - reach, middle + reach),
        Dots("noise", middle, middle - wide, middle + wide),
    ]
    return spans(names, marks, "What is measured", privacy.describe(), "sum")


def _reached(W: Dense, domain: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
    """Each sum at the middle of the domain, and how far it can be from there."""
    lower, upper = domain
    return W @ (0.5 * (lower + upper)), np.abs(W) @ (0.5 * (upper - lower))
