"""One seed: a nice program, a hostile form of it, and how far privopt is from the reference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.differential.hostile import Hostile, hostile
from tests.differential.nice import Generator, Matrix, nice
from tests.differential.reference import Margin, Value, plain_value, plan_value

import privopt as po

SECONDS = 60.0
WRONG = 1e-6  # relative


@dataclass(frozen=True)
class Verdict:
    """What came of one seed.

    `end` is "agree", "wrong", "apart" (the two solvers of the reference differ), or an error; of a
    decision see `decided`, and `slacks` are those of its rows, its facets and its exact solution.
    """

    task: str
    seed: int
    end: str
    error: float
    kinds: tuple[str, ...]
    detail: str = ""
    slacks: tuple[float, ...] = ()


def compare(seed: int) -> list[Verdict]:
    """A plan, and the program without noise."""
    rng = np.random.default_rng([1, seed])
    made = nice(rng)
    form = hostile(rng, made)
    margins, name = _margins(rng, len(made.S))
    scale = float(2.0 ** rng.uniform(-8, -3))
    kinds = (*form.kinds, name)
    settings = po.Settings(time_limit=SECONDS)
    solved = _attempt(lambda: form.program.solve(settings))
    cost = getattr(solved, "cost", None)
    verdicts = [_verdict("solve", seed, form, kinds, cost, solved, plain_value(made))]
    norm = _column_norm(form.S, order=2 if name == "gaussian" else 1)
    privacy = _noise(name, alpha=scale / form.value / norm)
    plan = _attempt(
        lambda: po.solve(
            form.program, po.Linear(form.S), privacy, _feasibility(name), settings=settings
        )
    )
    law: Any = privacy.calibrate(len(made.S), scale / form.value)
    if isinstance(plan, po.Plan):
        law = plan.calibration
    value = plan_value(made, margins(law.scale * form.value, law.law.variance, law.law.bound))
    cost = getattr(plan, "cost", None)
    return [*verdicts, _verdict("plan", seed, form, kinds, cost, plan, value)]


def _margins(rng: Generator, p: int) -> tuple[Any, str]:
    """Margins as a function of scale, variance and bound of the noise; and what they are called."""
    names = ["unimodal", "box", "always", "gaussian", *(["exact"] if p == 1 else [])]
    name = str(rng.choice(names))

    def margin(scale: float, variance: float, bound: float) -> Margin:
        sigma = scale * math.sqrt(variance)
        if name == "box":
            each = 0.95 ** (1 / p)
            return Margin(sigma, half=-scale * math.log1p(-each))
        if name == "always":
            return Margin(sigma, half=scale * bound)
        if name == "exact":
            return Margin(sigma, half=scale * math.log(0.5 / 0.05))
        # sqrt(2 / (9 eta)), and the normal quantile at 0.95
        return Margin(
            sigma, factor=math.sqrt(2 / 0.45) if name == "unimodal" else 1.6448536269514722
        )

    return margin, name


def _feasibility(name: str) -> Any:
    if name == "box":
        return po.ExactBox(eta=0.05)
    if name == "always":
        return po.Always()
    return po.Analytic(eta=0.05, margin="unimodal" if name == "unimodal" else "exact")


def _noise(name: str, alpha: float) -> Any:
    if name == "gaussian":
        return po.Gaussian(epsilon=1.0, delta=1e-5, alpha=alpha)
    if name == "always":
        return po.TruncatedLaplace(epsilon=1.0, delta=0.01, alpha=alpha)
    return po.Laplace(epsilon=1.0, alpha=alpha)


def _column_norm(S: Matrix, order: int) -> float:
    return float(np.linalg.norm(S, order, axis=0).max())


def _attempt(make: Any) -> Any:
    """What is made, or the error, whatever it is."""
    try:
        return make()
    except Exception as error:
        return error


def _verdict(
    task: str, seed: int, form: Hostile, kinds: tuple[str, ...], cost: float | None, got: Any,
    value: Value,
) -> Verdict:  # fmt: skip
    def end(name: str, error: float = math.nan, detail: str = "") -> Verdict:
        return Verdict(task, seed, name, error, kinds, detail)

    if not value.agreed:
        return end("apart", value.apart, type(got).__name__)
    if cost is None:
        if isinstance(got, po.errors.InfeasibleError) and value.cost is None:
            return end("agree", 0.0, "infeasible")
        return end(type(got).__name__, detail=f"{got} {getattr(got, 'private', '')}"[:300])
    if value.cost is None:
        return end("wrong", math.inf, "a solution where there is none")
    error = (cost / form.kappa - value.cost) / value.size
    return end("agree" if abs(error) <= WRONG else "wrong", error)
