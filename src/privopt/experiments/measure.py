"""Measuring one algorithm on one instance: violation, loss, time, and what is claimed.

The loss of a plan is that of its affine solution, as the paper prints it; a decision has none, and
its loss is one after completion. `loss_of` says which: `AFFINE` or `COMPLETED`.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np

from privopt.claims.guarantee import Guarantee
from privopt.digits import finite
from privopt.errors import (
    InfeasibleError,
    NotImplementableError,
    PrivoptError,
    SolverError,
    UnboundedError,
)
from privopt.experiments.algorithms import MEASURED, OUTPUT, feasibility
from privopt.experiments.decisions import MEASUREMENTS, Decisions, decisions
from privopt.experiments.study import Row, Study, Unit, streams
from privopt.mechanisms.baselines import OutputPerturbation, output_perturbation
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import solve
from privopt.model.domain import Box
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise import Laplace
from privopt.solving.threads import one_thread

__all__ = ["AFFINE", "COMPLETED", "PaperTable", "attempt", "claimed"]

AFFINE, COMPLETED = "affine solution", "completion"

_ENDINGS: dict[type[PrivoptError], str] = {InfeasibleError: "infeasible", SolverError: "failed"}
_MORE = _ENDINGS | {NotImplementableError: "infeasible", UnboundedError: "failed"}


class PaperTable(Study):
    """What both tables of the paper are asked, and a row of theirs."""

    epsilon: float
    alpha: float
    eta: float
    beta: float

    def measured(
        self,
        unit: Unit,
        program: ConvexProgram,
        query: Query,
        *,
        boxes: bool,
        domain: Box,
    ) -> Row:
        """One row, in percent. Infeasible and failed solves are rows too.

        `boxes`: the paper's samples span a box; `domain`: where d can lie.
        """
        _, solver, draws = streams(self.seed, unit.network, unit.run)
        privacy = Laplace(epsilon=self.epsilon, alpha=self.alpha)
        row: Row = {"released": query.matrix(program).shape[0]}
        row |= dict.fromkeys(("violation", "affine_violation", "loss", "guarantee", "claims"))
        row |= {"loss_of": AFFINE, "undecided": None}
        with attempt(row):
            if unit.algorithm == OUTPUT:
                row |= _perturbed(output_perturbation(program, query, privacy), self.samples, draws)
                return row
            kept = feasibility(unit.algorithm, boxes=boxes, eta=self.eta, beta=self.beta)
            if unit.algorithm == MEASURED:
                count = min(self.samples, MEASUREMENTS)
                made = decisions(
                    program, query, privacy, kept, domain=domain, rng=draws, count=count
                )
                row |= _decided(made)
            else:
                plan = solve(program, query, privacy, kept, rng=solver)
                row |= _planned(plan, self.samples, draws)
        return row


def _perturbed(baseline: OutputPerturbation, samples: int, draws: np.random.Generator) -> Row:
    found = baseline.verify(samples, draws)
    return {"violation": 100 * float(found.completion.value), **claimed(baseline.guarantee)}


def _planned(plan: Plan, samples: int, draws: np.random.Generator) -> Row:
    found = plan.verify(samples, draws)
    return {
        "violation": 100 * float(found.completion.value),
        "affine_violation": 100 * float(found.violation.value),
        "loss": 100 * plan.loss,
        **claimed(plan.guarantee),
    }


def _decided(found: Decisions) -> Row:
    return {
        "violation": 100 * found.violation,
        "loss": finite(100 * found.loss.value),
        "loss_of": COMPLETED,
        "undecided": 100 * found.undecided,
        **claimed(found.guarantee),
    }


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
