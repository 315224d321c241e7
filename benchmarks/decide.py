"""`measure` and `decide` on the paper's instances, beside the plain CVXPY model, in one run.

    python -m benchmarks.decide 14_ieee 39_epri 57_ieee 118_ieee
    python -m benchmarks.decide 118_ieee --sums each --choose --json

| column | seconds of |
|---|---|
| measure | `instrument.measure(d)` without a ledger: exact sums, secure noise |
| first | `po.decide` with a program that nothing was done with before, all preparations included |
| again | `po.decide` with the same program and other measurements |
| draws | what both sides do alike, and both times include: U(y) and 160 posterior draws |
| plain | the whole model in CVXPY with Clarabel, at the same draws (`tests/mechanisms/measured`) |
| choose | `po.choose_instrument` (`--choose`) |

Medians over the measurements; `ratio` is that of plain to again. `decide` does more than the plain
model: it looks at its certificate in exact fractions, and at its loss on fresh draws. `difference`
is that of the two objectives at the first measurement, relative to the optimal one. The plain model
runs in a process of its own that is ended after --limit seconds; then no larger one is tried.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np
from tests.mechanisms.measured.cases import Case, objective, plain

import privopt as po
from benchmarks.programs import ALPHA, EPSILON, ETA
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.deciding import DRAWS
from privopt.solving.threads import one_thread

_SECONDS = ("measure", "first", "again", "draws", "plain", "ratio", "difference", "choose")
_CPU = "PRIVOPT_BENCHMARK_CPU"  # tells the other process, too
_LINE = "{:12} {:>8} {:>8} {:>8} {:>8} {:>9} {:>7} {:>10} {:>8}"


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and what came out."""
    clock = time.process_time if os.environ.get(_CPU) else time.perf_counter
    started = clock()
    made = work()
    return clock() - started, made


def subject(network: str, sums: str, seed: int) -> Case:
    """The paper's instance, with what is measured of it."""
    drawn = po.experiments.instance(network, seed)
    count = len(drawn.program.private)
    W = np.ones((1, count)) if sums == "total" else np.eye(count)
    noise, promise = po.Laplace(epsilon=EPSILON, alpha=ALPHA), po.ExactBox(eta=ETA)
    return Case(drawn.program, drawn.query, drawn.domain, noise, (W,), promise, 0.0)


def without_fixed(one: Case) -> Case:
    """The same without the variables that are fixed at zero, which the plain model has no rows for.

    They are the angle and the supply of the reference node.
    """
    program = one.program
    fixed = program.lower == program.upper
    if program.lower[fixed].any():
        raise ValueError("a variable is fixed, and not at zero")
    kept = np.flatnonzero(~fixed)
    S: Any = one.query.matrix(program)
    smaller = po.ConvexProgram(
        linear=program.linear[kept], quadratic=program.quadratic[kept][:, kept],
        A=program.A[:, kept], b=program.b, G=program.G[:, kept], d=program.d,
        lower=program.lower[kept], upper=program.upper[kept], private=program.private,
    )  # fmt: skip
    return replace(one, program=smaller, query=po.Linear(S[:, kept]))


def measured(one: Case, run: int) -> list[po.Measurement]:
    """A simulated measurement; the same ones in every process."""
    return one.simulated(one.program.d[one.program.private], np.random.default_rng(run))


def ours(network: str, sums: str, seed: int, runs: int) -> tuple[dict[str, float], po.Decision]:
    """Median seconds of our side, and the first decision."""
    one = subject(network, sums, seed)
    instrument = one.instruments[0]
    measuring = [timed(lambda: instrument.measure(one.program.d))[0] for _ in range(50)]
    given = [measured(one, run) for run in range(runs)]
    one = subject(network, sums, seed)  # nothing is known of this program
    first, decision = timed(lambda: one.decide(given[0]))
    again = [timed(lambda y=y: one.decide(y))[0] for y in given]
    drawing = [timed(lambda y=y: _drawn(one, y))[0] for y in given]
    seconds = {
        "measure": median(measuring), "first": first, "again": median(again),
        "draws": median(drawing),
    }  # fmt: skip
    return seconds, decision


def _drawn(one: Case, given: list[po.Measurement]) -> None:
    """The part of both sides that is the same."""
    with one_thread():
        belief = Belief.of(given, one.program)
        belief.draws(DRAWS, np.random.default_rng(0), within=belief.region(one.feasibility))


def theirs(network: str, sums: str, seed: int, runs: int, q: Any, answer: Any) -> None:  # noqa: ANN401
    """In a process of its own: seconds of the plain model, and how far q is from its optimum."""
    one = without_fixed(subject(network, sums, seed))
    small = without_fixed(subject("3_lmbd", sums, 0))
    plain(small, measured(small, 0))  # warms up
    seconds: list[float] = []
    first = None
    for run in range(runs):
        given = measured(one, run)
        taken, model = timed(lambda given=given: plain(one, given))
        seconds.append(taken)
        first = first or model
    if first is None or first.q is None:
        answer.send({"plain": median(seconds)})
        return
    difference = (objective(one, q, first) - first.value) / abs(first.value)
    answer.send({"plain": median(seconds), "difference": difference})


def limited(limit: float, *given: Any) -> dict[str, float] | None:  # noqa: ANN401
    """What `theirs` sends, or None after so many seconds."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe(duplex=False)
    process = spawn.Process(target=theirs, args=(*given, there))
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(limit) else None
    except EOFError:  # it ended without an answer: no memory, or an error that it has printed
        return None
    finally:
        process.kill()
        process.join()


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("networks", nargs="*", default=["14_ieee", "39_epri", "57_ieee"])
    parser.add_argument("--sums", choices=("total", "each"), default="total")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=int, default=5, help="measurements of each side")
    parser.add_argument("--peer", type=int, default=1, help="of the plain model")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for the plain model")
    parser.add_argument("--choose", action="store_true", help="choose_instrument, too")
    parser.add_argument(
        "--cpu", action="store_true", help="time on the processor, where it is busy"
    )
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if asked.cpu:
        os.environ[_CPU] = "1"
    ours("3_lmbd", asked.sums, 0, 1)  # loads what is loaded once
    if not asked.json:
        print(_LINE.format("network", *_SECONDS))
    beyond = ""  # the network at which the plain model took too long
    for name in asked.networks:
        row, decision = ours(name, asked.sums, asked.seed, asked.runs)
        if not beyond:
            side = limited(
                asked.limit, name, asked.sums, asked.seed, asked.peer, np.array(decision.values)
            )
            beyond = "" if side else name
            if side:
                row |= side | {"ratio": side["plain"] / row["again"]}
        if asked.choose:
            one = subject(name, asked.sums, asked.seed)
            row["choose"], _ = timed(
                lambda one=one: po.choose_instrument(
                    one.program, one.query, one.privacy, one.feasibility, domain=one.domain
                )
            )
        told = {"network": name, "sums": asked.sums, **row}
        print(json.dumps(told) if asked.json else _told(name, row), flush=True)
    if beyond:
        print(f"the plain model gave no answer within {asked.limit:g} s on {beyond}; no larger one "
              "was tried")  # fmt: skip


def _told(name: str, row: dict[str, float]) -> str:
    digits = {"measure": ".5f", "ratio": ".1f", "difference": ".1e"}
    shown = [format(row[what], digits.get(what, ".3f")) if what in row else "" for what in _SECONDS]
    return _LINE.format(name, *shown)


if __name__ == "__main__":
    main()
