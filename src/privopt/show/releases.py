"""How a release shows itself: its values with the reach of their noise, and what they cost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from privopt.arrays import Dense, Vector
from privopt.claims.guarantee import Guarantee
from privopt.claims.terms import PrivacyTerms
from privopt.claims.units import UnitLabels
from privopt.claims.worth import Worth
from privopt.digits import charge, exactly, up
from privopt.foreign import shown
from privopt.shapes import folded
from privopt.show.pictures.intervals import Dots, intervals
from privopt.show.pictures.picture import Picture
from privopt.show.result import Result
from privopt.show.units import counted_in, each_unit, unit_column, unit_facts, valued_in
from privopt.show.view import Fact, Table, View
from privopt.show.worth import (
    MEASURED,
    worth_columns,
    worth_facts,
    worth_line,
    worth_note,
    worth_warnings,
)

__all__ = ["PublishedValues", "counted", "release_plot", "release_text", "release_view"]

_FIRST = 4  # values in a line
_MOST = 3.0  # noise scales: 95.02% of Laplace noise, 99.7% of Gaussian, more of truncated


class PublishedValues(Result):
    """What a release shows of itself; its fields are in `kernel.release.Release`."""

    values: Vector
    names: tuple[str, ...]
    epsilon: float
    delta: float
    alpha: float
    scale: float
    exponent: int | None
    mechanism: str
    guarantee: Guarantee
    replayed: bool
    rests_on: tuple[str, ...]
    date: str | None
    maker: str
    worth: Worth | None
    units: UnitLabels | None
    ledger: Any  # a `ledger.entry.Entry`, which is a room further

    def __repr__(self) -> str:
        return release_text(self, None if self.ledger is None else self.ledger.row)

    @property
    def errors(self) -> Vector | None:
        """Root mean square error of each value, bias and noise; None where that is not known."""
        return None if self.worth is None else self.worth.errors

    def arrays(self) -> dict[str, Dense]:
        """The values as arrays: `x[1,2]` is entry (1, 2) of x; NaN where one was not released."""
        return folded(self.names, self.values)

    @property
    def counted(self) -> str:
        """Which ledger counted this release, in words."""
        return counted(None if self.ledger is None else str(self.ledger), replayed=self.replayed)

    def view(self) -> View:
        """The values, what they cost and tell, how they were made, and what is claimed."""
        return release_view(self, {} if self.ledger is None else self.ledger.to_dict())

    def plot(self) -> Picture:
        """The values with their errors, or the reach of their noise (the extra `report`)."""
        return release_plot(self)

    def to_pandas(self) -> Any:  # noqa: ANN401 -- pandas is optional
        """A Series of the values by name; `attrs["unit"]` has the unit of each, if it is known."""
        table = super().to_pandas()
        series = table["released"].rename_axis(None)
        if "unit" in table:
            series.attrs["unit"] = dict(zip(self.names, table["unit"].tolist(), strict=True))
        return series


def counted(entry: str | None, *, replayed: bool) -> str:
    """Which ledger counted a release, in words."""
    if entry is None:
        return "none: no budget was charged, and nothing counts this release together with others"
    again = "; replayed: the same values as before, nothing was charged again"
    return f"{entry}{again if replayed else ''}"


def release_text(release: PublishedValues, row: int | None) -> str:
    """The first values and what is claimed, in a line; `row` of its ledger."""
    units = ("",) * len(release.names)
    if release.units is not None:
        units = release.units.each(len(release.names))
    values = ", ".join(
        f"{shown(name)}={value:.6g}{unit and f' {unit}'}"
        for name, value, unit in zip(release.names[:_FIRST], release.values, units, strict=False)
    )
    count = len(release.names)
    more = f", ... {count} values" if count > _FIRST else ""
    privacy, feasibility = release.guarantee.privacy, release.guarantee.feasibility
    where = "in no ledger"
    if row is not None:
        where = f"row {row} of its ledger" + (", replayed" if release.replayed else "")
    return (
        f"Release({values}{more}; epsilon={up(release.epsilon, 6)}, "
        f"delta={up(release.delta, 6)}; privacy {privacy.label}, feasibility {feasibility.label} "
        f"({feasibility.scope.value}); {where})"
    )


def release_view(release: PublishedValues, entry: dict[str, Any]) -> View:
    """The values, what they cost, how they were made, and what is claimed; `entry` of a ledger."""
    grid = "" if release.exponent is None else f"; on the grid 2^{release.exponent}"
    counted = Table("", tuple(entry), {"": tuple(entry.values())}, "ledger")
    worth = release.worth
    measured = release.mechanism == "measurement"
    what = "Sums of private data" if measured else "Values of a solution"
    makers = {"measurement": "instrument", "decision": "decision"}  # what has the digest
    made_by = makers.get(release.mechanism, "public program")
    labels = unit_column(release.units, len(release.names))
    columns = {"released": release.values, **labels, **worth_columns(worth)}
    return View(
        "Release",
        Table("value", release.names, columns, "released values"),
        (
            Fact(
                "charge",
                f"{charge(release.epsilon, release.delta)}, for {_hidden(release)}",
                f"ε = {up(release.epsilon, 4)}",
                f"privacy loss of this release, {release.guarantee.privacy.label.lower()}; "
                f"δ = {up(release.delta, 6)}",
            ),
            Fact("made by", release.mechanism, str(len(release.names)), "values released"),
            Fact("noise", _noise(release) + grid, _scale(release, "3g"), "scale of the noise"),
            *unit_facts(release.units),
            *worth_facts(worth, release.units, MEASURED if release.rests_on else ""),
            Fact("ledger", release.counted),
            *(Fact("rests on", f"measurement {one[:12]}") for one in release.rests_on),
            *(() if release.date is None else (Fact("date", _date(release)),)),
            *((Fact("maker", f"{made_by} {release.maker[:12]}"),) if release.maker else ()),
        ),
        tuple(filter(None, [worth_note(worth)])),
        guarantee=release.guarantee.in_units(release.units),
        warnings=worth_warnings(worth and replace(worth, narrow=())),  # for the curator, before
        lead=f"{what}, published with differential privacy: noise was added so "
        f"that {_hidden(release, lead=True)}.",
        more=(counted,) if entry else (),
    )


def _hidden(release: PublishedValues, *, lead: bool = False) -> str:
    """The changes that the charge speaks of, in words."""
    terms = release.guarantee.privacy.in_units(release.units).terms
    alpha = counted_in(exactly(release.alpha), release.units)
    if isinstance(terms, PrivacyTerms) and not terms.plain:
        return f"{terms.neighbours}, look alike" if lead else terms.neighbours
    if lead:
        return f"a change of one private entry by up to {alpha} stays hidden"
    return f"changes up to {alpha}"


def release_plot(release: PublishedValues) -> Picture:
    """The values with their errors, or else the reach of noise (the extra `report`)."""
    wide: Any = _MOST * release.scale if release.exponent is not None else 0.0
    told = "bars: the reach of the noise, without bias"
    worth = release.worth
    if worth is not None:
        wide, told = 2 * worth.errors, "bars: twice the expected error, bias and noise"
    marks = Dots("released", release.values, release.values - wide, release.values + wide)
    return intervals(
        release.names,
        [marks],
        f"Released by {release.mechanism}: epsilon = {up(release.epsilon, 6)}, "
        f"delta = {up(release.delta, 6)}",
        "; ".join(
            part
            for part in (
                worth_line(worth),
                told,
                f"noise: {_noise(release)}",
                f"privacy {release.guarantee.privacy.label}",
            )
            if part
        ),
        "released value",
        each_unit(release.units, len(release.names)),
    )


def _noise(release: PublishedValues) -> str:
    if not release.scale:
        return "none, the values are constants"
    scale = _scale(release, "4g")
    if release.exponent is None:  # the noise is not on the values, and they lie on no grid
        return f"of scale {scale}, on the data and not on the values"
    most = valued_in(f"{_MOST * release.scale:.4g}", release.units)
    return f"of scale {scale} on each value, 95% of draws or more within {most}"


def _scale(release: PublishedValues, digits: str) -> str:
    """The scale of the noise: in the unit of the data, or of the values that it is on."""
    counted = counted_in if release.exponent is None else valued_in
    return counted(f"{release.scale:.{digits}}", release.units)


def _date(release: PublishedValues) -> str:
    """When, in words: of the charge, if there is one."""
    when = (release.date or "").replace("T", " ").replace("Z", " UTC")
    return f"{when}, of its charge" if release.ledger is not None else when
