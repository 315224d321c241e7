"""One network, ours against the plain CVXPY model, in one run from the same matrices to (z, Z).

    python -m benchmarks.recourse 118_ieee --json
    python -m benchmarks.recourse 118_ieee --box
    python -m benchmarks.recourse --ladder

Both sides get matrices and are timed until z and Z are there, building and compilation included;
the first solve of a tiny program warms both up. They run in turn, and the fastest of up to 15 runs
(or of 12 s) counts for both alike. Peak memory is that of ours alone, in a process of its own; the
plain model is given up after ten minutes, or where it does not fit.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing as mp
import resource
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

import privopt as po
from benchmarks.programs import ALPHA, EPSILON, ETA, LADDER, Matrices, matrices

PATIENCE = 600.0
PLAIN_LIMIT = 300  # nodes beyond which the plain model is not even tried on two cores
REPEATS, SPENT = 15, 12.0  # runs at most, and seconds after which no other is begun


Solve = Callable[[], tuple[float, Any]]


def fastest(*solves: Solve) -> list[tuple[float, Any]]:
    """The fastest run and the result of each of some solves, run in turn.

    A machine that is slow for a while is slow for all of them.
    """
    runs = [[solve()] for solve in solves]
    while len(runs[0]) < REPEATS and sum(run[0] for own in runs for run in own) < SPENT:
        for own, solve in zip(runs, solves, strict=True):
            own.append(solve())
    return [(min(run[0] for run in own), own[0][1]) for own in runs]


def solver(data: Matrices, *, box: bool) -> Solve:
    """`po.solve`, from matrices, with its time."""
    noise = po.Laplace(epsilon=EPSILON, alpha=ALPHA)
    kind: Any = (
        po.SampledBox(eta=ETA, beta=0.01) if box else po.Analytic(eta=ETA, margin="unimodal")
    )

    def solve() -> tuple[float, Any]:
        started = time.perf_counter()
        program = po.ConvexProgram(
            linear=data.linear, quadratic=data.quadratic, A=data.A, b=data.b, G=data.G, d=data.d,
            lower=data.lower, upper=data.upper,
        )  # fmt: skip
        try:
            plan = po.solve(program, po.Identity(data.released), noise, kind, rng=0)
        except po.errors.InfeasibleError:
            plan = None
        return time.perf_counter() - started, plan

    return solve


def ours(data: Matrices, *, box: bool) -> dict[str, Any]:
    """What `po.solve` finds, and its time."""
    solve = solver(data, box=box)
    seconds, plan = solve()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # of one solve
    if seconds < SPENT:
        ((seconds, plan),) = fastest(solve)
    found: dict[str, Any] = {"seconds": seconds, "peak_mib": peak, "cost": None, "residual": None}
    if plan is None:
        return found
    found["cost"], found["residual"] = plan.cost, plan.residual
    found["deviation"] = plan.calibration.deviation
    if box:
        bounds, scale = plan.margins.box, plan.calibration.scale
        found["box"] = (scale * bounds.low, scale * bounds.high)
    return found


def both(data: Matrices, deviation: float, box: Any) -> dict[str, Any]:  # noqa: ANN401
    """The plain model and `po.solve`, in turn."""
    from benchmarks.peer import solve_plain

    factor = float(np.sqrt(2 / (9 * ETA)))

    def plain() -> tuple[float, float]:
        started = time.perf_counter()
        cost = solve_plain(data, deviation, factor=factor, box=box)[0]
        return time.perf_counter() - started, cost

    (plain_seconds, cost), (seconds, _) = fastest(plain, solver(data, box=box is not None))
    return {"plain_seconds": plain_seconds, "seconds": seconds, "cost": cost}


def _work(pipe: Connection, job: str, data: Matrices, arguments: tuple[Any, ...]) -> None:
    tiny = matrices("3_lmbd")
    if job == "ours":
        ours(tiny, box=bool(arguments[0]))
        found = ours(data, box=bool(arguments[0]))
    else:
        both(tiny, 0.1, None)
        found = both(data, *arguments)
    pipe.send(found)


def alone(job: str, data: Matrices, *arguments: Any) -> dict[str, Any] | None:  # noqa: ANN401
    """A job in a process of its own; None if it took too long or died."""
    here, there = mp.Pipe(duplex=False)
    worker = mp.get_context("spawn").Process(target=_work, args=(there, job, data, arguments))
    worker.start()
    there.close()
    try:
        return here.recv() if here.poll(PATIENCE) else None
    except EOFError:
        return None
    finally:
        worker.kill()
        worker.join()


def compare(network: str, *, box: bool = False, peer: bool = True) -> dict[str, Any]:
    """The row of one network."""
    data = matrices(network)
    mine = alone("ours", data, box)
    if mine is None:
        raise SystemExit(f"{network}: no answer in {PATIENCE:.0f} s")
    other = None
    if peer and mine["cost"] is not None and len(data.linear) <= 2 * PLAIN_LIMIT:
        other = alone("both", data, mine["deviation"], mine.get("box"))
    plain_seconds = None if other is None else other["plain_seconds"]
    seconds = mine["seconds"] if other is None else other["seconds"]
    return {
        "network": network,
        "noise_dimensions": data.noise_dimensions,
        "plain_seconds": plain_seconds,
        "privopt_seconds": seconds,
        "ratio": None if plain_seconds is None else plain_seconds / seconds,
        "relative_cost_difference": None
        if other is None
        else abs(mine["cost"] - other["cost"]) / abs(other["cost"]),
        "peak_mib": mine["peak_mib"],
        "max_row_violation": None if mine["residual"] is None else max(0.0, mine["residual"]),
        "outcome": "infeasible, certified" if mine["cost"] is None else "optimal",
    }


def line(row: dict[str, Any]) -> str:
    """A row of the ladder."""

    def shown(value: float | None, form: str) -> str:
        return "-" if value is None else format(value, form)

    return (
        f"{row['network']:<16} {row['noise_dimensions']:>6} {shown(row['plain_seconds'], '.2f'):>9}"
        f" {shown(row['privopt_seconds'], '.3f'):>10} {shown(row['ratio'], '.0f'):>6}"
        f" {shown(row['relative_cost_difference'], '.1e'):>10} {row['peak_mib']:>9.0f}"
        f" {shown(row['max_row_violation'], '.1e'):>10}  {row['outcome']}"
    )


def main() -> None:
    """Parse, compare, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("networks", nargs="*", help="PGLib names, such as 118_ieee")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--box", action="store_true", help="the sampled box instead of the margins")
    parser.add_argument("--ladder", action="store_true", help="all networks of the ladder")
    given = parser.parse_args()
    if not given.json:
        print(
            f"{'network':<16} {'p':>6} {'plain s':>9} {'privopt s':>10} {'ratio':>6} "
            f"{'cost diff':>10} {'peak MiB':>9} {'violation':>10}"
        )
    for network in given.networks or (LADDER if given.ladder else ("118_ieee",)):
        row = compare(network, box=given.box)
        print(json.dumps(row) if given.json else line(row), flush=True)


if __name__ == "__main__":
    main()
