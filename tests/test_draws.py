"""What a release draws: once, afresh, at the calibrated scale, whatever comes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.deterministic import Deterministic

import privopt as po
from privopt.noise import secure

D = np.array([3.0, 1.0])
LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)
GAUSSIAN = po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1)
QUERY = po.Identity([0, 1])


def program(d: Any = D) -> po.ConvexProgram:
    return po.ConvexProgram(
        linear=[1.0, 2.0, 3.0, 4.0],
        quadratic=[0.1, 0.2, 0.3, 0.4],
        G=[[1, 1, 1, 1], [0, 1, 0, 1]],
        d=d,
        lower=-9,
        upper=9,
    )


def mechanism(name: str, noise: Any) -> Any:
    """Something with `release()` for D."""
    if name == "measurement":
        box = po.Box(D - 0.5, D + 0.5)
        one = po.Instrument(np.eye(2), program=program(None), privacy=noise, domain=box)
        return one, lambda ledger=None: one.measure(D, ledger).release
    made: Any = {
        "plan": lambda: po.solve(program(), QUERY, noise, po.Analytic(eta=0.05)),
        "output": lambda: po.output_perturbation(program(), QUERY, noise),
        "input": lambda: po.input_perturbation(program(), QUERY, noise),
    }[name]()
    return made, made.release


@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("name", ["plan", "measurement", "output", "input"])
def test_one_draw_at_the_calibrated_scale(
    name: str, noise: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampler = Deterministic().install(monkeypatch)
    made, release = mechanism(name, noise)
    released = release()
    (draw,) = sampler.draws
    calibration = made.calibration
    assert (draw.scale, draw.k) == (calibration.scale, calibration.exponent)
    assert (draw.scale, len(draw.noise)) == (released.scale, calibration.size)
    assert calibration.epsilon <= noise.epsilon
    if name in ("input", "measurement"):
        exact = D
    else:
        z = made.expected if name == "plan" else made.optimum.z
        exact = np.asarray(QUERY.matrix(program()) @ z)
    assert np.allclose(draw.values, exact, rtol=0, atol=1e-9)
    if name != "input":  # there the noisy data are solved for
        assert released.exponent == draw.k
        assert np.array_equal(released.values, secure.on_grid(draw.values, draw.k) + draw.noise)


@pytest.mark.parametrize("name", ["plan", "measurement", "output"])
@pytest.mark.parametrize("ledger", [False, True])
def test_a_draw_that_breaks_every_limit_is_released_as_it_is(
    name: str, ledger: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Drawing again, or clipping, because of a constraint would tell of d."""
    sampler = Deterministic(stretch=1e6).install(monkeypatch)
    _, release = mechanism(name, LAPLACE)
    book = po.Ledger(tmp_path / "a.ledger", limit=po.Budget(10)) if ledger else None
    released = release(book)
    (draw,) = sampler.draws
    assert np.abs(released.values).max() > 1000
    assert np.abs(released.values - draw.noise - draw.values).max() < 1e-9


def test_each_release_draws_afresh() -> None:
    """With the real sampler: two equal draws of two values come less than once in 2^60."""
    for name in ("plan", "measurement", "output", "input"):
        _, release = mechanism(name, LAPLACE)
        made = [release().values for _ in range(4)]
        for first in range(4):
            for second in range(first):
                assert not (made[first] == made[second]).any()
        # Nor is one coordinate's noise another's.
        if name != "input":
            moved = np.diff(np.array(made), axis=0)
            assert not np.isclose(moved[:, 0], moved[:, 1], rtol=1e-9).any()


def test_noise_depends_on_nothing_that_can_be_set() -> None:
    _, release = mechanism("measurement", LAPLACE)
    made: list[Any] = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002
        made.append(release().values)
    assert not (made[0] == made[1]).any()
