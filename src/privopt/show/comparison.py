"""How an instrument was chosen: every candidate, what it was guessed to be worth, what it came to.

Plain data, so that it travels with the instrument's file:

    {"chosen": name, "loss": ..., "distance": ..., "spread": ..., "candidates": [a dict for each]}
"""

from __future__ import annotations

import copy
from typing import Any, Self, cast

from privopt.plain import listed, number, texts
from privopt.show.view import Table

__all__ = ["Compared", "comparison_from_dict", "comparison_table"]

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
            "decisions": [row.get("decisions") for row in rows],
            "without": [row.get("without") for row in rows],
            "draws": ["" if "loss" not in r else "fresh" if r["fresh"] else "first" for r in rows],
        },
        f"chosen: {comparison['chosen']}",
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
    return {"chosen": chosen, **numbers, "spread": number(given["spread"]), "candidates": rows}


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
