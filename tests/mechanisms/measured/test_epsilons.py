"""The budget question backwards: against posterior variances by quadrature, and by brute force."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import scipy.integrate as si
from tests.mechanisms.measured.test_choosing import BOX, DOMAIN, NOISE, program, rows

import privopt as po
from privopt.errors import InfeasibleError, InputError

ALPHA = 0.1
QUERY = po.Identity([0])


def answers() -> po.ConvexProgram:
    """z = (u/2 + 0.5, u/2 - 0.5): no limit binds, the answer follows u by one half."""
    return po.ConvexProgram(
        linear=[0.0, 1.0], quadratic=[0.5, 0.5], G=[[1.0, 1.0]], lower=-9.0, upper=9.0
    )


def deviation(epsilon: float) -> float:
    """Root of E Var(u | y) for u uniform on [1, 2] and Laplace noise of scale alpha / epsilon."""
    scale, grid = ALPHA / epsilon, np.linspace(1, 2, 401)
    y = np.concatenate([1 - scale * np.linspace(12, 0, 300)[:-1], grid])
    y = np.unique(np.concatenate([y, 3 - y]).round(12))  # points a rounding apart are one
    density = np.exp(-np.abs(y[:, None] - grid) / scale) / (2 * scale)
    whole, mean, square = (si.simpson(density * grid**k, x=grid) for k in range(3))
    return float(np.sqrt(si.simpson(square - mean**2 / whole, x=y)))


@pytest.fixture(scope="module")
def simulated() -> po.Instrument:
    made = po.Instrument([[1.0]], program=answers(), privacy=NOISE, domain=DOMAIN)
    return po.simulate_instrument(answers(), QUERY, made, BOX)


def test_the_reference_is_right_where_the_answer_is_known() -> None:
    assert deviation(1e-3) == pytest.approx(1 / np.sqrt(12), rel=1e-3)
    assert deviation(20.0) == pytest.approx(np.sqrt(2) * ALPHA / 20, rel=0.05)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [0.2, 0.5, 1.0, 2.0, 6.0, 12.0])
def test_the_epsilon_is_that_of_the_exact_posterior(
    simulated: po.Instrument, epsilon: float
) -> None:
    """The decided value is the posterior mean of u/2, so it is off by half of the deviation."""
    near = 0.5 * deviation(epsilon)
    assert simulated.epsilon_for(distance=near) == pytest.approx(epsilon, rel=0.25)
    loss = near**2 / scale_of(simulated)  # z0 and z1 are off by that, at weight 1/2 each
    assert simulated.epsilon_for(loss=loss) == pytest.approx(epsilon, rel=0.25)


def scale_of(simulated: po.Instrument) -> float:
    """What losses are fractions of, by the constant: it is off by the whole deviation."""
    constant = rows(simulated)["nothing"]
    return constant["distance"] ** 2 / constant["loss"]


def test_the_curve_begins_at_the_constant_and_has_the_instruments_own_point(
    simulated: po.Instrument,
) -> None:
    curve = simulated.curve
    assert curve is not None
    assert [one.epsilon for one in curve.points] == [0.0, 0.25, 1.0, 4.0, 16.0]
    assert [one.decisions for one in curve.points] == [1, 6, 16, 6, 6]
    assert (curve.points[2].loss, curve.points[2].distance) == (simulated.loss, simulated.distance)
    assert curve.points[0].loss == rows(simulated)["nothing"]["loss"]
    assert simulated.distance is not None
    assert simulated.epsilon_for(distance=simulated.distance) == 1.0


def test_brute_force_at_the_epsilon_that_is_named(simulated: po.Instrument) -> None:
    """Simulated there, with other draws: as near as was asked, to the errors of both."""
    enough = simulated.epsilon_for(distance=0.05)
    other = po.simulate_instrument(
        answers(), QUERY, simulated.with_epsilon(enough), BOX, epsilons=(), rng=5
    )
    row = rows(other)["asked"]
    assert row["distance"] == pytest.approx(0.05, abs=5 * row["distance_error"])


@pytest.mark.long
@pytest.mark.parametrize(
    "noise",
    [
        po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=ALPHA),
        po.Gaussian(epsilon=1.0, delta=1e-4, alpha=ALPHA),
    ],
    ids=["truncated", "gaussian"],
)
def test_other_noise_keeps_its_delta(noise: Any) -> None:
    made = po.Instrument([[1.0]], program=answers(), privacy=noise, domain=DOMAIN)
    found = po.simulate_instrument(answers(), QUERY, made, BOX, epsilons=[0.5, 4.0])
    assert found.distance is not None
    assert found.epsilon_for(distance=found.distance) == 1.0
    enough = found.epsilon_for(distance=0.6 * found.distance)
    assert 1.0 < enough < 4.0
    other = found.with_epsilon(enough)
    assert other.privacy.delta == noise.delta
    assert other.measure([1.5]).epsilon <= enough


@pytest.mark.long
def test_chosen_instruments_can_be_asked_and_keep_it_in_their_file(tmp_path: Any) -> None:
    chosen = po.choose_instrument(program(), QUERY, NOISE, BOX, domain=DOMAIN, epsilons=[3.0])
    assert chosen.curve is not None
    assert [one.epsilon for one in chosen.curve.points] == [0.0, 1.0, 3.0]
    chosen.save(tmp_path / "i.json")
    again = po.Instrument.load(tmp_path / "i.json")
    assert again.to_dict() == json.loads(json.dumps(chosen.to_dict()))
    assert chosen.distance is not None
    asked = {"distance": 0.8 * chosen.distance}
    assert again.epsilon_for(**asked) == chosen.epsilon_for(**asked)
    assert "SAMPLED" in str([table.title for table in again.view().more])


def test_nothing_measured_has_one_point() -> None:
    nothing = po.Instrument({}, program=answers(), privacy=NOISE, domain=DOMAIN)
    found = po.simulate_instrument(answers(), QUERY, nothing, BOX)
    assert found.distance is not None
    assert found.epsilon_for(distance=1.01 * found.distance) == 0.0
    with pytest.raises(InfeasibleError, match="nothing measured"):
        found.epsilon_for(distance=0.5 * found.distance)
    assert len(rows(found)) == 1


def test_what_is_refused() -> None:
    made = po.Instrument([[1.0]], program=answers(), privacy=NOISE, domain=DOMAIN)
    with pytest.raises(InputError, match="simulate_instrument"):
        made.epsilon_for(distance=0.1)
    for bad in (1.0, "12", [0.0], [float("nan")], ["x"]):
        with pytest.raises(InputError, match="epsilons"):
            po.simulate_instrument(answers(), QUERY, made, BOX, epsilons=bad)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="fidelity"):
        po.simulate_instrument(answers(), QUERY, made, BOX, fidelity=-1.0)
