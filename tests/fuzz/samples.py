"""Whole files, made once by the library itself: what the inputs are damaged from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from tests.ledger.requests import request
from tests.networks import cases
from tests.report.example import write_example

import privopt as po
from privopt.experiments import Table1
from privopt.experiments import run as run_study
from privopt.experiments.drawing import write_drawing
from privopt.ledger import Budget, Ledger
from privopt.networks import locate

PROGRAM = po.ConvexProgram(
    linear=[1, 2, 1], quadratic=[1, 1, 0.5], A=[[1, -1, 0]], b=[25], G=[[1, 1, 0], [0, 1, 1]],
    d=[1.5, 1.5], lower=-9, upper=9,
)  # fmt: skip
STUDY = Table1(networks=("3_lmbd",), algorithms=("OP",), runs=2, samples=10)
LIMIT, SPENT = Fraction(1), Fraction(9, 10)
HAND = b"""{"privopt": "program", "version": 1, "linear": [1, 2, 3], "G": [[1, 1, 1]], "lower": 0,
"upper": 4, "names": ["x", "y", "w"], "A": [[1, -1, 0]], "b": [3], "quadratic": [1, 1, 1]}"""
JOB = b"""[program]
file = "program.json"
[data]
values = [1.5, 1.5]
[query]
identity = ["z[0]"]
[privacy]
noise = "laplace"
epsilon = 1.0
alpha = 0.1
[feasibility]
kind = "exact-box"
eta = 0.05
[domain]
lower = 1.0
upper = 2.0
"""


@dataclass(frozen=True)
class Samples:
    """Whole files, made once."""

    program: bytes
    releases: tuple[bytes, ...]
    measured: dict[str, bytes]
    ledger: bytes
    cases: tuple[bytes, ...]
    study: dict[str, bytes]
    results: dict[str, bytes]


@cache
def samples() -> Samples:
    """Made by the library itself."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        noises = (
            po.Laplace(epsilon=1, alpha=0.1),
            po.TruncatedLaplace(epsilon=1, delta=1e-3, alpha=0.1),
        )
        kept = po.Analytic(eta=0.05)
        plans = [po.solve(PROGRAM, po.Identity([0]), noise, kept) for noise in noises]
        with Ledger(folder / "ledger", Budget(1), dataset="loads") as ledger:
            released = [plan.release() for plan in plans]
            for key in range(9):
                ledger.charge(request("0.1"), lambda _: b"released", f"key {key}")
            with Ledger(folder / "other", Budget(2)) as other:
                released.append(plans[0].release(other, "k"))
        releases = tuple(_saved(one, folder / "release") for one in released)
        buses = [cases.bus(1, 3, 30), cases.bus(2, 1, 50, 5), cases.bus(7, 2, 20)]
        gens = [cases.gen(1, 200), cases.gen(7, 150, 10)]
        lines = [cases.branch(1, 2, rate=100), cases.branch(2, 7, r=0.01), cases.branch(1, 7)]
        costs = [cases.polynomial(0.1, 2, 3), cases.piecewise(0, 0, 50, 100, 150, 400)]
        case = cases.write(folder / "case.m", buses, gens, lines, costs).read_bytes()
        run_study(STUDY, folder / "study")
        write_drawing(folder / "study", "3_lmbd", 0)
        study = {path.name: path.read_bytes() for path in (folder / "study").iterdir()}
        (folder / "results").mkdir()
        write_example(folder / "results")
        results = {
            path.name: _shortened(path) for path in (folder / "results").iterdir()
        }  # fmt: skip
        return Samples(
            program=_saved(po.PublicProgram(PROGRAM), folder / "program"),
            releases=releases,
            measured=_measured(folder),
            ledger=(folder / "ledger").read_bytes(),
            cases=(case, locate("3_lmbd").read_bytes()),
            study=study,
            results=results,
        )


def _measured(folder: Path) -> dict[str, bytes]:
    """An instrument, its measurement, and the decision that follows."""
    noise, box = po.Laplace(epsilon=1, alpha=0.1), po.Box(1.0, 2.0)
    W = {"total": [0, 1]}
    instrument = po.Instrument(W, program=PROGRAM, privacy=noise, domain=box)
    measured = instrument.measure([1.5, 1.5])
    decision = po.decide(PROGRAM, po.Identity([0]), measured, po.ExactBox(eta=0.05))
    return {one.kind: _saved(one, folder / one.kind) for one in (instrument, measured, decision)}


def _saved(thing: Any, path: Path) -> bytes:
    thing.save(path)
    return path.read_bytes()


def _shortened(path: Path) -> bytes:
    """A few rows of each file: an experiment's are long."""
    if path.suffix == ".parquet":
        pd.read_parquet(path).iloc[:200:20].to_parquet(path)
    elif path.name != "timings.json":
        data = json.loads(path.read_bytes())
        if "rows" in data:
            data["rows"] = data["rows"][:6]
        path.write_text(json.dumps(data))
    return path.read_bytes()
