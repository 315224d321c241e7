"""A bound from below and the pair that shows it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.show.pictures.reading import hovers, parsed

import privopt as po
from privopt.assess.bound import ReleasedValues, Witness
from privopt.claims.guarantee import Provenance
from privopt.errors import InputError
from privopt.mechanisms.question import Question

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)


def test_a_witness_is_a_pair_of_neighbours_of_the_domain() -> None:
    drawn = po.experiments.instance("3_lmbd", 3)
    found = po.assess.lower_bound(
        drawn.program, drawn.query, LAPLACE, domain=drawn.domain, tries=40, rng=5
    )
    pair = np.array([found.witness.d, found.witness.neighbour])
    assert ((pair >= 0.5) & (pair <= 1.0)).all()
    changed = np.flatnonzero(pair[0] != pair[1])
    assert [drawn.program.data_names[j] for j in changed] == [found.witness.entry]
    assert found.witness.step <= 0.1


def test_a_sampled_sensitivity_says_so() -> None:
    drawn = po.experiments.instance("3_lmbd", 3)
    noise = po.Laplace(epsilon=1.0, alpha=0.1, sensitivity=po.Sampled(1.7))
    plan = po.solve(drawn.program, drawn.query, noise, po.ExactBox(eta=0.1))
    assert plan.guarantee.privacy.provenance is Provenance.SAMPLED
    assert plan.calibration.sensitivity == pytest.approx(0.17)
    assert plan.release().guarantee.privacy.label == "SAMPLED"


def test_what_the_solver_may_be_off_by_is_taken_off() -> None:
    pair = Witness(
        "d", np.zeros(1), np.ones(1), values=np.array([1.0, 2.0, 3.0]),
        others=np.array([1.5, 2.0, 1.0]), errors=np.array([0.125, 0.25, 4.0]), distance=0.375,
        seed=0, names=("a", "b", "c"),
    )  # fmt: skip
    assert pair.moved.tolist() == [0.375, 0.0, 0.0]
    assert pair.step == 1.0


def test_a_witness_is_not_checked_against_another_program() -> None:
    """x + y = d: x = y = d / 2, and a change of d moves x by half of it."""
    program = po.ConvexProgram(quadratic=[1.0, 1.0], G=[[1.0, 1.0]], lower=0.0, upper=5.0)
    parts = program, po.Identity([0]), LAPLACE
    found = po.assess.lower_bound(*parts, domain=po.Box(2.0, 4.0), tries=20)
    assert found.factor == pytest.approx(0.5, rel=1e-4)
    assert found.epsilon == pytest.approx(0.5, rel=1e-4)
    assert found.witness.check(*parts) == pytest.approx(0.05, rel=1e-4)
    tight = po.ConvexProgram(quadratic=[1.0, 1.0], G=[[1.0, 1.0]], lower=0.0, upper=0.5)
    with pytest.raises(InputError, match="no solution here"):
        found.witness.check(tight, *parts[1:])
    said = hovers(parsed(found.plot()))[-1]
    assert f"at d {found.witness.values[0]:.4g}" in said
    assert f"at its neighbour {found.witness.others[0]:.4g}" in said


def test_released_values_are_those_of_the_plan_and_are_counted() -> None:
    program = po.ConvexProgram(quadratic=[1.0, 1.0], G=[[1.0, 1.0]], lower=0.0, upper=2.0)
    plain = ReleasedValues(Question(program, po.Identity([0]), LAPLACE))
    kept = ReleasedValues(Question(program, po.Identity([0]), LAPLACE, po.ExactBox(eta=0.1)))
    assert plain.at(np.array([3.0])) == pytest.approx([1.5], abs=1e-6)
    assert plain.at(np.array([5.0])) is None
    assert (plain.evaluations, plain.infeasible, plain.failed) == (2, 1, 0)
    plan = po.solve(program.at([3.0]), po.Identity([0]), LAPLACE, po.ExactBox(eta=0.1))
    for cold in (True, False):
        assert kept.at(np.array([3.0]), cold=cold) == pytest.approx(plan.centre, abs=1e-6)
    assert kept.at(np.array([3.99])) is None  # room for the optimum, and none for noise
    assert (kept.evaluations, kept.infeasible) == (3, 1)
