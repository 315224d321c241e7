"""Certificates: known factors, dense grids, what they are used for, and refused for."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from tests.assess.flows import LAPLACE, ROWS, flow
from tests.assess.programs import anything, counterexample, shares

import privopt as po
from privopt.claims.guarantee import Provenance
from privopt.errors import CombinationError, InfeasibleError, InputError


def test_the_counterexample_needs_two() -> None:
    """y = z2 - z3 moves by 2 alpha; one value is all that two equalities leave of three."""
    noise = po.Laplace(epsilon=1.0, alpha=0.01)
    domain = po.Box([0.5, 2.0], [1.0, 2.5])
    query = po.Linear([[0, 1, -1]])
    found = po.assess.certify(counterexample(), query, noise, ROWS, domain=domain)
    assert found.factor == pytest.approx(2.0, rel=1e-5)
    assert found.factor >= 2.0
    assert found.provenance is Provenance.PROVEN
    assert (found.regions, found.whole) == (1, True)


@pytest.mark.parametrize(
    ("noise", "wanted"),
    [
        (po.Laplace(epsilon=50.0, alpha=0.1), 1.0),
        (po.Gaussian(epsilon=20.0, delta=1e-5, alpha=0.1), 1.0),
        (po.TruncatedLaplace(epsilon=50.0, delta=1e-3, alpha=0.1), 1.0),
    ],
)
def test_known_pieces(noise: po.Laplace, wanted: float) -> None:
    """y follows d alone where x is at a limit."""
    found = po.assess.certify(
        shares(1), po.Identity([1]), noise, po.ExactBox(eta=0.1), domain=po.Box(0.0, 6.0)
    )
    assert found.factor == pytest.approx(wanted, rel=1e-5)
    assert (found.regions, found.whole) == (3, True)


def test_two_norms_of_two_entries() -> None:
    """Both entries of y = (z1 + z2)/2 + ... move by 1/2: l1 norm 1, l2 norm sqrt(1/2)."""
    program = po.ConvexProgram(quadratic=[1.0, 1.0, 1.0, 1.0], G=[[1.0, 1.0, 0.0, 0.0]])
    query, kept, domain = po.Identity([0, 2]), po.ExactBox(eta=0.1), po.Box(0.0, 1.0)
    one = po.assess.certify(program, query, LAPLACE, kept, domain=domain)
    assert one.factor == pytest.approx(0.5, rel=1e-5)
    both = po.Linear([[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, -1.0, 0.0]])
    gaussian = po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1)
    two = po.assess.certify(program, both, gaussian, kept, domain=domain)
    assert two.factor == pytest.approx(0.5, rel=1e-5)  # sqrt(1/2) over a column norm of sqrt(2)
    assert po.assess.certify(program, both, LAPLACE, kept, domain=domain).factor == pytest.approx(
        0.5, rel=1e-5
    )


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 2, 3])
def test_no_plan_of_a_dense_grid_moves_further(seed: int) -> None:
    program, query = anything(seed), po.Identity([0, 1])
    noise, domain = po.Laplace(epsilon=20.0, alpha=0.075), po.Box(-0.3, 0.3)
    certified = po.assess.certify(program, query, noise, ROWS, domain=domain)
    noise = dataclasses.replace(noise, sensitivity=certified)
    axis = np.linspace(-0.3, 0.3, 9)
    values = np.full((9, 9, 2), np.nan)
    for i in range(9):
        for k in range(9):
            try:
                plan = po.solve(program.at([axis[i], axis[k]]), query, noise, ROWS)
            except InfeasibleError:
                assert not certified.whole
                continue
            values[i, k] = plan.expected[:2]
    moved = [np.abs(np.diff(values, axis=side)).sum(axis=2).ravel() for side in (0, 1)]
    largest = np.nanmax(np.concatenate(moved)) / 0.075
    assert largest <= certified.factor
    assert largest >= 0.9 * certified.factor


def test_the_private_entries_of_d_have_no_part_in_it() -> None:
    drawn, certified, _ = flow()
    other = drawn.program.at([0.55, 0.9, 0.7])
    again = po.assess.certify(other, drawn.query, LAPLACE, ROWS, domain=drawn.domain)
    assert again.factor == certified.factor
    assert again.fingerprint == certified.fingerprint
    assert (again.recourse == certified.recourse).all()


def test_what_balances_follows_in_a_certificate_too() -> None:
    """Two nodes, two lines side by side: what one node takes the other gives."""
    program = po.ConvexProgram(
        quadratic=[1.0, 3.0], G=[[1.0, 1.0], [-1.0, -1.0]], private=[0], d=[0.3, -0.3]
    )
    certified = po.assess.certify(
        program, po.Identity([0]), LAPLACE, ROWS, domain=po.Box(0.0, 1.0), balance=[1]
    )
    assert certified.factor == pytest.approx(0.75, rel=1e-5)
    noise = dataclasses.replace(LAPLACE, sensitivity=certified)
    plan = po.solve(program, po.Identity([0]), noise, ROWS)
    assert plan.expected == pytest.approx([0.225, 0.075])
    assert any("balance=" in text for text in plan.guarantee.privacy.assumptions)


def test_variables_that_nothing_sees_are_left_out() -> None:
    """Angles of a network without a reference: a common shift of them changes nothing."""
    program = po.ConvexProgram(
        quadratic=[1.0, 1.0, 0.0, 0.0],
        A=[[0.0, 0.0, 1.0, -1.0]],
        b=[0.3],
        G=[[1.0, 0.0, -1.0, 1.0], [0.0, 1.0, 1.0, -1.0]],
        data_names=["north", "south"],
    )
    noise = po.Laplace(epsilon=50.0, alpha=0.1)
    certified = po.assess.certify(program, po.Identity([0]), noise, ROWS, domain=po.Box(0.0, 1.0))
    assert certified.regions == 2
    assert certified.factor == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize("kept", [po.Joint(eta=0.1, beta=0.1), po.Scenario(eta=0.1, beta=0.1)])
def test_margins_that_depend_on_more_than_the_recourse_are_refused(kept: Any) -> None:
    drawn = po.experiments.instance("3_lmbd", 0)
    with pytest.raises(CombinationError, match="ExactBox"):
        po.assess.certify(drawn.program, drawn.query, LAPLACE, kept, domain=drawn.domain)


def test_margins_by_boxes_and_always() -> None:
    drawn = po.experiments.instance("3_lmbd", 1)
    truncated = po.TruncatedLaplace(epsilon=2.0, delta=1e-2, alpha=0.02)
    for noise, kept in [
        (po.Laplace(epsilon=5.0, alpha=0.1), po.SampledBox(eta=0.1, beta=0.1)),
        (truncated, po.Always()),
    ]:
        certified = po.assess.certify(drawn.program, drawn.query, noise, kept, domain=drawn.domain)
        held = dataclasses.replace(noise, sensitivity=certified)
        plan = po.solve(drawn.program, drawn.query, held, kept)
        assert plan.guarantee.privacy.provenance is Provenance.PROVEN
        assert plan.guarantee.feasibility.provenance is Provenance.PROVEN


def test_a_cost_that_leaves_the_solution_open_is_refused() -> None:
    drawn = po.experiments.instance("3_lmbd", 0, quadratic=None)
    with pytest.raises(CombinationError, match="leaves the solution open, for example in p"):
        po.assess.certify(drawn.program, drawn.query, LAPLACE, ROWS, domain=drawn.domain)


@pytest.mark.parametrize("bad", [{"domain": (0, 1)}, {"limit": 0}, {"settings": 1}])
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    drawn = po.experiments.instance("3_lmbd", 0)
    given = {"domain": drawn.domain} | bad
    with pytest.raises(InputError):
        po.assess.certify(drawn.program, drawn.query, LAPLACE, ROWS, **given)
