"""What a decision tells: against brute force, and the epsilon it names against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from tests.mechanisms.measured import cases

import privopt as po
from privopt.mechanisms.measured.telling import hidden
from privopt.mechanisms.private_data import Answers

NOISE = po.Laplace(epsilon=1.0, alpha=0.4)


def program(entries: int = 3) -> po.ConvexProgram:
    """Two suppliers of each entry; the first of them is cheap up to half of what there is."""
    G = np.kron(np.eye(entries), np.ones((1, 2)))
    price, slope = np.tile([1.0, 2.0], entries), np.tile([1.0, 0.7], entries)
    return po.ConvexProgram(linear=price, quadratic=slope, G=G, d=None, lower=-9, upper=9)


def instrument(W: object, epsilon: float = 1.0) -> po.Instrument:
    noise = po.Laplace(epsilon=epsilon, alpha=0.4)
    return po.Instrument(W, program=program(), privacy=noise, domain=po.Box(2.0, 4.0))


@pytest.mark.parametrize("W", [[[1.0, 1.0, 1.0]], np.eye(3), [[1, 1, 0], [0, 1, 1.0]]])
def test_what_noise_hides_is_that_of_the_best_linear_guess(W: object) -> None:
    """Regress the answers on sums with noise, at many draws, and on the sums themselves."""
    rng, made = np.random.default_rng(0), instrument(W)
    assert made.calibration is not None
    u = rng.uniform(2, 4, (60_000, 3))
    a = u @ rng.normal(size=(3, 2)) + 0.1 * (u[:, :1] - 3) ** 2
    noise, most = hidden([made], Answers(u - 3, np.zeros(0), np.zeros(0), a))
    w = u @ made.W.T
    y = w + made.calibration.scale * made.calibration.law.sample(rng, w.shape)
    left = []
    for x in (np.ones((len(u), 1)), np.column_stack([y, np.ones(len(u))]),
              np.column_stack([w, np.ones(len(u))])):  # fmt: skip
        guess = x @ np.linalg.lstsq(x, a, rcond=None)[0]
        left.append(float(np.square(a - guess).sum(axis=1).mean()))
    assert np.square(noise).sum() == pytest.approx(left[1] - left[2], rel=0.03, abs=1e-3)
    assert np.square(most).sum() == pytest.approx(left[0] - left[2], rel=0.03, abs=1e-3)


def test_two_measurements_hide_less_than_one_and_nothing_measured_has_no_parts() -> None:
    u = np.random.default_rng(1).uniform(-1, 1, (500, 3))
    answers = Answers(u, np.zeros(0), np.zeros(0), u.sum(axis=1, keepdims=True))
    one = instrument([[1.0, 1.0, 1.0]])
    alone, most = hidden([one], answers)
    both, same = hidden([one, one], answers)
    assert np.square(both).sum() < 0.7 * np.square(alone).sum()
    assert np.square(same).sum() == pytest.approx(np.square(most).sum())
    assert [len(part) for part in hidden([instrument({})], answers)] == [0, 0]


@pytest.mark.long
@pytest.mark.parametrize(("W", "share"), [([[1.0, 1.0, 1.0]], 0.2), (np.eye(3), 0.75)])
def test_decisions_at_the_epsilon_it_names_tell_about_that_share(W: object, share: float) -> None:
    query, kept, one = po.Identity([0, 2, 4]), po.ExactBox(eta=0.05), instrument(W)
    middle = cases.measured(one, np.full(3, 3.0), np.random.default_rng(4))
    decision = po.decide(program(), query, middle, kept)
    enough = decision.worth.epsilon_for(share)
    assert enough is not None
    assert not 0.7 < enough < 1.4  # it is not the one that was measured with
    there = po.simulate_instrument(
        program(), query, instrument(W, enough), kept, epsilons=(), rng=1
    ).worth
    assert there is not None
    assert there.tells == pytest.approx(share, abs=0.15)
    limit = decision.worth.epsilon_for(0.9)
    assert (limit is None) == (share < 0.5)  # a total tells a third of three entries


def test_a_decision_says_what_brute_force_says() -> None:
    """Draw data as the measurement leaves them, solve at each, and compare."""
    one, rng = cases.case(1), np.random.default_rng(1)
    made = one.decide(one.simulated(cases.inside(one, rng), rng))
    assert made.worth.errors.tolist() == made.errors.tolist()
    assert made.distance == pytest.approx(np.linalg.norm(made.errors))
    assert made.spread == pytest.approx(np.linalg.norm(made.spreads))
    assert made.worth.epsilon == made.epsilon
    assert made.worth.samples == made.completed_loss.samples + made.completed_loss.without
