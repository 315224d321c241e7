"""The cones of a feeder: limits of apparent power, and the relaxation of currents.

    rate[i,j]      ||(P, Q - b/2 v_i)|| <= rate at the end of i, and likewise at that of j
    current[i,j]   ||(2P, 2Q, l/s - s v_i)|| <= l/s + s v_i, that is P^2 + Q^2 <= l v_i

b is the charging of the line, of which each end has half. Without losses and charging the flow is
the same at both ends, and one limit is enough. s is 1 per unit; where powers are in a unit, so that
l is of their square and v is not, it makes both of the size of the powers (`Network.times`).
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Vector
from privopt.model.norm_limit import NormLimit
from privopt.networks.layout import Layout
from privopt.networks.naming import line_names
from privopt.networks.network import Network

__all__ = ["rate_limits", "relaxed_currents"]

Entry = tuple[int, int, float]  # row and place in C, and what stands there


def rate_limits(network: Network, at: Layout) -> list[NormLimit]:
    """The limit of apparent power at the ends of each line that has a rate."""
    lines, names = network.branches, line_names(network)
    place = {int(k): at.current + j for j, k in enumerate(at.lossy)}
    limits: list[NormLimit] = []
    for k in np.flatnonzero(np.isfinite(lines.rate)).tolist():
        rate, half = float(lines.rate[k]), float(lines.charging[k]) / 2
        i, j = at.v + int(lines.source[k]), at.v + int(lines.target[k])
        flow: list[Entry] = [(0, at.P + k, 1.0), (1, at.Q + k, 1.0)]
        here = [*flow, (1, i, -half / float(lines.tap[k]) ** 2)]
        limits.append(_norm(f"rate[{names[k][0]}]", here, 2, at, g=rate))
        if half or k in place:
            there = [*flow, (1, j, half)]
            if k in place:
                there += [(0, place[k], -float(lines.r[k])), (1, place[k], -float(lines.x[k]))]
            limits.append(_norm(f"rate[{names[k][1]}]", there, 2, at, g=rate))
    return limits


def relaxed_currents(network: Network, at: Layout) -> list[NormLimit]:
    """The relaxation of l = (P^2 + Q^2) / v_i on each line that has a current."""
    lines, names = network.branches, line_names(network)
    s, cones = network.times, list[NormLimit]()
    for j, k in enumerate(at.lossy.tolist()):
        current, v = at.current + j, at.v + int(lines.source[k])
        ratio = s / float(lines.tap[k]) ** 2
        entries: list[Entry] = [
            (0, at.P + k, 2.0),
            (1, at.Q + k, 2.0),
            (2, current, 1.0 / s),
            (2, v, -ratio),
        ]
        f = np.zeros(at.width)
        f[current], f[v] = 1.0 / s, ratio
        cones.append(_norm(f"current[{names[k][0]}]", entries, 3, at, f=f))
    return cones


def _norm(
    name: str, entries: list[Entry], count: int, at: Layout, f: Vector | None = None, g: float = 0.0
) -> NormLimit:
    rows, places, values = zip(*entries, strict=True)
    C = sp.csr_array((values, (rows, places)), shape=(count, at.width))
    return NormLimit(C=C, e=np.zeros(count), f=f, g=g, name=name)
