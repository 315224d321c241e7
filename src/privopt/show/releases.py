"""How a release shows itself: its values with the reach of their noise, and what they cost."""

from __future__ import annotations

from typing import Any, Protocol

from privopt.arrays import Vector
from privopt.claims.guarantee import Guarantee
from privopt.claims.terms import PrivacyTerms
from privopt.digits import charge, exactly, up
from privopt.foreign import shown
from privopt.show.figures import Dots, spans
from privopt.show.view import Fact, Table, View

__all__ = ["Published", "counted", "release_plot", "release_text", "release_view"]

_FIRST = 4  # values in a line
_MOST = 3.0  # noise scales: 95.02% of Laplace noise, 99.7% of Gaussian, more of truncated

_OFF = (
    "Off by: how far a value lies from the non-private answer, bias and noise (root mean square "
    "over the public domain)."
)


class Published(Protocol):
    """What is shown of a release; see `kernel.release.Release`."""

    @property
    def values(self) -> Vector: ...  # noqa: D102
    @property
    def names(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def epsilon(self) -> float: ...  # noqa: D102
    @property
    def delta(self) -> float: ...  # noqa: D102
    @property
    def alpha(self) -> float: ...  # noqa: D102
    @property
    def scale(self) -> float: ...  # noqa: D102
    @property
    def exponent(self) -> int | None: ...  # noqa: D102
    @property
    def mechanism(self) -> str: ...  # noqa: D102
    @property
    def guarantee(self) -> Guarantee: ...  # noqa: D102
    @property
    def counted(self) -> str: ...  # noqa: D102
    @property
    def replayed(self) -> bool: ...  # noqa: D102
    @property
    def rests_on(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def errors(self) -> Vector | None: ...  # noqa: D102


def counted(entry: str | None, *, replayed: bool) -> str:
    """Which ledger counted a release, in words."""
    if entry is None:
        return "none: no budget was charged, and nothing counts this release together with others"
    again = "; replayed: the same values as before, nothing was charged again"
    return f"{entry}{again if replayed else ''}"


def release_text(release: Published, row: int | None) -> str:
    """The first values and what is claimed, in a line; `row` of its ledger."""
    values = ", ".join(
        f"{shown(name)}={value:.6g}"
        for name, value in zip(release.names[:_FIRST], release.values, strict=False)
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


def release_view(release: Published, entry: dict[str, Any]) -> View:
    """The values, what they cost, how they were made, and what is claimed; `entry` of a ledger."""
    grid = "" if release.exponent is None else f"; on the grid 2^{release.exponent}"
    counted = Table("", tuple(entry), {"": tuple(entry.values())}, "ledger")
    columns = {"released": release.values}
    if release.errors is not None:
        columns["off by"] = release.errors
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
            Fact("noise", _noise(release) + grid, f"{release.scale:.3g}", "scale of the noise"),
            Fact("ledger", release.counted),
            *(Fact("rests on", f"measurement {one[:12]}") for one in release.rests_on),
        ),
        () if release.errors is None else (_OFF,),
        guarantee=release.guarantee,
        lead="Values of a solution, published with differential privacy: noise was added so "
        f"that {_hidden(release, lead=True)}.",
        more=(counted,) if entry else (),
    )


def _hidden(release: Published, *, lead: bool = False) -> str:
    """The changes that the charge speaks of, in words."""
    terms, alpha = release.guarantee.privacy.terms, exactly(release.alpha)
    if isinstance(terms, PrivacyTerms) and not terms.plain:
        return f"{terms.neighbours}, look alike" if lead else terms.neighbours
    if lead:
        return f"a change of one private entry by up to {alpha} stays hidden"
    return f"changes up to {alpha}"


def release_plot(release: Published) -> Any:  # noqa: ANN401 -- a plotly figure; plotly has no types
    """The values with their errors, or else the reach of noise (the extra `report`)."""
    wide: Any = _MOST * release.scale if release.exponent is not None else 0.0
    told = "bars: the reach of the noise, without bias"
    if release.errors is not None:
        wide, told = 2 * release.errors, "bars: twice the expected error, bias and noise"
    marks = Dots("released", release.values, release.values - wide, release.values + wide)
    return spans(
        release.names,
        [marks],
        f"Released by {release.mechanism}: epsilon = {up(release.epsilon, 6)}, "
        f"delta = {up(release.delta, 6)}",
        f"{told}; noise: {_noise(release)}; privacy {release.guarantee.privacy.label}",
        "released value",
    )


def _noise(release: Published) -> str:
    if not release.scale:
        return "none, the values are constants"
    if release.exponent is None:  # the noise is not on the values, and they lie on no grid
        return f"of scale {release.scale:.4g}, on the data and not on the values"
    return (
        f"of scale {release.scale:.4g} on each value, 95% of draws or more within "
        f"{_MOST * release.scale:.4g}"
    )
