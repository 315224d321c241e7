"""Simulated decisions are those of `decide`, judged at d as an independent solver judges them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

import privopt as po
from privopt.arrays import Vector
from privopt.errors import InfeasibleError
from privopt.experiments import decisions as module
from privopt.experiments.decisions import Decisions, decisions
from privopt.kernel.measurement import Measurement

NOISE, KEPT = po.Laplace(epsilon=1.0, alpha=0.1), po.ExactBox(eta=0.025)
DRAWN = po.experiments.instance("3_lmbd", 1)


@pytest.fixture(scope="module")
def made() -> Decisions:
    return simulated()


def simulated(count: int = 2) -> Decisions:
    rng = np.random.default_rng(4)
    return decisions(
        DRAWN.program, DRAWN.query, NOISE, KEPT, domain=DRAWN.domain, rng=rng, count=count
    )


def completed(values: Vector | None) -> float:
    """Least cost at d, with the released values if there are some, in plain CVXPY."""
    program = DRAWN.program
    z = cp.Variable(program.n)
    rows: list[Any] = [program.A @ z <= program.b, program.G @ z == program.d]
    for side, sign in ((program.lower, -1.0), (program.upper, 1.0)):
        known = np.isfinite(side)
        rows.append(sign * z[known] <= sign * side[known])
    if values is not None:
        rows.append(DRAWN.query.matrix(program) @ z == values)
    squares = cp.sum(cp.multiply(program.quadratic.diagonal(), cp.square(z)))
    return float(cp.Problem(cp.Minimize(program.linear @ z + squares), rows).solve())


def test_each_is_what_decide_makes_of_that_measurement(made: Decisions) -> None:
    for one in made.made:
        (measurement,) = one.measurements
        read = Measurement.from_dict(measurement.to_dict())  # its values lie on the grid
        again = po.decide(DRAWN.program, DRAWN.query, read, KEPT)
        assert np.array_equal(one.values, again.values)
        assert one.check().excess <= 0
    assert made.asked == len(made.made) == 2
    assert not np.array_equal(*made.values)


def test_the_noise_is_that_of_the_instrument_round_the_true_sums() -> None:
    many = [one.measurements[0] for one in simulated(12).made]
    off = [one.values - one.W @ DRAWN.program.d for one in many]
    scale = 0.1 / 1.0  # alpha / epsilon, of sums whose columns have norm one
    assert 0.2 * scale < np.abs(off).mean() < 5 * scale


def test_the_loss_is_that_of_the_completed_solution_at_d(made: Decisions) -> None:
    best = completed(None)
    losses = [(completed(values) - best) / abs(best) for values in made.values]
    assert made.loss.value == pytest.approx(np.mean(losses), rel=1e-4, abs=1e-7)
    answer = DRAWN.query.matrix(DRAWN.program) @ DRAWN.program.solve().z
    far = np.linalg.norm(made.values - answer, axis=1)
    assert made.distance == pytest.approx(np.sqrt(np.mean(far**2)))
    assert made.violation == made.undecided == 0.0


def test_values_that_no_solution_has_are_counted(made: Decisions) -> None:
    none: Any = SimpleNamespace(values=np.full_like(made.values[0], 4.0))  # a supply is at most 3
    half = replace(made, made=(made.made[0], none))
    assert half.violation == 0.5
    assert half.loss.without == 1


def test_measurements_without_a_decision_are_counted_and_none_at_all_is_an_error(
    made: Decisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([None, made.made[0], None, None])

    def now_and_then(*_: object) -> po.Decision:
        one = next(answers)
        if one is None:
            raise InfeasibleError("nothing here.", "", "")
        return one

    monkeypatch.setattr(module, "decided_by", now_and_then)
    assert simulated(2).undecided == 0.5
    with pytest.raises(InfeasibleError, match="nothing here"):
        simulated(2)


@pytest.mark.parametrize("best", ["total", "each"])
def test_measured_is_what_screening_likes_best(best: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {"total": 1, "each": 3}[best]
    monkeypatch.setattr(module, "guess", lambda _task, _H, W, _: abs(len(W) - rows))
    assert simulated(1).sums == best


def test_nothing_is_never_what_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "guess", lambda _task, _H, W, _: float(len(W)))
    assert simulated(1).sums == "total"
