"""How an instrument was chosen: every candidate, what it was guessed to be worth, what it came to.

Plain data, so that it travels with the instrument's file:

    {"chosen": name, "loss": ..., "distance": ..., "spread": ..., "candidates": [a dict for each]}

and, as "curve", what the chosen sums come to at other epsilons (`claims.curve`).
"""

from __future__ import annotations

import copy
from typing import Any, Self, cast

from privopt.claims.curve import EpsilonCurve
from privopt.claims.worth import Worth
from privopt.digits import finite
from privopt.errors import InputError
from privopt.plain import listed, number, texts
from privopt.show.view import Table

__all__ = ["Compared", "comparison_from_dict", "comparison_table", "curve_table"]

_MOST = 10_000  # candidates
_NUMBERS = ("guess", "loss", "loss_error", "distance", "distance_error")
_COUNTS = ("sums", "decisions", "without", "failed", "looked")


class Compared:
    """What was chosen among candidates, or made by hand.

    Attributes
    ----------
    comparison
        How it was chosen (`choose_instrument`), as plain data; None of one made by hand.
    """

    comparison: dict[str, Any] | None = None

    def compared(self, comparison: dict[str, Any]) -> Self:
        """The same instrument with how it was chosen; a ledger knows it as the same."""
        other = copy.copy(self)
        other.comparison = comparison
        return other

    @property
    def table(self) -> Table | None:
        """All candidates it was chosen from; None of an instrument made by hand."""
        return None if self.comparison is None else comparison_table(self.comparison)

    @property
    def loss(self) -> float | None:
        """Expected loss of decisions, as simulated when it was chosen; so `distance`, `spread`."""
        return None if self.comparison is None else self.comparison["loss"]

    @property
    def distance(self) -> float | None:
        """Expected distance of the decided values from the answers."""
        return None if self.comparison is None else self.comparison["distance"]

    @property
    def spread(self) -> float | None:
        """That of the best constant, the mean answer."""
        return None if self.comparison is None else self.comparison["spread"]

    @property
    def curve(self) -> EpsilonCurve | None:
        """Loss and distance of the same sums at other epsilons, as they were simulated."""
        given = None if self.comparison is None else self.comparison.get("curve")
        return None if given is None else EpsilonCurve.from_dict(given)

    @property
    def curve_table(self) -> Table | None:
        """The points of `curve`."""
        return None if self.curve is None else curve_table(self.curve)

    def epsilon_for(self, *, distance: float | None = None, loss: float | None = None) -> float:
        """The least epsilon at which decisions from the same sums are as near and as cheap as that.

        Read between the simulated points of `curve`, and rounded up: SAMPLED, an estimate. 0.0
        where nothing need be measured. `with_epsilon` makes the instrument for it. (At another
        epsilon other sums may be better: `choose_instrument` looks for them.)

        Parameters
        ----------
        distance
            Expected distance of the decided values from the answers, at most.
        loss
            Expected loss after completion, at most: a fraction of the cost.

        Raises
        ------
        InfeasibleError
            No simulated epsilon leads to that: says how near the nearest comes, and what would do.
        InputError
            Nothing was simulated for this instrument.
        """
        curve = self.curve
        if curve is None:
            raise InputError(
                "nothing was simulated for this instrument.",
                "what decisions from it come to at a few epsilons.",
                "call privopt.simulate_instrument(program, query, instrument, feasibility), and "
                "ask what it returns.",
            )
        return curve.epsilon_for(distance=distance, loss=loss)


def comparison_table(comparison: dict[str, Any]) -> Table:
    """All candidates, best first; those without a loss were not simulated."""
    rows: list[dict[str, Any]] = comparison["candidates"]

    def percent(row: dict[str, Any], name: str) -> float | None:
        return None if row.get(name) is None else 100 * row[name]

    return Table(
        "candidate",
        [row["candidate"] for row in rows],
        {
            "sums": [row["sums"] for row in rows],
            "guess, %": [percent(row, "guess") for row in rows],
            "loss, %": [percent(row, "loss") for row in rows],
            "+- (loss)": [percent(row, "loss_error") for row in rows],
            "distance": [row.get("distance") for row in rows],
            "+- (distance)": [row.get("distance_error") for row in rows],
            "tells, %": [_told(row, comparison["spread"]) for row in rows],
            "decisions": [row.get("decisions") for row in rows],
            "without": [row.get("without") for row in rows],
            "draws": ["" if "loss" not in r else "fresh" if r["fresh"] else "first" for r in rows],
        },
        f"chosen: {comparison['chosen']}",
    )


def _told(row: dict[str, Any], spread: float) -> float | None:
    """The share of what varies in the answers that decisions tell, in percent."""
    if row.get("distance") is None:
        return None
    paid = float(row["sums"] > 0)  # a constant tells nothing, whatever the draws say
    return finite(100 * Worth.of_all(row["distance"], spread, paid).tells)


def curve_table(curve: EpsilonCurve) -> Table:
    """What the same sums come to at other epsilons."""
    points = curve.points

    def percent(value: float | None) -> float | None:
        return None if value is None else 100 * value

    return Table(
        "epsilon",
        [point.epsilon for point in points],
        {
            "loss, %": [percent(point.loss) for point in points],
            "+- (loss)": [percent(point.loss_error) for point in points],
            "distance": [point.distance for point in points],
            "+- (distance)": [point.distance_error for point in points],
            "decisions": [point.decisions for point in points],
            "without": [point.without for point in points],
        },
        f"the same sums at other epsilons ({curve.provenance.value})",
    )


def comparison_from_dict(data: object) -> dict[str, Any]:
    """The same, looked through; ValueError if it is something else."""
    given = cast("dict[str, Any]", data)
    rows = [_row(one) for one in listed(given["candidates"])]
    (chosen,) = texts([given["chosen"]], 1)
    if len(rows) > _MOST:
        raise ValueError
    numbers = {
        name: None if given[name] is None else number(given[name]) for name in ("loss", "distance")
    }
    found = {"chosen": chosen, **numbers, "spread": number(given["spread"]), "candidates": rows}
    return found | (
        {"curve": EpsilonCurve.from_dict(given["curve"]).to_dict()} if "curve" in given else {}
    )


def _row(data: object) -> dict[str, Any]:
    given = cast("dict[str, Any]", data)
    row: dict[str, Any] = dict(zip(["candidate"], texts([given["candidate"]], 1), strict=True))
    for name in _COUNTS:
        if name in given:
            if type(given[name]) is not int or given[name] < 0:
                raise ValueError
            row[name] = given[name]
    for name in _NUMBERS:
        if name in given:
            row[name] = None if given[name] is None else number(given[name])
    if "fresh" in given:
        if type(given["fresh"]) is not bool:
            raise ValueError
        row["fresh"] = given["fresh"]
    return row
