"""One instance as a drawing: released nodes, how each supply answers the noise, loading of lines.

Nodes are placed by `networks.placing.layout`: the same network always looks the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.errors import InfeasibleError, InputError, SolverError
from privopt.experiments.instance import SUPPLY, Instance, instance
from privopt.experiments.runner import stored
from privopt.experiments.study import streams
from privopt.feasibility import Analytic
from privopt.files import write_whole
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import solve
from privopt.networks.placing import layout
from privopt.noise import Laplace

__all__ = ["drawing", "write_drawing"]

LARGEST = 500  # nodes that can be told apart, and placed in a second


def drawing(drawn: Instance, plan: Plan, *, run: int, algorithm: str) -> dict[str, Any]:
    """Plain data of the drawing of a plan for an instance (private, like the plan)."""
    grid, n = drawn.grid, len(drawn.grid.number)
    place = layout(n, grid.source, grid.target)
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
