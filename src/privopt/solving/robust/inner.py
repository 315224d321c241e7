"""A point well inside a region, near to what was measured: where draws can begin.

    minimise t - 4 s    |y - W u| <= t scale,   s <= 1
                        u inside the box and the slabs of the region by the part s of their widths

One linear program, in units of the widths: a start and nothing else, so its precision does not
matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Vector
from privopt.solving.highs import WarmLP
from privopt.solving.robust.region import Region

__all__ = ["inner"]

_INSIDE = 4.0  # noise scales that a place in the middle is worth


def inner(region: Region, W: Dense, y: Vector, scale: Vector) -> Vector:
    """The point; the middle of the box where the region has none.

    Parameters
    ----------
    W, y, scale
        What was measured, with noise of which scale.
    """
    q, r, k = len(region.half), len(region.W), len(W)
    width = 0.5 * (region.high - region.low)
    scale = np.maximum(scale, 1e-12 * (np.abs(W) @ region.half + np.abs(y)))
    seen, off = W * region.half / scale[:, None], (y - W @ region.middle) / scale
    reach = np.abs(region.W) @ region.half
    reach[reach == 0] = 1.0
    slabs, part = region.W * region.half / reach[:, None], (width / reach)[:, None]
    t, s = np.ones((k, 1)), np.ones((q, 1))
    none = np.zeros((q, 1))
    rows: Any = np.vstack(
        [
            np.hstack([seen, t, np.zeros((k, 1))]),
            np.hstack([seen, -t, np.zeros((k, 1))]),
            np.hstack([slabs, np.zeros((r, 1)), part]),
            np.hstack([slabs, np.zeros((r, 1)), -part]),
            np.hstack([np.eye(q), none, s]),
            np.hstack([np.eye(q), none, -s]),
        ]
    )
    far, one = np.full(k, np.inf), np.ones(q)
    low = [off, -far, np.full(r, -np.inf), region.low / reach, -np.inf * one, -one]
    high = [far, off, region.high / reach, np.full(r, np.inf), one, np.inf * one]
    ends = np.append(one, [np.inf, 1.0])
    cost = np.append(np.zeros(q), [1.0, -_INSIDE])
    lower = np.append(-one, [0.0, 0.0])
    program = WarmLP(
        cost, sp.csr_array(rows), np.concatenate(low), np.concatenate(high), lower, ends
    )
    answer = program.solve()
    if answer is None or len(answer.x) != q + 2:
        return region.middle
    return region.middle + region.half * np.clip(answer.x[:q], -1.0, 1.0)
