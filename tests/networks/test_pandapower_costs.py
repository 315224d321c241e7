"""Costs of a pandapower net: the same money at the same power, for who supplies and who consumes.

The nets are tables alone: pandapower itself is not needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from privopt.errors import InputError
from privopt.networks.pandapower_costs import Unit, read_pandapower_costs
from privopt.networks.tables import read_costs


class Net(dict[str, pd.DataFrame]):
    """As much of a net as costs need."""

    def __getattr__(self, name: str) -> pd.DataFrame:
        if name not in self:
            raise AttributeError(name)
        return self[name]


def net(poly: list[Any] = [], pwl: list[Any] = [], **tables: list[Any]) -> Net:  # noqa: B006
    named = ["element", "et", "cp0_eur", "cp1_eur_per_mw", "cp2_eur_per_mw2"]
    elements = {
        name: pd.DataFrame(rows, columns=["bus", "in_service"])
        for name, rows in ({"gen": [(0, True)], "load": [(0, True)]} | tables).items()
    }
    return Net(
        poly_cost=pd.DataFrame(poly, columns=named),
        pwl_cost=pd.DataFrame(pwl, columns=["element", "et", "power_type", "points"]),
        bus=pd.DataFrame({"in_service": [True, False]}),
        **elements,
    )


def money(made: Net, unit: Unit, generated: np.ndarray) -> np.ndarray:
    """What a unit costs at some power, by the program's own reading of the table."""
    costs = read_costs(read_pandapower_costs(made, [unit]), 1.0)
    if costs.piecewise:
        (piece,) = costs.piecewise
        return np.max(np.outer(generated, piece.slope) + piece.intercept, axis=1)
    return costs.constant[0] + costs.linear[0] * generated + costs.quadratic[0] * generated**2


@pytest.mark.parametrize(("table", "sign"), [("gen", 1.0), ("load", -1.0), ("storage", -1.0)])
def test_a_polynomial_is_of_the_power_of_the_element_itself(table: str, sign: float) -> None:
    made = net([(0, table, 3.0, -2.0, 0.5)], storage=[(0, True)])
    p_mw = np.linspace(-4.0, 4.0, 9)
    expected = 3.0 - 2.0 * p_mw + 0.5 * p_mw**2
    assert np.allclose(money(made, (table, 0), sign * p_mw), expected)


@pytest.mark.parametrize(("table", "sign"), [("gen", 1.0), ("load", -1.0)])
def test_pieces_are_straight_between_their_ends(table: str, sign: float) -> None:
    """Slopes rise with the power that is generated; the first line goes through the origin."""
    areas = [[1.0, 2.0, 1.0], [2.0, 5.0, 4.0]]
    if sign < 0:  # the more is consumed, the less the next unit is worth
        areas = [[1.0, 2.0, -1.0], [2.0, 5.0, -0.25]]
    made = net(pwl=[(0, table, "p", areas), (0, table, "q", [[0, 1, 9]])])
    ends = np.array([1.0, 2.0, 5.0])
    slopes = [area[2] for area in areas]
    at_ends = slopes[0] + np.concatenate([[0.0], np.cumsum(np.diff(ends) * slopes)])
    p_mw = np.linspace(1.0, 5.0, 33)
    assert np.allclose(money(made, (table, 0), sign * p_mw), np.interp(p_mw, ends, at_ends))


def test_units_without_a_cost_cost_nothing_and_rows_have_one_width() -> None:
    made = net([(0, "gen", 1.0, 2.0, 0.0)], gen=[(0, True), (0, True)])
    table = read_pandapower_costs(made, [("gen", 1), ("gen", 0)])
    assert table.shape[0] == 2
    costs = read_costs(table, 1.0)
    assert costs.linear.tolist() == [0.0, 2.0]
    assert costs.constant.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("row", [(1, False), (0, False), (1, True)])
def test_a_cost_of_what_is_out_of_service_is_nobodys(row: tuple[int, bool]) -> None:
    made = net([(0, "load", 0, 5.0, 0), (0, "gen", 0, 1.0, 0)], load=[row])
    assert read_costs(read_pandapower_costs(made, [("gen", 0)]), 1.0).linear.tolist() == [1.0]


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (net([(0, "gen", 0, 1.0, 0)] * 2), "has two costs"),
        (net(), "gives no costs"),
        (net([(7, "gen", 0, 1.0, 0)]), "not in the net"),
        (net([(0, "trafo", 0, 1.0, 0)]), "not in the net"),
        (net([(0, "load", 0, 1.0, 0)]), "its power is fixed"),
        (net(pwl=[(0, "gen", "p", [[0, 1, 1], [2, 3, 2]])]), "leaves gaps"),
        (net(pwl=[(0, "gen", "p", "x")]), "leaves gaps, or is none"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(made: Net, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_pandapower_costs(made, [("gen", 0)])
