"""Measuring one algorithm on one instance: violation, loss, time, and what is claimed."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np

from privopt.claims.guarantee import Guarantee
from privopt.errors import (
    InfeasibleError,
    NotCertifiedError,
    NotImplementableError,
    PrivoptError,
    SolverError,
    UnboundedError,
)
from privopt.experiments.algorithms import OUTPUT, feasibility
from privopt.experiments.study import Row
from privopt.mechanisms.baselines import output_perturbation
from privopt.mechanisms.planning import solve
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise import Laplace
from privopt.solving.threads import one_thread

__all__ = ["attempt", "claimed", "measure"]

_ENDINGS: dict[type[PrivoptError], str] = {InfeasibleError: "infeasible", SolverError: "failed"}
_MORE = _ENDINGS | {
    NotImplementableError: "infeasible",
    UnboundedError: "failed",
    NotCertifiedError: "not certified",
}


def measure(
    program: ConvexProgram,
    query: Query,
    algorithm: str,
    *,
    privacy: Laplace,
    boxes: bool,
    eta: float,
    beta: float,
    samples: int,
    solver: np.random.Generator,
    draws: np.random.Generator,
) -> Row:
    """One row, in percent. Infeasible and failed solves are rows too."""
    row: Row = {"released": query.matrix(program).shape[0]}
    row |= dict.fromkeys(("violation", "affine_violation", "loss", "guarantee", "claims"))
    with attempt(row):
        if algorithm == OUTPUT:
            baseline = output_perturbation(program, query, privacy)
            row["violation"] = 100 * float(baseline.verify(samples, draws).completion.value)
            row |= claimed(baseline.guarantee)
        else:
            kept = feasibility(algorithm, boxes=boxes, eta=eta, beta=beta)
            plan = solve(program, query, privacy, kept, rng=solver)
            found = plan.verify(samples, draws)
            row["violation"] = 100 * float(found.completion.value)
            row["affine_violation"] = 100 * float(found.violation.value)
            row["loss"] = 100 * plan.loss
            row |= claimed(plan.guarantee)
    return row


@contextmanager
def attempt(row: Row, *, tell: bool = False) -> Generator[None]:
    """Fill a row: how the solve inside ended, and how long it took.

    On one thread, so that it rounds the same everywhere. `tell`: every way to end without an answer
    is a status, and the first sentence of the error is the row's `reason`.
    """
    endings = _MORE if tell else _ENDINGS
    started = time.perf_counter()
    row["status"] = "solved"
    with one_thread():
        try:
            yield
        except PrivoptError as error:
            how = next((text for kind, text in endings.items() if isinstance(error, kind)), None)
            if how is None:
                raise
            row["status"] = how
            if tell:
                row["reason"] = error.got.partition(". ")[0].rstrip(".")
    row["seconds"] = time.perf_counter() - started


def claimed(guarantee: Guarantee) -> Row:
    """What is claimed, for those who read the file and, in numbers, for the report."""
    return {
        "guarantee": f"{guarantee.privacy}; {guarantee.feasibility}",
        "claims": guarantee.to_dict(),
    }
