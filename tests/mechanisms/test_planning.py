"""Starting from a plan of a similar program: the same optimum, or a refusal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.solving import solver

FEW = po.Scenario(eta=0.025, beta=0.01, samples=200)
NOISE = po.Laplace(epsilon=1.0, alpha=0.1)


@pytest.mark.parametrize(
    "kind",
    [
        po.Analytic(eta=0.05, margin="unimodal"),
        po.Analytic(eta=0.05),
        po.ExactBox(eta=0.1),
        po.Scenario(eta=0.1, beta=0.1, samples=50),
    ],
    ids=["unimodal", "exact", "box", "scenarios"],
)
def test_a_start_changes_nothing_but_rounding(kind: Any) -> None:
    """Another cost, another d, another noise and another objective, from the same plan."""
    first = po.experiments.instance("14_ieee", 0)
    start = po.solve(first.program, first.query, NOISE, po.Analytic(eta=0.02, margin="unimodal"))
    other = po.experiments.instance("14_ieee", 5)
    for program, noise in ((first.program, po.Laplace(epsilon=2.0, alpha=0.1)),
                           (other.program, NOISE)):  # fmt: skip
        known = po.solve(program, first.query, noise, kind, rng=1)
        found = po.solve(program, first.query, noise, kind, rng=1, start=start)
        assert found.cost == pytest.approx(known.cost, rel=1e-7)
        assert found.residual <= 1e-8


@pytest.mark.parametrize("phi", [0.3, 0.9])
def test_a_sweep_over_phi(phi: float) -> None:
    drawn = po.experiments.instance("39_epri", 2, quadratic=None)
    kind = po.Analytic(eta=0.05, margin="unimodal")
    start = po.solve(drawn.program, drawn.query, NOISE, kind)
    for aim in (po.CostDeviation(phi=phi), po.SolutionDeviation(phi=phi)):
        known = po.solve(drawn.program, drawn.query, NOISE, kind, objective=aim)
        found = po.solve(drawn.program, drawn.query, NOISE, kind, objective=aim, start=start)

        def worth(plan: po.Plan, aim: Any = aim) -> float:
            cost = isinstance(aim, po.CostDeviation)
            spread = plan.cost_deviation if cost else plan.solution_deviation
            return (1 - phi) * plan.cost + phi * spread

        assert worth(found) == pytest.approx(worth(known), rel=1e-6)


def test_a_start_of_another_program_is_refused() -> None:
    one, other = po.experiments.instance("3_lmbd", 0), po.experiments.instance("14_ieee", 0)
    kind = po.Analytic(eta=0.05)
    start = po.solve(other.program, other.query, NOISE, kind)
    wrong: Any
    for wrong in (start, "a plan"):
        with pytest.raises(po.errors.InputError, match="start is no plan"):
            po.solve(one.program, one.query, NOISE, kind, start=wrong)


class Clock:
    """A clock that only conic solves move, by a quarter of an hour each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.solves, real = 0, solver.clarabel.DefaultSolver

        def begun(*parts: Any) -> Any:
            self.solves += 1
            return real(*parts)

        monkeypatch.setattr(solver.clarabel, "DefaultSolver", begun)

    def now(self) -> float:
        return 900.0 * self.solves


def test_a_time_limit_holds_for_the_whole_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, clock = po.experiments.instance("14_ieee", 0), Clock(monkeypatch)

    def solves(limit: float | None) -> int:
        before, settings = clock.solves, po.Settings(time_limit=limit).started(clock.now)
        for _ in range(1 if limit is None else 2):  # the clock starts with each solve
            po.solve(drawn.program, drawn.query, NOISE, FEW, rng=0, settings=settings)
        return clock.solves - before

    needed = solves(None)
    assert needed > 4
    assert solves(900.0 * needed) == 2 * needed
    before = clock.solves
    with pytest.raises(po.errors.SolverError) as caught:
        solves(900.0 * (needed - 2))
    assert clock.solves - before == needed - 2
    assert caught.value.private is not None
    assert "time limit was reached" in caught.value.private.reveal()


@pytest.mark.parametrize(
    ("seed", "sensitivity"),
    [(3, 3.5430604265218997), (15, 2.5912), (15, 2.5938), (15, 2.599)],
)
def test_hardly_infeasible_is_infeasible(
    seed: int, sensitivity: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The least excess of a row is too small for the solver to find: the certificate tells.

    What is tried without it takes 15 solves and more, and may end without an answer.
    """
    clock = Clock(monkeypatch)
    instance = po.experiments.instance("14_ieee", seed)
    d = np.array(instance.program.d)
    d[instance.program.private] = 0.5 * (instance.domain.lower + instance.domain.upper)
    noise = po.Laplace(epsilon=1.0, alpha=0.1, sensitivity=po.Assumed(sensitivity))
    margins = po.Analytic(eta=0.025, margin="unimodal")
    with pytest.raises(po.errors.InfeasibleError):
        po.solve(instance.program.at(d), instance.query, noise, margins)
    assert clock.solves == 2  # without noise, and with it


def escape(
    chain: int, ratio: float, step: float = 1.0, price: float = 1.0, most: float = 1e6
) -> po.ConvexProgram:
    """Limits 1 + step t_1, where t_1 <= ratio t_2, ...; without noise nothing is raised."""
    A, b = np.zeros((2 + chain, 3 + chain)), np.zeros(2 + chain)
    A[:2, :3], b[:2] = [[1, 0, -step], [0, 1, -step]], 1.0
    for i in range(chain):
        A[2 + i, 2 + i : 4 + i] = 1.0, -ratio
    low, high = np.zeros(3 + chain), np.full(3 + chain, most)
    low[:2], high[:2] = -50.0, 50.0
    G = np.zeros((1, 3 + chain))
    G[0, :2] = 1.0
    prices = [1.0, 2.0] + [price] * (1 + chain)
    return po.ConvexProgram(linear=prices, A=A, b=b, G=G, d=[2.0], lower=low, upper=high)


@pytest.mark.long
@pytest.mark.parametrize("ratio", [2.0, 10.0])
@pytest.mark.parametrize("chain", [1, 2, 3])
def test_what_is_zero_without_noise_has_a_size_all_the_same(chain: int, ratio: float) -> None:
    """Its value is the solver's rounding: in such units a feasible program seemed to be none."""
    program = escape(chain, ratio)
    bounded = po.TruncatedLaplace(epsilon=1.0, delta=0.01, alpha=0.3)
    for noise, kind in (
        (bounded, po.Always()),
        (po.Laplace(epsilon=1.0, alpha=0.3), po.ExactBox(eta=0.05)),
        (po.Laplace(epsilon=1.0, alpha=0.3), po.Analytic(eta=0.05, margin="unimodal")),
    ):
        plan = po.solve(program, po.Identity([0]), noise, kind)
        assert plan.residual <= 1e-8


@pytest.mark.parametrize(("step", "chain"), [(1e-4, 1), (1e-4, 2), (1e-7, 0), (1e-7, 2)])
def test_that_there_is_no_plan_is_seen_in_two_units(step: float, chain: int) -> None:
    """Units that suit an optimum without noise may be bad ones for what the noise asks for."""
    noise = po.TruncatedLaplace(epsilon=1.0, delta=0.01, alpha=0.3)
    program = escape(chain, 10.0, step, 1e3, 1e9)
    assert po.solve(program, po.Identity([0]), noise, po.Always()).residual <= 1e-8
