"""A program without the variables that follow is the same program: against the whole one."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.solving.robust.condensed import Condensed
from privopt.solving.scaling import Scaling


def made(program: po.ConvexProgram) -> tuple[Condensed, Scaling]:
    scaling = Scaling.of(program, program.right_hand_side())
    return Condensed(program, scaling), scaling


@pytest.mark.parametrize("network", ["3_lmbd", "14_ieee", "57_ieee"])
def test_solutions_and_rows_of_a_network_are_those_of_the_whole(network: str) -> None:
    program = po.experiments.instance(network, 1).program
    small, scaling = made(program)
    assert len(small.kept) == program.n // 2  # the angles follow
    z = program.solve().z / scaling.columns
    t = small.targets(program.right_hand_side())
    x = z[small.kept]
    np.testing.assert_allclose(np.asarray(small.E @ x), np.asarray(small.N @ t), atol=1e-9)
    np.testing.assert_allclose(small.lift(x[None], t[None])[0], z, atol=1e-8)
    rows = np.arange(len(program.rows))
    M, R = small.rows(rows)
    np.testing.assert_allclose(np.asarray(M @ x + R @ t), np.asarray(small.A @ z), atol=1e-8)
    np.testing.assert_allclose(
        small.activity(x[None], t[None])[0], np.asarray(small.A @ z), atol=1e-8
    )
    assert small.cost(x) == pytest.approx(scaling.kappa * program.cost(scaling.columns * z))


@pytest.mark.parametrize("seed", range(5))
def test_any_solution_of_the_small_program_solves_the_whole(seed: int) -> None:
    """Points of E x = N t, lifted, keep every equality: of random t that some z reaches."""
    rng, n, bare = np.random.default_rng(seed), 9, 3
    upper = np.where(np.arange(n) < bare, np.inf, 1.0)
    program = po.ConvexProgram(
        linear=np.where(np.arange(n) < bare, 0.0, rng.normal(size=n)), A=rng.normal(size=(4, n)),
        b=np.ones(4), G=rng.normal(size=(bare + seed % 3, n)), d=np.zeros(bare + seed % 3),
        lower=-upper, upper=upper,
    )  # fmt: skip
    small, scaling = made(program)
    assert len(small.kept) == n - bare
    G = scaling.independent(program)
    t = np.asarray(G @ rng.normal(size=program.n))
    E = small.E.toarray()
    x = np.linalg.lstsq(E, small.N @ t, rcond=None)[0]
    x = x + rng.normal(size=len(x)) @ (np.eye(len(x)) - np.linalg.pinv(E) @ E)
    z = small.lift(x[None], t[None])[0]
    np.testing.assert_allclose(G @ z, t, atol=1e-8)
