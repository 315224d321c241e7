"""How an instrument shows itself: what each sum can vary by over the domain, beside its noise.

One that was chosen by simulation says, too, what decisions from it tell, and shows the candidates
and other epsilons.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.curve import EpsilonCurve
from privopt.claims.units import UnitLabels
from privopt.claims.worth import HALF, Worth, narrow_entries
from privopt.digits import up
from privopt.errors import InfeasibleError
from privopt.foreign import some
from privopt.noise.calibration import Calibration, Privacy
from privopt.show.comparison import Compared
from privopt.show.pictures.intervals import Dots, intervals
from privopt.show.pictures.picture import Picture
from privopt.show.result import Result
from privopt.show.units import counted_in, each_unit, unit_column, unit_facts
from privopt.show.view import Fact, Table, View
from privopt.show.worth import SIMULATED, narrow_words, worth_facts, worth_line, worth_warnings

__all__ = [
    "SumsToMeasure", "sums_plot", "sums_text", "sums_view", "sums_worth",
    "told_units",
]  # fmt: skip

_NAMED = 10  # values


class SumsToMeasure(Compared, Result):
    """What an instrument shows of itself; its parts are in `kernel.instrument.Instrument`."""

    domain: tuple[Vector, Vector]
    kernel: Any  # of an `Instrument`, which is a room further

    @property
    def W(self) -> Dense:
        """The sums that are measured, one a row, over the private entries."""
        return self.kernel.map.gain

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sums."""
        return self.kernel.names

    @property
    def entries(self) -> tuple[str, ...]:
        """Names of the private entries of d."""
        return tuple(self.kernel.data_names[int(i)] for i in self.kernel.private)

    @property
    def privacy(self) -> Privacy:
        """The noise that was asked for."""
        return self.kernel.privacy

    @property
    def calibration(self) -> Calibration | None:
        """Noise scale, grid and charge; None where nothing is measured."""
        return self.kernel.calibration

    @property
    def unit(self) -> str | None:
        """What the data and their sums are counted in, if that is known."""
        return None if self.kernel.units is None else self.kernel.units.data

    @property
    def worth(self) -> Worth | None:
        """What decisions from it tell, as simulated when it was chosen; None of one by hand."""
        return sums_worth(self)

    @property
    def even(self) -> float:
        """The epsilon at which noise and sums vary alike, if data are uniform on the box."""
        (lower, upper), noise = self.domain, self.calibration
        variance = float((self.W**2 @ (upper - lower) ** 2).mean() / 12) if len(self.W) else 0.0
        if noise is None or not variance > 0:
            return self.privacy.epsilon
        return self.privacy.epsilon * noise.deviation / math.sqrt(variance)

    def __repr__(self) -> str:
        return sums_text(self)

    def view(self) -> View:
        """What is measured, with what noise, and what decisions from it tell."""
        return sums_view(self)

    def plot(self) -> Picture:
        """How far each sum can vary over the domain, beside its noise (the extra `report`)."""
        return sums_plot(self)


def sums_worth(sums: SumsToMeasure) -> Worth | None:
    """What decisions tell, all values together, as simulated; None where none was simulated."""
    distance, spread, noise = sums.distance, sums.spread, sums.calibration
    if distance is None or spread is None:
        return None
    epsilon = 0.0 if noise is None else noise.epsilon
    worth = Worth.of_all(distance, spread, epsilon)
    told = sums.comparison or {}
    if "errors" in told and "spreads" in told:
        errors, spreads = np.array(told["errors"]), np.array(told["spreads"])
        worth = Worth(tuple(told["asked"]["values"]), errors, spreads, epsilon)
    half, below = _half(sums.curve, spread, sums.privacy.epsilon)
    return replace(worth, narrow=_narrow(sums), half=half, below=below)


def _half(curve: EpsilonCurve | None, spread: float, own: float) -> tuple[float | None, bool]:
    """The epsilon at which the same sums tell half of what varies; infinite if at none.

    And whether that is only a bound from above. None where none beyond the instrument's own was
    simulated.
    """
    if curve is None or not spread > 0:
        return None, False
    far = math.sqrt(1.0 - HALF) * spread
    try:
        return curve.epsilon_for(distance=far), curve.is_bound(distance=far)
    except InfeasibleError:
        return (math.inf if curve.points[-1].epsilon > own else None), False


