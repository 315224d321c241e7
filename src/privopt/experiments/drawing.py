"""One instance as a drawing: released nodes, how each supply answers the noise, loading of lines.

Nodes are placed by stress majorisation (SMACOF) of the distances in the network,

    minimise sum_(i<j) (|x_i - x_j| - d_ij)^2 / d_ij^2,      d_ij = lines on the shortest path,

started from classical scaling, so that the same network always looks the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path

from privopt.arrays import Dense
from privopt.errors import InfeasibleError, InputError, SolverError
from privopt.experiments.instance import SUPPLY, Grid, Instance, instance
from privopt.experiments.runner import stored
from privopt.experiments.study import streams
from privopt.feasibility import Analytic
from privopt.files import write_whole
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import solve
from privopt.noise import Laplace

__all__ = ["drawing", "layout", "write_drawing"]

_ROUNDS = 300
LARGEST = 500  # nodes that can be told apart, and placed in a second


def drawing(drawn: Instance, plan: Plan, *, run: int, algorithm: str) -> dict[str, Any]:
    """Plain data of the drawing of a plan for an instance (private, like the plan)."""
    grid, n = drawn.grid, len(drawn.grid.number)
    place = layout(grid)
    Z = plan.calibration.deviation * np.asarray(plan.recourse)
    deviation = np.linalg.norm(Z[:n], axis=1)
    flows: Any = sp.diags_array(grid.beta) @ grid.incidence
    flow = np.abs(np.asarray(flows @ plan.expected[n:]))
    spread = np.linalg.norm(np.asarray(flows @ Z[n:]), axis=1)
    return {
        "network": drawn.name,
        "run": run,
        "algorithm": algorithm,
        "nodes": [
            {
                "bus": int(grid.number[i]),
                "released": i in drawn.released,
                "supply": float(plan.expected[i]),
                "deviation": float(deviation[i]),
                "limit": SUPPLY[1],
                "x": float(place[i, 0]),
                "y": float(place[i, 1]),
            }
            for i in range(n)
        ],
        "edges": [
            {
                "from": int(grid.number[grid.source[k]]),
                "to": int(grid.number[grid.target[k]]),
                "loading": float(flow[k] / grid.rate[k]),
                "deviation": float(spread[k] / grid.rate[k]),
            }
            for k in range(len(grid.source))
        ],
    }


def layout(grid: Grid) -> Dense:
    """Positions of the nodes in the unit square."""
    n, count = len(grid.number), len(grid.source)
    links = sp.csr_array((np.ones(count), (grid.source, grid.target)), shape=(n, n))
    far = np.asarray(shortest_path(links, directed=False, unweighted=True))
    far = np.where(np.isfinite(far), far, 1.5 * far[np.isfinite(far)].max(initial=1.0))
    centre = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centre @ far**2 @ centre)
    x = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-9))
    x *= np.where(np.abs(x).max(axis=0) == x.max(axis=0), 1.0, -1.0)  # the sign is free: fix it
    np.fill_diagonal(far, 1.0)
    weight = far**-2.0
    np.fill_diagonal(weight, 0.0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    inverse = np.linalg.pinv(laplacian)
    for _ in range(_ROUNDS):
        apart = np.linalg.norm(x[:, None] - x[None], axis=2)
        pull = -weight * far / np.maximum(apart, 1e-9)
        np.fill_diagonal(pull, 0.0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        x = inverse @ (pull @ x)
    x = x - x.min(axis=0)
    if x[:, 1].max() > x[:, 0].max():  # pages are wider than high
        x = x[:, ::-1]
    return x / max(float(x.max()), 1e-9)


def check_drawing(out: Path) -> None:
    """Refuse if the folder has a `drawing.json` that no study wrote."""
    path = out / "drawing.json"
    if path.is_file() and not {"nodes", "edges"} <= stored(path).keys():
        raise InputError(
            f"{path} is there already, and no study wrote it.",
            "a folder for the results, without a file of someone else under this name.",
            "pass another folder with --out, or replace it with --overwrite.",
        )


def write_drawing(out: Path, network: str, seed: int) -> None:
    """Write `drawing.json`: the paper's plan for the first instance of a network that has one.

    A network of more than 500 nodes is not drawn.
    """
    path = out / "drawing.json"
    large = len(instance(network, 0).grid.number) > LARGEST
    for run in range(0 if large else 10):
        first, second, _ = streams(seed, network, run)
        drawn = instance(network, first)
        try:
            plan = solve(
                drawn.program,
                drawn.query,
                Laplace(epsilon=1.0, alpha=0.1),
                Analytic(eta=0.025, margin="unimodal"),
                rng=second,
            )
        except (InfeasibleError, SolverError):
            continue
        content = drawing(drawn, plan, run=run, algorithm="PIQ-a")
        write_whole(path, (json.dumps(content, indent=1) + "\n").encode())
        return
    path.unlink(missing_ok=True)
