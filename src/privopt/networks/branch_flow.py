"""The branch flow model of a radial feeder as a `ConvexProgram`: LinDistFlow, and its cone form.

For each line i -> j with impedance r + jx, at the end of i: active and reactive flow P and Q; v is
the squared voltage of a bus, l the squared current of a line (tap: v_i / tap^2 for v_i).

    minimise   sum of generation costs, that of the substation included
    subject to p_j + sum of (P - r l) into j - sum of P out of j - g_j v_j = demand_j      (private)
               q_j + sum of (Q - x l) into j - sum of Q out of j + b_j v_j = reactive_j
               v_j = v_i - 2 (r P + x Q) + (r^2 + x^2) l
               vmin^2 <= v <= vmax^2,   low <= p, q <= high,   ||(P, Q)|| <= rate at both ends
    socp       P^2 + Q^2 <= l v_i, that is ||(2P, 2Q, l - v_i)|| <= l + v_i      (Farivar and Low)
    lindistflow    l = 0: losses are neglected; all but the rates is linear        (Baran and Wu)

Shunts, and half of a line's charging at each of its ends, are in g and b. Angles do not appear, so
neither phase shifts nor angle limits have a part. A line without impedance ties its two voltages.

**Reactive demands** are, unless asked otherwise, tan(phi) times the active ones, with the ratio of
the case at each bus. Then the row of Q at a bus, less tan(phi) times its row of P, has a right-hand
side that is public: zero (or the reactive demand itself, where there is no active one). Private are
the entries of d; what is public stands in E z = g.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Vector
from privopt.model.program import ConvexProgram
from privopt.networks.convention import Convention, Reactive
from privopt.networks.flow_cones import rate_limits, relaxed_currents
from privopt.networks.layout import Layout
from privopt.networks.naming import line_names, unit_names
from privopt.networks.network import Network, incidence
from privopt.networks.piecewise import rows_above
from privopt.networks.radial import check_feeder

__all__ = ["branch_flow", "power_factor"]


def branch_flow(network: Network, convention: Convention, reactive: Reactive) -> ConvexProgram:
    """The optimal power flow of a radial feeder; see the module."""
    check_feeder(network)
    at, units, buses = Layout.of(network, convention), network.generators, network.buses
    unit, line = unit_names(network), [name for name, _ in line_names(network)]
    rows, right = _equalities(network, at, reactive)
    row_names = [f"{kind}[{number}]" for kind in ("demand", "reactive") for number in buses.number]
    row_names += [f"drop[{name}]" for name in line]
    private = (2 if reactive is Reactive.PRIVATE else 1) * at.buses
    A, b, piece_names = rows_above(network, at.width, at.cost)
    lower, upper = np.full(at.width, -np.inf), np.full(at.width, np.inf)
    lower[: at.P] = np.concatenate([units.low, units.reactive_low])
    upper[: at.P] = np.concatenate([units.high, units.reactive_high])
    lower[at.v : at.current] = buses.voltage_low**2
    upper[at.v : at.current] = buses.voltage_high**2
    lower[at.current : at.cost] = 0.0
    linear, quadratic = np.zeros(at.width), np.zeros(at.width)
    linear[: at.units], quadratic[: at.units] = units.linear, units.quadratic
    linear[at.cost :] = 1.0
    return ConvexProgram(
        linear=linear,
        quadratic=quadratic,
        constant=network.fixed_cost,
        A=A,
        b=b,
        G=rows[:private],
        d=right[:private],
        E=rows[private:],
        g=right[private:],
        lower=lower,
        upper=upper,
        cones=[*rate_limits(network, at), *relaxed_currents(network, at)],
        names=[f"{power}[{name}]" for power in ("p", "q") for name in unit]
        + [f"{flow}[{name}]" for flow in ("flow", "reactive_flow") for name in line]
        + [f"v[{number}]" for number in buses.number]
        + [f"current[{line[k]}]" for k in at.lossy]
        + [f"cost[{unit[piece.generator]}]" for piece in units.piecewise],
        auxiliary=range(at.cost, at.cost + len(units.piecewise)),
        data_names=row_names[:private],
        equality_names=row_names[private:],
        row_names=piece_names,
    )


def power_factor(network: Network) -> Vector:
    """tan(phi) of each bus: reactive over active demand; 0 where there is no active one."""
    active = network.buses.demand != 0
    return np.where(active, network.buses.reactive / np.where(active, network.buses.demand, 1.0), 0)


def _equalities(network: Network, at: Layout, reactive: Reactive) -> tuple[Any, Vector]:
    """Balance of P, then of Q, then drops of v, and their right-hand sides."""
    lines, buses = network.branches, network.buses
    ends = incidence(lines.source, lines.target, at.buses)
    into: Any = sp.csr_array(ends < 0, dtype=float)
    out: Any = sp.diags_array(1.0 / lines.tap**2) @ sp.csr_array(ends > 0, dtype=float)
    places = (network.generators.bus, np.arange(at.units))
    unit: Any = sp.csr_array((np.ones(at.units), places), shape=(at.buses, at.units))
    susceptance = buses.susceptance + (into + out).T @ (lines.charging / 2)
    lossy: Any = sp.eye_array(at.lines, format="csr")[:, at.lossy]
    r, x = sp.diags_array(lines.r), sp.diags_array(lines.x)
    lost: Any = into.T @ r @ lossy, into.T @ x @ lossy, (r @ r + x @ x) @ lossy
    costs = sp.csr_array((at.lines, at.pieces))
    blocks: Any = [
        [unit, None, -ends.T, None, -sp.diags_array(buses.shunt), -lost[0], None],
        [None, unit, None, -ends.T, sp.diags_array(susceptance), -lost[1], None],
        [None, None, 2 * r, 2 * x, into - out, -lost[2], costs],
    ]
    G: Any = sp.block_array(blocks, format="csr")
    q = buses.reactive
    if reactive is Reactive.FOLLOWS:
        P, Q = G[: at.buses], G[at.buses : 2 * at.buses]
        tied = Q - sp.diags_array(power_factor(network)) @ P
        G = sp.vstack([P, tied, G[2 * at.buses :]], format="csr")
        q = np.where(buses.demand != 0, 0.0, q)
    return G, np.concatenate([buses.demand, q, np.zeros(at.lines)])
