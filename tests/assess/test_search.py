"""Lower bounds: known distances are found, witnesses check, proofs are not contradicted."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from tests.assess.programs import anything, counterexample

import privopt as po
from privopt.errors import InfeasibleError, InputError

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)


def test_the_counterexample_is_found() -> None:
    found = po.assess.lower_bound(
        counterexample(), po.Identity([1, 2]), LAPLACE, domain=po.Box([0.5, 2.0], [1.0, 2.5]),
        tries=40,
    )  # fmt: skip
    assert found.factor == pytest.approx(2.0, rel=1e-4)
    assert found.epsilon == pytest.approx(2.0, rel=1e-4)
    assert found.factor <= 2.0 + 1e-9
    assert found.witness.entry == "d1"
    assert (found.claimed, found.delta, found.infeasible, found.failed) == (1.0, 0.0, 0, 0)
    assert repr(found).startswith(
        "LowerBound(true epsilon >= 2, claimed 1; entry 'd1' moved by 0.1"
    )
    assert found.sampled == po.Sampled(found.factor)


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 3, 4])
def test_three_nodes_of_the_paper_are_not_private_as_claimed(seed: int) -> None:
    drawn = po.experiments.instance("3_lmbd", seed)
    kept = po.Analytic(eta=0.025, margin="unimodal")
    found = po.assess.lower_bound(
        drawn.program, drawn.query, LAPLACE, kept, domain=drawn.domain, tries=40
    )
    assert found.epsilon > 1.5
    assert found.evaluations <= 50
    again = found.witness.check(drawn.program, drawn.query, LAPLACE, kept)
    assert again >= found.witness.distance
    assert again == pytest.approx(found.witness.distance, rel=1e-3)


@pytest.mark.parametrize(
    ("noise", "least"),
    [
        (po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1), 1.4),
        (po.TruncatedLaplace(epsilon=1.0, delta=1e-5, alpha=0.1), 1.6),
    ],
)
def test_other_noise_has_its_own_loss(noise: po.Gaussian, least: float) -> None:
    drawn = po.experiments.instance("3_lmbd", 4)
    found = po.assess.lower_bound(drawn.program, drawn.query, noise, domain=drawn.domain, tries=24)
    assert found.delta == 1e-5
    assert found.epsilon > least


def farthest(program: po.ConvexProgram, low: float, high: float, alpha: float) -> float:
    """The largest distance of released neighbours on a grid of the domain, by plain CVXPY."""
    d, z = cp.Parameter(2), cp.Variable(program.n)
    cost = program.linear @ z + cp.sum(cp.multiply(program.quadratic.diagonal(), cp.square(z)))
    rows = [program.A @ z <= program.b, z >= program.lower, z <= program.upper]
    model = cp.Problem(cp.Minimize(cost), [program.G @ z == d, *rows])
    axis = np.arange(low, high + alpha / 4, alpha / 2)
    released = np.full((len(axis), len(axis), 2), np.nan)
    for a, first in enumerate(axis):
        for b, second in enumerate(axis):
            d.value = np.array([first, second])
            model.solve(cp.CLARABEL)
            assert model.status == cp.OPTIMAL
            assert z.value is not None
            released[a, b] = z.value[:2]
    apart = [released[2:] - released[:-2], released[:, 2:] - released[:, :-2]]
    return max(float(np.abs(one).sum(axis=2).max()) for one in apart)


@pytest.mark.parametrize("seed", [0, 2, 5])
def test_a_search_finds_what_a_grid_of_all_neighbours_finds(seed: int) -> None:
    program, noise = anything(seed), po.Laplace(epsilon=1.0, alpha=0.1)
    most = farthest(program, -0.3, 0.3, 0.1)
    found = po.assess.lower_bound(
        program, po.Identity([0, 1]), noise, domain=po.Box(-0.3, 0.3), tries=60
    )
    assert found.factor * 0.1 >= most - 1e-6


def test_private_entries_of_d_have_no_part_in_it() -> None:
    first = po.experiments.instance("3_lmbd", 3)
    second = first.program.at([0.6, 0.7, 0.9])
    found = [
        po.assess.lower_bound(program, first.query, LAPLACE, domain=first.domain, tries=30)
        for program in (first.program, second)
    ]
    assert found[0].factor == found[1].factor
    assert (found[0].witness.d == found[1].witness.d).all()


def test_infeasible_points_are_counted_and_only_all_of_them_are_an_error() -> None:
    program = po.ConvexProgram(quadratic=[1.0, 1.0], G=[[1.0, 1.0]], lower=0.0, upper=1.0)
    found = po.assess.lower_bound(
        program, po.Identity([0]), LAPLACE, domain=po.Box(1.0, 3.0), tries=200
    )
    assert found.infeasible > 0
    assert found.factor == pytest.approx(0.5, rel=1e-4)
    with pytest.raises(InfeasibleError, match="points of the domain"):
        po.assess.lower_bound(program, po.Identity([0]), LAPLACE, domain=po.Box(3.0, 4.0), tries=20)


def test_a_linear_cost_is_searched_as_the_solver_answers() -> None:
    program = po.ConvexProgram(linear=[1.0, 2.0], G=[[1.0, 1.0]], lower=0.0, upper=1.0)
    found = po.assess.lower_bound(
        program, po.Identity([0]), LAPLACE, domain=po.Box(0.2, 1.8), tries=40
    )
    assert found.factor == pytest.approx(1.0, rel=1e-3)


def test_entries_that_balance_follow() -> None:
    """A line x between two nodes: what one takes the other gives."""
    program = po.ConvexProgram(
        quadratic=[1.0, 0.0], G=[[1.0, 0.0], [-1.0, 0.0]], private=[0], d=[0.0, 0.0]
    )
    with pytest.raises(InputError, match="balance="):
        po.assess.lower_bound(program, po.Identity([0]), LAPLACE, domain=po.Box(0, 1), tries=20)
    found = po.assess.lower_bound(
        program, po.Identity([0]), LAPLACE, domain=po.Box(0, 1), balance=[1], tries=20
    )
    assert found.factor == pytest.approx(1.0, rel=1e-4)


@pytest.mark.parametrize(
    "bad",
    [{"domain": (0, 1)}, {"tries": 3}, {"tries": 1.5}, {"rng": -1}, {"domain": po.Box(1.0, 1.0)}],
)
def test_bad_input_is_refused(bad: dict[str, object]) -> None:
    given = {"domain": po.Box(0.5, 1.0), "tries": 20} | bad
    with pytest.raises(InputError):
        po.assess.lower_bound(counterexample(), po.Identity([1]), LAPLACE, **given)
