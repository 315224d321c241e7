"""What could be measured, and what it is guessed to be worth."""

from __future__ import annotations

import numpy as np
import pytest
from tests.mechanisms.measured.test_task import task

import privopt as po
from privopt.mechanisms.measured.candidates import (
    NOTHING,
    Candidate,
    curvature,
    guess,
    over_time,
    proposed,
)
from privopt.mechanisms.measured.task import DecisionTask


@pytest.fixture(scope="module")
def prepared() -> DecisionTask:
    one = po.experiments.instance("5_pjm", 1)
    return task(one.program, one.query, one.domain)


def test_candidates_are_different_cover_everything_and_begin_with_nothing(
    prepared: DecisionTask,
) -> None:
    H = curvature(prepared, 0.0)
    entries = prepared.program.private_names
    own = {"mine": Candidate("mine", np.ones((1, len(entries))), ("all",), own=True)}
    found = proposed(prepared, H, entries, own)
    assert found[0].name == NOTHING
    assert found[-1].name == "mine"  # though it is the total, too
    names = [one.name for one in found]
    assert len(set(names)) == len(names)
    assert {"total", "each"} <= set(names)
    for one in found:
        assert one.W.shape == (len(one.names), len(entries))
        if "zones" in one.name:
            np.testing.assert_array_equal(one.W.sum(axis=0), 1.0)


def test_a_guess_is_the_gaussian_posterior_covariance(prepared: DecisionTask) -> None:
    H = curvature(prepared, 1.0)
    np.testing.assert_allclose(H, H.T)
    assert np.linalg.eigvalsh(H).min() >= -1e-9 * np.abs(H).max()
    q = len(H)
    variance, W, sigma = prepared.data.variance, np.ones((1, q)), 0.1
    P = np.linalg.inv(np.diag(1 / variance) + W.T @ W / sigma**2)
    expected = 0.5 * float((H * P).sum()) / prepared.scale
    assert guess(prepared, H, W, sigma) == pytest.approx(expected)
    nothing = guess(prepared, H, np.zeros((0, q)), 0.0)
    assert nothing == pytest.approx(0.5 * float(np.diag(H) @ variance) / prepared.scale)
    assert guess(prepared, H, np.eye(q), 1e-6) < 1e-6 * nothing


def test_a_linear_cost_has_directions_all_the_same() -> None:
    one = po.ConvexProgram(
        linear=[1.0, 2, 3, 1], G=[[1.0, 1, 0, 1], [0, 1, 1, -1]], lower=0.0, upper=5.0
    )
    prepared = task(one, po.Identity([0]), po.Box(1.0, 2.0))
    H = curvature(prepared, 0.0)
    assert np.isfinite(H).all()
    assert len(proposed(prepared, H, prepared.program.private_names, {})) >= 3


def test_candidates_know_time_where_the_program_does(prepared: DecisionTask) -> None:
    assert over_time(prepared.program.periods, 5) == []
    periods = po.Periods.grid(range(6), ["a", "b"])
    found = {one.name: one for one in over_time(periods, 12)}
    assert list(found) == ["2 blocks of periods", "4 blocks of periods", "each period"]
    for one in found.values():
        np.testing.assert_array_equal(one.W.sum(axis=0), 1.0)
    np.testing.assert_array_equal(found["each period"].W, np.kron(np.eye(6), np.ones(2)))
    network = po.networks.load("3_lmbd").program(periods=3)
    d = network.d
    made = task(network, po.Identity(["p[1]@00"]), po.Box(0.9 * d, 1.1 * d))
    names = [one.name for one in proposed(made, np.eye(9), network.private_names, {})]
    assert {"each period", "2 blocks of periods", "total"} <= set(names)


@pytest.mark.parametrize(("noise", "times"), [("laplace", 24.0), ("gaussian", 24.0**0.5)])
def test_a_day_of_one_owner_costs_what_the_norm_says(noise: str, times: float) -> None:
    periods = po.Periods.grid(range(24), ["a", "b"])
    program = po.ConvexProgram(
        linear=np.ones(48), G=np.eye(48), d=np.ones(48), lower=0.0, upper=9.0
    ).over(periods)

    def scale(owners: tuple[str, ...] | None) -> float:
        given = {"epsilon": 0.5, "alpha": 0.1, "owners": owners}
        privacy = po.Laplace(**given) if noise == "laplace" else po.Gaussian(delta=1e-5, **given)
        made = po.Instrument(
            periods.totals(), program=program, privacy=privacy, domain=po.Box(0.0, 5.0)
        )
        assert made.calibration is not None
        return made.calibration.scale

    assert scale(periods.customers) == pytest.approx(times * scale(None), rel=1e-4)
