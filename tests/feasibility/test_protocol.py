"""What every reformulation owes: margins that its solution keeps, and a claim that draws bear out.

Rows are evaluated in plain numpy, and draws come from numpy's own Laplace.
"""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.cases import convex, toy
from tests.reference.plain import random_program
from tests.solving.test_compile import chance_of

import privopt as po
from privopt.arrays import Dense
from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms
from privopt.errors import CombinationError, InputError
from privopt.feasibility import protocol
from privopt.feasibility.protocol import Feasibility, Settled, check_probability, draw
from privopt.feasibility.registry import REFORMULATIONS
from privopt.noise.laplace import LaplaceLaw
from privopt.solving.margins import Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.problem import Outcome
from privopt.solving.solver import Settings

DRAWS = 40_000
KINDS: dict[str, Feasibility] = {
    "analytic": po.Analytic(eta=0.1),
    "analytic, unimodal": po.Analytic(eta=0.1, margin="unimodal"),
    "analytic, joint": po.Analytic(eta=0.1, scope="joint"),
    "exact-box": po.ExactBox(eta=0.1),
    "sampled-box": po.SampledBox(eta=0.1, beta=0.01),
    "joint": po.Joint(eta=0.1, beta=0.01),
    "scenario": po.Scenario(eta=0.2, beta=0.01),
    "always": po.Always(),
}


def chance(program: str) -> NoisyProgram:
    """Rows that bind, under noise that is bounded but hardly cut."""
    data = random_program(5, n=6, equalities=2, rows=6, p=2)
    made, S = convex(data | {"b": data["b"] - 0.4}), data["S"]
    if program == "apart":  # four rows, each with noise of its own
        eye = np.eye(4)
        A, G = np.hstack([eye, 0 * eye]), np.hstack([eye, eye])
        made = po.ConvexProgram(linear=-A.sum(axis=0), A=A, b=np.ones(4), G=G, d=np.ones(4))
        S = A
    noise = po.TruncatedLaplace(epsilon=1.0, delta=1e-4, alpha=0.05).calibrate(len(S), 0.05)
    near = made.solve().z
    return NoisyProgram(made, po.Linear(S).matrix(made), noise, Settings(), near)


def noise_of(made: NoisyProgram) -> Dense:
    """Laplace draws by numpy, those beyond the bound drawn again."""
    rng, bound = np.random.default_rng(11), made.calibration.law.bound
    found = rng.laplace(size=(2 * DRAWS, made.noise_dimensions))
    return found[(np.abs(found) <= bound).all(axis=1)][:DRAWS]


def test_every_one_that_is_listed_is_here() -> None:
    assert {type(one) for one in KINDS.values()} == set(REFORMULATIONS)


@pytest.mark.parametrize("program", ["random", "apart"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_solution_keeps_the_promise(kind: str, program: str) -> None:
    made, asked = chance(program), KINDS[kind]
    found = asked.settle(made, np.random.default_rng(7))
    assert isinstance(found, Settled)
    A, b = made.program.rows.matrix.toarray(), made.program.rows.bound
    slack, spread = b - A @ found.solved.z, made.calibration.scale * A @ np.asarray(found.solved.Z)
    assert (slack > 0).all()
    margin = found.margins.value(spread, np.sqrt(made.calibration.law.variance))
    assert (margin <= slack + 1e-8).all()
    assert (margin > slack - 1e-5).any()  # the program is worth its noise
    broken = noise_of(made) @ spread.T > slack + 1e-9
    by_row = found.claim.scope is Scope.ROW
    share = broken.mean(axis=0).max() if by_row else broken.any(axis=1).mean()
    assert asked.total_eta is not None
    assert share <= asked.total_eta + 4 * np.sqrt(asked.total_eta / DRAWS)
    terms = found.claim.terms
    assert isinstance(terms, FeasibilityTerms)
    assert (terms.eta, terms.rows) == (asked.total_eta, len(b))
    again = asked.settle(chance(program), np.random.default_rng(7))
    assert isinstance(again, Settled)
    assert again.solved.z.tolist() == found.solved.z.tolist()
    assert again.claim == found.claim


@pytest.mark.parametrize("kind", KINDS)
def test_the_largest_eta_is_one_that_may_be_asked_for(kind: str) -> None:
    asked = KINDS[kind]
    if not isinstance(asked, po.Always):
        largest: Any = asked.largest_eta
        assert 0.1 < largest < 0.5
        assert dataclasses.replace(asked, eta=largest).total_eta == largest  # pyright: ignore[reportCallIssue]
        with pytest.raises((InputError, CombinationError)):
            dataclasses.replace(asked, eta=0.51)  # pyright: ignore[reportCallIssue]


CLAIM = Claim.of(FeasibilityTerms(6, 0.1), Provenance.PROVEN, "I say so", Scope.JOINT)


class Twice(Feasibility):
    """Two deviations on each row."""

    def margins(self, chance: NoisyProgram, rng: np.random.Generator) -> Margins:
        return Margins(deviations=np.full(chance.rows, 2.0))

    def claim(self, chance: NoisyProgram) -> Claim:
        return CLAIM


def test_one_solve_is_settled_or_ends_as_it_ended() -> None:
    rng = np.random.default_rng(0)
    found = Twice().settle(chance_of(toy(6.0), po.Identity(["x"])), rng)
    assert isinstance(found, Settled)
    assert found.margins.deviations is not None
    assert found.margins.deviations.tolist() == [2.0] * 6
    assert found.claim is CLAIM
    # x + y + w = 6 at prices 1, 2, 3: x at its limit, less two deviations of its noise
    noise = po.Laplace(epsilon=1.0, alpha=0.1).calibrate(1, 0.1)
    assert found.solved.z[0] == pytest.approx(4 - 2 * np.sqrt(2) * noise.scale, abs=1e-6)
    blocked = chance_of(toy(11.9), po.Identity(["x"]), alpha=1.0)
    assert Twice().settle(blocked, rng) is Outcome.INFEASIBLE


def test_draws_are_the_law_and_as_many_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = draw(LaplaceLaw(), np.random.default_rng(0), (20_000, 2))
    assert drawn.shape == (20_000, 2)
    for quantile in (0.1, 0.5, 0.9):
        known = -np.sign(quantile - 0.5) * np.log(1 - 2 * abs(quantile - 0.5))
        assert np.quantile(drawn, quantile) == pytest.approx(known, abs=0.06)  # 4 sigma
    monkeypatch.setattr(protocol, "MAX_DRAWS", 101)
    assert draw(LaplaceLaw(), np.random.default_rng(0), (50, 2)).shape == (50, 2)
    with pytest.raises(CombinationError, match="51 draws of 2 noise dimensions") as caught:
        draw(LaplaceLaw(), np.random.default_rng(0), (51, 2))
    assert "at most 50 of them" in str(caught.value)


@dataclasses.dataclass(frozen=True)
class Holder:
    eta: Any


@pytest.mark.parametrize("value", [0.25, Fraction(1, 4), Decimal("0.25"), np.float32(0.25)])
def test_a_probability_becomes_a_float(value: Any) -> None:
    holder = Holder(value)
    check_probability(holder, "eta", 0.5)
    assert type(holder.eta) is float
    assert holder.eta == 0.25


@pytest.mark.parametrize("value", [0, 0.5, 1, -0.1, np.nan, np.inf, "0.1", None, True, [0.1]])
def test_what_is_no_probability_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match=r"between 0 and 0\.5"):
        check_probability(Holder(value), "eta", 0.5)