def sums_text(sums: SumsToMeasure) -> str:
    """What is measured of some private entries, in a line."""
    noise, worth = sums.calibration, sums_worth(sums)
    told = "" if worth is None else f"; decisions tell {worth.verdict}"
    if noise is None:
        return f"Instrument(nothing is measured; epsilon 0{told})"
    return (
        f"Instrument({len(sums.names)} sums of {len(sums.entries)} private entries; "
        f"noise of scale {noise.scale:.4g} on each; {sums.privacy.describe()}{told})"
    )


def sums_view(sums: SumsToMeasure) -> View:
    """What is measured, and with what noise; what it was chosen from, and what it tells."""
    noise, privacy, worth = sums.calibration, sums.privacy, sums_worth(sums)
    moved, units = "0" if noise is None else up(noise.sensitivity, 10), sums.kernel.units
    _, reach = _reached(sums)
    columns = {
        "entries": [int(np.count_nonzero(row)) for row in sums.W],
        "can vary by": reach,
        "noise": np.full(len(sums.names), 0.0 if noise is None else noise.scale),
        **unit_column(units, len(sums.names)),
    }
    narrow = _narrow(sums)
    warned = worth_warnings(worth) if worth else (narrow_words(narrow),) if narrow else ()
    warned += _without(sums)
    return View(
        "Instrument",
        Table("sum", sums.names, columns, "what is measured"),
        (
            Fact("charge", privacy.describe() if noise is not None else "none"),
            Fact("hides", privacy.neighbours.hidden(sums.unit or "")),
            Fact("sensitivity", counted_in(moved, units)),
            *unit_facts(units),
            *_chosen_for(sums),
            *worth_facts(worth, told_units(sums), SIMULATED),
        ),
        guarantee=sums.kernel.guarantee.in_units(units),
        notes=("can vary by: the most that a sum moves over the domain, either way.",),
        warnings=warned,
        lead="Sums of private data that are to be measured, each with noise. What is measured was "
        "decided from public data alone.",
        more=tuple(table for table in (sums.table, sums.curve_table) if table is not None),
    )


def told_units(sums: SumsToMeasure) -> UnitLabels | None:
    """What distances of decisions are in, if that is known."""
    unit = (sums.comparison or {}).get("unit", "")
    return UnitLabels(unit, unit) if unit else None


def _chosen_for(sums: SumsToMeasure) -> tuple[Fact, ...]:
    """Which values it was simulated for: of others its numbers say nothing."""
    names = sums.chosen_for
    return (Fact("simulated for", some(list(names), _NAMED, count=True)),) if names else ()


def _without(sums: SumsToMeasure) -> tuple[str, ...]:
    """That some simulated measurements led to no decision."""
    told = sums.comparison or {"chosen": "", "candidates": []}
    rows: list[dict[str, Any]] = told["candidates"]
    own = next((row for row in rows if row["candidate"] == told["chosen"]), dict[str, Any]())
    without = own.get("without", 0)
    if not without:
        return ()
    return (
        f"{without} of {without + own['decisions']} simulated measurements led to no decision: "
        "name a fallback for that case.",
    )


def sums_plot(sums: SumsToMeasure) -> Picture:
    """How far each sum can vary over the domain, beside its noise (the extra `report`)."""
    middle, reach = _reached(sums)
    wide = 0.0 if sums.calibration is None else 3 * sums.calibration.scale
    marks = [
        Dots("over the domain", middle, middle - reach, middle + reach),
        Dots("noise", middle, middle - wide, middle + wide),
    ]
    told = worth_line(sums_worth(sums))
    below = sums.privacy.describe() + (f"; a decision from it {told}" if told else "")
    return intervals(sums.names, marks, "What is measured", below, "sum",
                     each_unit(sums.kernel.units, len(sums.names)))  # fmt: skip


def _narrow(sums: SumsToMeasure) -> tuple[str, ...]:
    return narrow_entries(sums.entries, sums.domain, sums.privacy.neighbours)


def _reached(sums: SumsToMeasure) -> tuple[Vector, Vector]:
    """Each sum at the middle of the domain, and how far it can be from there."""
    lower, upper = sums.domain
    return sums.W @ (0.5 * (lower + upper)), np.abs(sums.W) @ (0.5 * (upper - lower))
