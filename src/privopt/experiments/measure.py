"""Measuring one algorithm on one instance: violation, loss, time, and what is claimed."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

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
from privopt.experiments.study import Row, Study, Unit, streams
from privopt.mechanisms.baselines import output_perturbation
from privopt.mechanisms.planning import solve
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise import Laplace
from privopt.solving.threads import one_thread

__all__ = ["PaperTable", "attempt", "claimed"]

_ENDINGS: dict[type[PrivoptError], str] = {InfeasibleError: "infeasible", SolverError: "failed"}
_MORE = _ENDINGS | {
    NotImplementableError: "infeasible",
    UnboundedError: "failed",
    NotCertifiedError: "not certified",
}


class PaperTable(Study):
    """What both tables of the paper are asked, and a row of theirs."""

    epsilon: float
    alpha: float
    eta: float
    beta: float

    def measured(self, unit: Unit, program: ConvexProgram, query: Query, *, boxes: bool) -> Row:
        """One row, in percent. Infeasible and failed solves are rows too."""
        _, solver, draws = streams(self.seed, unit.network, unit.run)
        privacy = Laplace(epsilon=self.epsilon, alpha=self.alpha)
        row: Row = {"released": query.matrix(program).shape[0]}
        row |= dict.fromkeys(("violation", "affine_violation", "loss", "guarantee", "claims"))
        with attempt(row):
            if unit.algorithm == OUTPUT:
                baseline = output_perturbation(program, query, privacy)
                found = baseline.verify(self.samples, draws)
                row |= claimed(baseline.guarantee)
            else:
                kept = feasibility(unit.algorithm, boxes=boxes, eta=self.eta, beta=self.beta)
                plan = solve(program, query, privacy, kept, rng=solver)
                found = plan.verify(self.samples, draws)
                row["affine_violation"] = 100 * float(found.violation.value)
                row["loss"] = 100 * plan.loss
                row |= claimed(plan.guarantee)
            row["violation"] = 100 * float(found.completion.value)
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
