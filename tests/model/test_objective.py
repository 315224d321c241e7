"""L and T of ||L Z Sigma^(1/2) T||_F are the deviations they are named after."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privopt as po
from privopt.errors import CombinationError, InputError
from privopt.model.objective import Objective

steady = settings(deadline=None, max_examples=30, derandomize=True)
PROGRAM = po.ConvexProgram(linear=[1.0, -2.0, 0.5], G=[[1.0, 1.0, 1.0]])


def size(objective: Objective, Z: np.ndarray) -> float:
    """||L Z T||_F as the objective defines it."""
    parts = objective.deviation(PROGRAM, Z.shape[1])
    assert parts is not None
    L, T = parts
    return float(np.linalg.norm(L.toarray() @ Z @ T))


@steady
@given(seed=st.integers(0, 1000), p=st.integers(1, 3))
def test_each_deviation_is_that_of_simulated_solutions(seed: int, p: int) -> None:
    """xi runs over the 2^p corners of [-1, 1]^p: mean zero, covariance I, nothing is drawn."""
    Z = np.random.default_rng(seed).normal(size=(3, p))
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * p)).reshape(p, -1)
    z = Z @ corners
    cost = PROGRAM.linear @ z
    assert size(po.CostDeviation(phi=0.5), Z) == pytest.approx(float(cost.std()))
    spread = float(np.sqrt((z**2).sum(axis=0).mean()))
    assert size(po.SolutionDeviation(phi=0.5), Z) == pytest.approx(spread)
    printed = float(np.linalg.norm(Z.sum(axis=1)))
    assert size(po.SolutionDeviation(phi=0.5, published=True), Z) == pytest.approx(printed)


def test_the_papers_printed_deviation_misses_noise_that_cancels() -> None:
    Z = np.array([[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]])
    assert size(po.SolutionDeviation(phi=0.5, published=True), Z) == 0.0
    assert size(po.SolutionDeviation(phi=0.5), Z) == pytest.approx(2.0)


def test_the_expected_cost_has_no_deviation() -> None:
    assert po.ExpectedCost().phi == 0.0
    assert po.ExpectedCost().deviation(PROGRAM, 2) is None


def test_the_deviation_of_a_quadratic_cost_is_refused() -> None:
    program = po.ConvexProgram(quadratic=[1.0, 0.0], G=[[1.0, 1.0]])
    with pytest.raises(CombinationError, match="quadratic"):
        po.CostDeviation(phi=0.5).deviation(program, 1)


@pytest.mark.parametrize("kind", [po.CostDeviation, po.SolutionDeviation])
@pytest.mark.parametrize("phi", [-0.1, 1.1, float("nan"), float("inf")])
def test_phi_outside_its_range_is_refused(
    kind: type[po.CostDeviation | po.SolutionDeviation], phi: float
) -> None:
    with pytest.raises(InputError, match="phi is"):
        kind(phi=phi)


@pytest.mark.parametrize("kind", [po.CostDeviation, po.SolutionDeviation])
def test_the_ends_of_the_range_are_allowed(
    kind: type[po.CostDeviation | po.SolutionDeviation],
) -> None:
    assert (kind(phi=0.0).phi, kind(phi=1.0).phi) == (0.0, 1.0)
