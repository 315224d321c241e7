"""DC optimal power flow as a `ConvexProgram`.

    minimise   sum of generation costs, fixed ones included
    subject to generation at bus i - sum of flows out of i = demand_i + shunt_i     (private)
               flow_l = b_l (theta_f - theta_t - shift_l),   |flow_l| <= rate_l
               angle limits on theta_f - theta_t,   low <= p <= high

Two conventions are in use, and they give different costs:

- PowerModels (the default; PGLib's own baseline): b = -Im(1/(r + jx)) = x/(r^2 + x^2), taps and
  shifts ignored; angle limits beyond +-90 degrees, or both zero, are replaced by +-60.
- MATPOWER: b = 1/(x tap), shifts kept; angle limits beyond +-360 degrees, or both zero, are none.

A branch without impedance ties its two angles (up to its shift, in MATPOWER's convention; its angle
limits play no part), and its flow becomes a variable; PowerModels itself lets it carry nothing.
Each island has at least one bus with angle zero: the reference buses of the file, or its first bus.
A line's two limits, thermal and angular, bound the same flow: the tighter counts.

A piecewise-linear cost is an auxiliary variable above its pieces, which only prices: its rows are
no limits, and plans and decisions take it at its best for each solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Vector
from privopt.model.program import ConvexProgram
from privopt.networks.convention import Convention
from privopt.networks.naming import line_names, unit_names
from privopt.networks.network import Branches, Network, incidence
from privopt.networks.piecewise import rows_above

__all__ = ["optimal_power_flow", "reference_buses"]


@dataclass(frozen=True, eq=False)
class _Lines:
    """Flow b (theta_f - theta_t) + offset within [low, high]; `tie` marks lines without impedance.

    Where b is zero, low and high bound the angle difference itself.
    """

    b: Vector
    offset: Vector
    low: Vector
    high: Vector
    tie: NDArray[np.bool_]


def optimal_power_flow(network: Network, convention: Convention) -> ConvexProgram:
    """The DC optimal power flow of a network; see the module."""
    buses, branches, units = network.buses, network.branches, network.generators
    lines = _lines(branches, convention)
    n, m = len(buses), len(units)
    ties, pieces = np.flatnonzero(lines.tie), units.piecewise
    theta, tie, cost = m, m + n, m + n + len(ties)  # where each kind of variable starts
    width = cost + len(pieces)

    ends = incidence(branches.source, branches.target, n)
    at_bus: Any = sp.csr_array((np.ones(m), (units.bus, np.arange(m))), shape=(n, m))
    balance = [at_bus, -(ends.T @ sp.diags_array(lines.b) @ ends), -ends[ties].T]
    none = sp.csr_array((n, len(pieces)))
    tied = [sp.csr_array((len(ties), m)), ends[ties], sp.csr_array((len(ties), width - tie))]
    G = sp.vstack([sp.hstack([*balance, none]), sp.hstack(tied)], format="csr")
    injected = np.asarray(ends.T @ lines.offset)  # what phase shifters take out
    turned = branches.shift[ties] if convention is Convention.MATPOWER else np.zeros(len(ties))
    d = np.concatenate([buses.demand + buses.shunt + injected, turned])

    labels = line_names(network)
    A, b, row_names = _limits(ends, lines, labels)
    A = sp.hstack([sp.csr_array((A.shape[0], m)), A, sp.csr_array((A.shape[0], width - tie))])
    above, right, above_names = rows_above(network, width, cost)

    lower, upper = np.full(width, -np.inf), np.full(width, np.inf)
    lower[:m], upper[:m] = units.low, units.high
    fixed = theta + reference_buses(network)
    lower[fixed] = upper[fixed] = 0.0
    lower[tie:cost], upper[tie:cost] = lines.low[ties], lines.high[ties]
    linear, quadratic = np.zeros(width), np.zeros(width)
    linear[:m], quadratic[:m] = units.linear, units.quadratic
    linear[cost:] = 1.0
    generators = unit_names(network)
    return ConvexProgram(
        linear=linear,
        quadratic=quadratic,
        constant=network.fixed_cost,
        A=sp.vstack([A, above], format="csr"),
        b=np.concatenate([b, right]),
        G=G,
        d=d,
        lower=lower,
        upper=upper,
        names=[f"p[{name}]" for name in generators]
        + [f"theta[{number}]" for number in buses.number]
        + [f"flow[{labels[k][0]}]" for k in ties]
        + [f"cost[{generators[piece.generator]}]" for piece in pieces],
        auxiliary=range(cost, cost + len(pieces)),
        private=range(n),
        data_names=[f"demand[{number}]" for number in buses.number]
        + [f"tie[{labels[k][0]}]" for k in ties],
        row_names=row_names + above_names,
    )


def reference_buses(network: Network) -> NDArray[np.intp]:
    """Positions of the buses whose angle is zero: the file's, and one in each other island."""
    given = np.flatnonzero(network.buses.reference)
    islands, first = np.unique(network.islands, return_index=True)
    missing = ~np.isin(islands, network.islands[given])
    return np.asarray(np.sort(np.concatenate([given, first[missing]])), dtype=np.intp)


def _lines(branches: Branches, convention: Convention) -> _Lines:
    r, x = branches.r, branches.x
    if convention is Convention.MATPOWER:
        tie = x == 0
        b = 1.0 / np.where(tie, 1.0, x * branches.tap)
        offset = -b * branches.shift
        free = 2 * np.pi
        wide = np.inf
    else:
        size = r**2 + x**2
        tie = size == 0
        b = x / np.where(tie, 1.0, size)
        offset = np.zeros(len(branches))
        free = np.pi / 2
        wide = np.pi / 3
    unlimited = (branches.angle_low == 0) & (branches.angle_high == 0)
    below = (branches.angle_low <= -free + 1e-12) | unlimited
    above = (branches.angle_high >= free - 1e-12) | unlimited
    least = np.where(below, -wide, branches.angle_low)
    most = np.where(above, wide, branches.angle_high)
    b = np.where(tie, 0.0, b)
    offset = np.where(tie, 0.0, offset)
    still = (b == 0) & ~tie
    with np.errstate(invalid="ignore"):  # 0 * inf of lines that carry nothing
        ends = np.sort(np.stack([b * least, b * most]), axis=0) + offset
    low = np.where(still, least, np.maximum(-branches.rate, ends[0]))
    high = np.where(still, most, np.minimum(branches.rate, ends[1]))
    low = np.where(tie, -branches.rate, low)
    high = np.where(tie, branches.rate, high)
    return _Lines(b, offset, low, high, tie)


def _limits(
    ends: Any,  # noqa: ANN401 -- scipy sparse
    lines: _Lines,
    labels: list[tuple[str, str]],
) -> tuple[Any, Vector, list[str]]:
    """Rows over theta: flow <= high, then -flow <= -low, each where finite and not a tie."""
    factor = np.where(lines.b == 0, 1.0, lines.b)
    flows = sp.csr_array(sp.diags_array(factor) @ ends)
    high = np.flatnonzero(np.isfinite(lines.high) & ~lines.tie)
    low = np.flatnonzero(np.isfinite(lines.low) & ~lines.tie)
    rows: Any = sp.vstack([flows[high], -flows[low]], format="csr")
    right = np.concatenate(
        [lines.high[high] - lines.offset[high], lines.offset[low] - lines.low[low]]
    )
    names = [f"flow[{labels[k][0]}]" for k in high] + [f"flow[{labels[k][1]}]" for k in low]
    return rows, right, names
