"""Costs of a pandapower net, as rows of MATPOWER's table `gencost`.

A cost belongs to an element and is a function of its own `p_mw`. In an optimal power flow every
element is a generator, so for loads and storages, which consume, the power there is -p_mw:

    c0 + c1 p + c2 p^2                       stays what it is, with -c1 for c1
    points (p, cost), straight in between    are mirrored: (-p, cost), from the last to the first

The table is written here rather than taken from pandapower, which turns the sign of c0 and c2 of
loads and storages, does not mirror their points, leaves out c0 where some costs are piecewise
linear, and gives the cost of an element out of service to the last generator. Where none of this
happens the two agree. Reactive power has no part in a DC flow, nor have its costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from privopt.arrays import Dense
from privopt.errors import InputError

__all__ = ["Unit", "read_pandapower_costs"]

Unit = tuple[str, int]  # table and index of an element: ("gen", 3)

_PIECEWISE, _POLYNOMIAL = 1.0, 2.0
_CONSUMERS = ("load", "storage")
_TABLES = ("ext_grid", "gen", "sgen", "load", "storage")


def read_pandapower_costs(net: Any, units: Sequence[Unit]) -> Dense:  # noqa: ANN401
    """Costs of the units of an optimal power flow, a row each; zero where the net gives none."""
    rows: dict[Unit, list[float]] = {}
    for unit, row in _rows(net):
        if not _counts(net, unit, units):
            continue
        if unit in rows:
            raise InputError(
                f"{unit[0]} {unit[1]} has two costs.",
                "at most one row in poly_cost and pwl_cost together (power_type 'p').",
                "remove one of them.",
            )
        rows[unit] = row
    if not rows:
        raise InputError(
            "the net gives no costs to what is in service.",
            "costs: without them pandapower minimises the generation, which demand fixes.",
            "give some, for example pp.create_poly_cost(net, 0, 'ext_grid', cp1_eur_per_mw=10).",
        )
    width = max(len(row) for row in rows.values())
    none = [_POLYNOMIAL, 0.0, 0.0, 0.0]
    table = [rows.get(unit, none) for unit in units]
    return np.array([row + [0.0] * (width - len(row)) for row in table])


def _rows(net: Any) -> Iterator[tuple[Unit, list[float]]]:  # noqa: ANN401
    """Each cost of active power: whose, and its row."""
    for cost in net.poly_cost.itertuples():
        unit = (str(cost.et), int(cost.element))
        sign = -1.0 if unit[0] in _CONSUMERS else 1.0
        numbers = [cost.cp2_eur_per_mw2, sign * cost.cp1_eur_per_mw, cost.cp0_eur]
        yield unit, [_POLYNOMIAL, 0.0, 0.0, 3.0, *map(float, numbers)]
    for cost in net.pwl_cost.itertuples():
        if cost.power_type == "p":
            unit = (str(cost.et), int(cost.element))
            points = _points(unit, cost.points)
            if unit[0] in _CONSUMERS:
                points = points[::-1] * [-1.0, 1.0]
            yield unit, [_PIECEWISE, 0.0, 0.0, float(len(points)), *points.ravel().tolist()]


def _points(unit: Unit, areas: Any) -> Dense:  # noqa: ANN401
    """Points p, cost of areas (from, to, slope); the first area's line goes through the origin."""
    try:
        low, high, slope = np.asarray(areas, dtype=float).reshape(-1, 3).T
    except (TypeError, ValueError):
        low = high = slope = np.zeros(0)
    if not len(low) or np.any(low[1:] != high[:-1]):
        raise InputError(
            f"the piecewise-linear cost of {unit[0]} {unit[1]} leaves gaps, or is none.",
            "points=[[p0, p1, slope], [p1, p2, slope], ...]: each area starts where one ended.",
            "correct its row of pwl_cost.",
        )
    cost = low[0] * slope[0] + np.concatenate([[0.0], np.cumsum((high - low) * slope)])
    return np.column_stack([np.concatenate([low[:1], high]), cost])


def _counts(net: Any, unit: Unit, units: Sequence[Unit]) -> bool:  # noqa: ANN401
    """Whether a cost is of a unit; of an element out of service it is not, of others refused."""
    table, index = unit
    if unit in units:
        return True
    elements = net.get(table)
    if elements is None or index not in elements.index:
        raise InputError(
            f"a cost is given to {table} {index}, which is not in the net.",
            f"costs of elements of {', '.join(_TABLES)}.",
            "remove its row of poly_cost or pwl_cost, or correct `et` and `element`.",
        )
    at = elements.at[index, "bus"] if "bus" in elements else None
    on = bool(elements.at[index, "in_service"]) and (at is None or bool(net.bus.in_service[at]))
    if on:
        raise InputError(
            f"{table} {index} has a cost, but its power is fixed.",
            "costs of elements that are controllable.",
            f"set net.{table}.at[{index}, 'controllable'] = True, or remove its cost.",
        )
    return False
