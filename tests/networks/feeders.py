"""Feeders for the tests, and models of them that have nothing of privopt in them.

`sweep` is an AC power flow by backward and forward sweeps in complex numbers; `distflow` is a plain
CVXPY model of the branch flow, with flows away from the root; both read arrays, not programs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from privopt.networks import Network

NAMES = ("case33bw", "case69", "case85", "case141")


def tree(network: Network) -> list[tuple[int, int, int]]:
    """(bus above, bus, line) from the root outwards."""
    lines = network.branches
    root = int(np.flatnonzero(network.buses.reference)[0])
    near: dict[int, list[tuple[int, int]]] = {k: [] for k in range(len(network.buses))}
    for k, (f, t) in enumerate(zip(lines.source.tolist(), lines.target.tolist(), strict=True)):
        near[f].append((t, k))
        near[t].append((f, k))
    order, seen = [], {root}
    open_: list[int] = [root]
    for above in open_:
        for bus, line in near[above]:
            if bus not in seen:
                seen.add(bus)
                order.append((above, bus, line))
                open_.append(bus)
    return order


def sweep(network: Network, injected: Any = None, root_voltage: float = 1.0) -> tuple[Any, complex]:
    """AC voltages (complex), and what the substation delivers; without taps and shunts.

    `injected` is the complex power of other units at each bus.
    """
    buses, lines, order = network.buses, network.branches, tree(network)
    power = buses.demand + 1j * buses.reactive - (0 if injected is None else injected)
    z = lines.r + 1j * lines.x
    voltage = np.full(len(buses), root_voltage, dtype=complex)
    current = np.zeros(len(lines), dtype=complex)
    into = np.conj(power / voltage)
    for _ in range(200):
        into = np.conj(power / voltage)
        for above, bus, line in reversed(order):
            current[line] = into[bus]
            into[above] += into[bus]
        before = voltage.copy()
        for above, bus, line in order:
            voltage[bus] = voltage[above] - z[line] * current[line]
        if np.abs(voltage - before).max() < 1e-14:
            break
    root = order[0][0]
    return voltage, complex(voltage[root] * np.conj(into[root]))


def distflow(network: Network, fixed: dict[int, float] | None = None, *, losses: bool) -> Any:
    """Cost and squared voltages of the branch flow model in CVXPY; `fixed`: p of units."""
    import cvxpy as cp  # the environment of pandapower has none

    buses, lines, units, order = network.buses, network.branches, network.generators, tree(network)
    n = len(buses)
    p, q = cp.Variable(len(units)), cp.Variable(len(units))
    P, Q, v, lift = (cp.Variable(size) for size in (n, n, n, n))  # of the line into each bus
    net_p: list[Any] = [-buses.demand[k] for k in range(n)]
    net_q: list[Any] = [-buses.reactive[k] for k in range(n)]
    for k, bus in enumerate(units.bus.tolist()):
        net_p[bus], net_q[bus] = net_p[bus] + p[k], net_q[bus] + q[k]
    held: list[Any] = [p >= units.low, p <= units.high, v >= buses.voltage_low**2,
                       q >= units.reactive_low, q <= units.reactive_high,
                       v <= buses.voltage_high**2]  # fmt: skip
    for above, bus, line in order:
        r, x = lines.r[line], lines.x[line]
        net_p[bus], net_q[bus] = (
            net_p[bus] + P[bus] - r * lift[bus],
            net_q[bus] + Q[bus] - x * lift[bus],
        )
        net_p[above], net_q[above] = net_p[above] - P[bus], net_q[above] - Q[bus]
        drop = -2 * (r * P[bus] + x * Q[bus]) + (r**2 + x**2) * lift[bus]
        held.append(v[bus] == v[above] + drop)
        if losses:
            pair = cp.hstack([2 * P[bus], 2 * Q[bus], lift[bus] - v[above]])
            held.append(cp.norm(pair) <= lift[bus] + v[above])
        if np.isfinite(lines.rate[line]):
            held.append(cp.norm(cp.hstack([P[bus], Q[bus]])) <= lines.rate[line])
            back = cp.hstack([P[bus] - r * lift[bus], Q[bus] - x * lift[bus]])
            held.append(cp.norm(back) <= lines.rate[line])
    held += [balance == 0 for balance in (*net_p, *net_q)]
    if not losses:
        held.append(lift == 0)
    held += [p[k] == value for k, value in (fixed or {}).items()]
    cost = cp.sum(cp.multiply(units.linear, p) + cp.multiply(units.quadratic, cp.square(p)))
    problem = cp.Problem(cp.Minimize(cost), held)
    problem.solve(solver=cp.CLARABEL)
    return problem, v.value, p.value
