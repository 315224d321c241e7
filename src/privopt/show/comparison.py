"""How an instrument was chosen: every candidate, what it was guessed to be worth, what it came to.

Plain data, so that it travels with the instrument's file:

    {"chosen": name, "loss": ..., "distance": ..., "spread": ..., "candidates": [a dict for each]}

and, as "curve", what the chosen sums come to at other epsilons (`claims.curve`), as "asked" for
which values and question that was simulated, as "errors" and "spreads" what it came to for each
value, and as "unit" what distances are in. (An instrument whose candidates were not
simulated for a question has none of these four.)
"""

from __future__ import annotations

import copy
from typing import Any, Self, cast

from privopt.claims.curve import EpsilonCurve, EpsilonPoint
from privopt.claims.worth import Worth, told_percent
from privopt.errors import InputError
from privopt.plain import floats, listed, number, texts
from privopt.show.units import in_unit
from privopt.show.view import Table

__all__ = ["Compared", "comparison_from_dict", "comparison_table", "curve_table"]

_MOST = 10_000  # candidates
_NUMBERS = ("guess", "loss", "loss_error", "distance", "distance_error")
_WITHOUT = "without: simulated measurements that led to no decision"
_LEGEND = (
    "Guess: what a candidate was screened by, a formula for its loss; the best few were simulated. "
    f"Draws: of the best, means over fresh draws; of the others over those that they were compared "
    f"by first. {_WITHOUT[0].upper()}{_WITHOUT[1:]}."
)
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
    def chosen_for(self) -> tuple[str, ...]:
        """The released values that it was simulated for; empty where that is not known."""
        asked = (self.comparison or {}).get("asked")
        return () if asked is None else tuple(asked["values"])

    def simulated_for(self, asked: dict[str, Any]) -> bool:
        """Whether its numbers are about this question (`measured.asked`), and no other one."""
        return self.comparison is not None and self.comparison.get("asked") == asked

    @property
    def curve(self) -> EpsilonCurve | None:
        """Loss and distance of the same sums at other epsilons, as they were simulated."""
        given = None if self.comparison is None else self.comparison.get("curve")
        return None if given is None else EpsilonCurve.from_dict(given)

    @property
    def curve_table(self) -> Table | None:
        """The points of `curve`."""
        if self.curve is None or self.comparison is None:
            return None
        return curve_table(self.curve, self.comparison["spread"], self.comparison.get("unit", ""))

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
    distance = in_unit("distance", comparison.get("unit", ""))

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
            distance: [row.get("distance") for row in rows],
            "+- (distance)": [row.get("distance_error") for row in rows],
            "tells, %": [_told(row, comparison["spread"]) for row in rows],
            "decisions": [row.get("decisions") for row in rows],
            "without": [row.get("without") for row in rows],
            "draws": ["" if "loss" not in r else "fresh" if r["fresh"] else "first" for r in rows],
        },
        f"chosen: {comparison['chosen']}",
        _LEGEND,
    )


def _told(row: dict[str, Any], spread: float) -> float | None:
    """The share of what varies in the answers that decisions tell, in percent."""
    if row.get("distance") is None:
        return None
    paid = float(row["sums"] > 0)  # a constant tells nothing, whatever the draws say
    return told_percent(Worth.of_all(row["distance"], spread, paid).tells)


def curve_table(curve: EpsilonCurve, spread: float = 0.0, unit: str = "") -> Table:
    """What the same sums come to at other epsilons; `spread` is the distance of the mean answer."""
    points = curve.points

    def percent(value: float | None) -> float | None:
        return None if value is None else 100 * value

    def told(point: EpsilonPoint) -> float | None:
        if point.distance is None:
            return None
        return told_percent(Worth.of_all(point.distance, spread, point.epsilon).tells)

    return Table(
        "epsilon",
        [point.epsilon for point in points],
        {
            "loss, %": [percent(point.loss) for point in points],
            "+- (loss)": [percent(point.loss_error) for point in points],
            in_unit("distance", unit): [point.distance for point in points],
            "+- (distance)": [point.distance_error for point in points],
            **({"tells, %": [told(point) for point in points]} if spread > 0 else {}),
            "decisions": [point.decisions for point in points],
            "without": [point.without for point in points],
        },
        f"the same sums at other epsilons ({curve.provenance.value})",
        f"Means over so many decisions; {_WITHOUT}.",
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
    found: dict[str, Any] = {
        "chosen": chosen,
        **numbers,
        "spread": number(given["spread"]),
        "candidates": rows,
    }
    if "curve" in given:
        found["curve"] = EpsilonCurve.from_dict(given["curve"]).to_dict()
    return found | _asked(given)


def _asked(given: dict[str, Any]) -> dict[str, Any]:
    """What it was simulated for, and what that came to for each value; where the file has it."""
    if "asked" not in given:
        return {}
    names: list[Any] = listed(given["asked"]["values"])
    values, (mark,) = texts(names, len(names)), texts([given["asked"]["digest"]], 1)
    found: dict[str, Any] = {"asked": {"values": list(values), "digest": mark}}
    if "unit" in given:
        (found["unit"],) = texts([given["unit"]], 1)
    for name in ("errors", "spreads"):
        if name in given:
            found[name] = floats(given[name], len(values)).tolist()
            if min(found[name], default=0.0) < 0:
                raise ValueError
    return found


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
