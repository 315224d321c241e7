"""`po.design` on the paper's instances: time, noise level and cost, and what else was asked for.

    python -m benchmarks.design 14_ieee 57_ieee 118_ieee
    python -m benchmarks.design 118_ieee --floor 1
    python -m benchmarks.design 118_ieee --rank 6 --json

Timed from the program to the policy, in one process; the optima at draws of the prior, behind
`loss` and `distance`, are included. The first design of a tiny program warms up.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any, Literal

import privopt as po
from benchmarks.programs import ALPHA, EPSILON, ETA

Margin = Literal["exact", "unimodal"]


def designed(
    name: str, seed: int, floor: float, rank: int | None, margin: Margin
) -> dict[str, Any]:
    """One design with its time."""
    drawn = po.experiments.instance(name, seed)
    noise = po.Laplace(epsilon=EPSILON, alpha=ALPHA)
    started = time.perf_counter()
    policy = po.design(
        drawn.program,
        drawn.query,
        noise,
        po.Analytic(eta=ETA, margin=margin),
        domain=drawn.domain,
        floor=floor,
        structure=None if rank is None else po.Shared(rank),
        rng=0,
    )
    seconds = time.perf_counter() - started
    return {
        "network": name, "seed": seed, "released": len(policy.names), "seconds": seconds,
        "s": policy.sensitivity, "loss": policy.loss, "distance": policy.distance,
        "residual": policy.residual,
    }  # fmt: skip


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description="po.design on the paper's instances.")
    parser.add_argument("networks", nargs="*", default=["14_ieee", "39_epri", "57_ieee"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--floor", type=float, default=0.0)
    parser.add_argument("--rank", type=int, default=None)
    parser.add_argument("--exact", action="store_true", help="exact margins, not unimodal ones")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    margin: Margin = "exact" if asked.exact else "unimodal"
    designed("3_lmbd", 0, 0.0, None, margin)
    if not asked.json:
        print(f"{'network':14} {'p':>4} {'seconds':>8} {'s':>8} {'loss':>8} {'distance':>9}")
    for name in asked.networks:
        row = designed(name, asked.seed, asked.floor, asked.rank, margin)
        if asked.json:
            print(json.dumps(row))
        else:
            print(
                f"{name:14} {row['released']:4} {row['seconds']:8.2f} {row['s']:8.4f} "
                f"{100 * row['loss']:7.3f}% {row['distance']:9.4f}"
            )


if __name__ == "__main__":
    main()
