"""What decisions claim, from their numbers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.mechanisms.measured import cases

import privopt as po
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.claiming import eta_of, guaranteed, promised
from privopt.solving.limits import limits_of

_PROGRAM = po.ConvexProgram(
    linear=np.ones(5), G=np.ones((1, 5)), lower=0.0, upper=[1, 1] + [np.inf] * 3
)
LIMITS = limits_of(_PROGRAM, sp.csr_array((0, 5)), ())


def belief(seed: int) -> Belief:
    one, rng = cases.case(seed), np.random.default_rng(seed)
    return Belief.of(one.simulated(cases.inside(one, rng), rng), one.program)


def test_losses_of_several_measurements_add_up() -> None:
    found = guaranteed(belief(6), LIMITS, 0.1)
    assert "3-differential" in str(found.privacy)
    assert "all 7" in str(found.feasibility)
    assert "<= 0.1" in str(found.feasibility)


def test_nothing_measured_costs_nothing_and_always_holds() -> None:
    found = guaranteed(belief(0), LIMITS, 0.1)
    assert "0-differential" in str(found.privacy)
    assert promised(found.feasibility) == po.Always()


def test_nothing_is_claimed_of_data_at_which_the_program_has_no_solution() -> None:
    """At d = -1 no z >= 0 has z <= d: that rows hold with some probability would be wrong there."""
    program = po.ConvexProgram(quadratic=[1.0, 1.0], A=[[1, 1]], b=[0], private_limits=[0], lower=0)
    noise, domain = po.Laplace(epsilon=1.0, alpha=0.1), po.Box(-1.0, 5.0)
    instrument = po.Instrument([[1.0]], program=program, privacy=noise, domain=domain)
    y = cases.measured(instrument, np.array([4.0]), np.random.default_rng(0))
    claim = po.decide(program, po.Identity([0]), y, po.ExactBox(eta=0.1)).guarantee.feasibility
    assert "hold" not in claim.statement
    assert claim.statement == (
        "for every d of the domain: values that cannot be completed within all 3 inequalities are "
        "decided with probability <= 0.1"
    )
    with pytest.raises(po.errors.InfeasibleError):
        program.at([-1.0]).solve()


def test_a_claim_says_what_was_asked_for() -> None:
    assert promised(guaranteed(belief(1), LIMITS, 0.1).feasibility) == po.ExactBox(eta=0.1)
    assert promised(guaranteed(belief(3), LIMITS, 0.0).feasibility) == po.Always()
    assert eta_of(po.Always()) == 0.0
    assert eta_of(po.ExactBox(eta=0.2)) == 0.2
    with pytest.raises(ValueError, match="^$"):
        promised(guaranteed(belief(1), LIMITS, None).feasibility)
