"""Is it worth its epsilon: against brute force, on both ends, and the words on numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.cases import toy

import privopt as po
from privopt.claims.worth import Worth, narrow_entries, tells_words, told_percent
from privopt.errors import InputError
from privopt.noise.sensitivity import Provenance

ALWAYS = po.Always()


def worth(errors: Any, spreads: Any, noise: Any = 0.0, epsilon: float = 1.0) -> Worth:
    size = len(errors)
    names = tuple("abcdef"[:size])
    wide = np.broadcast_to(np.asarray(noise, dtype=float), size)
    return Worth(
        names, np.array(errors, dtype=float), np.array(spreads, dtype=float), epsilon,
        wide, np.full(size, np.inf),
    )  # fmt: skip


def test_the_numbers_are_those_of_brute_force() -> None:
    rng = np.random.default_rng(0)
    answers = rng.normal(size=(400, 3)) * [1.0, 2.0, 0.5] + [10.0, 0.0, -3.0]
    errors = 0.3 * rng.normal(size=(400, 3)) + [0.0, 0.5, 0.6]
    found = Worth.of(("a", "b", "c"), errors, answers, 2.0, noise=[0.1, 0.2, 0.3])
    for i in range(3):
        error = sum(e[i] ** 2 for e in errors) / 400 + (0.1, 0.2, 0.3)[i] ** 2
        mean = sum(a[i] for a in answers) / 400
        spread = sum((a[i] - mean) ** 2 for a in answers) / 400
        assert found.errors[i] ** 2 == pytest.approx(error)
        assert found.spreads[i] ** 2 == pytest.approx(spread)
        assert found.told[i] == pytest.approx(max(0.0, 1 - error / spread))
    assert found.told[0] > 0.8
    assert found.told[2] == 0  # its bias alone is larger than what varies: floored, not negative
    assert found.drop == ("c",)
    assert found.tells == pytest.approx(1 - (found.errors**2).sum() / (found.spreads**2).sum())
    assert found.distance == pytest.approx(np.sqrt((found.errors**2).sum()))
    assert (found.samples, found.provenance) == (400, Provenance.SAMPLED)


def test_the_epsilon_it_names_tells_what_was_asked() -> None:
    """Draw the noise again at that epsilon: half of what varies is told, and not more."""
    rng = np.random.default_rng(1)
    answers = rng.uniform(-1, 1, size=(50_000, 2))
    bias = 0.1 * answers**2
    found = Worth.of(("a", "b"), bias, answers, 0.4, noise=2.0)
    assert found.tells == 0
    for share in (0.5, 0.9):
        enough = found.epsilon_for(share)
        assert enough is not None
        drawn = bias + 2.0 * (0.4 / enough) * rng.normal(size=bias.shape)
        assert Worth.of(("a", "b"), drawn, answers, enough).tells == pytest.approx(share, abs=0.01)
    assert found.epsilon_for(0.999) is None  # the bias alone is larger
    assert worth([1.0], [2.0], noise=0.0).epsilon_for() is None  # the noise is not known
    assert worth([1.0], [2.0], noise=0.5, epsilon=0.0).epsilon_for() is None  # a constant


def _policy(epsilon: float, **more: Any) -> po.Policy:
    noise = po.TruncatedLaplace(epsilon=epsilon, delta=1e-3, alpha=0.1)
    return po.design(toy(None), po.Identity(["y"]), noise, ALWAYS, domain=po.Box(5.0, 7.0), **more)


def test_a_policy_that_tells_nearly_all_and_one_that_tells_nothing() -> None:
    """The program: x is at its limit of 4, so y is d - 4 up to what the third supplier takes."""
    near, far = _policy(50.0, fidelity=1000.0), _policy(0.26, floor=1.0)
    for policy in (near, far):
        assert policy.worth is not None
        u = np.random.default_rng(2).uniform(5.0, 7.0, 3000)
        answers = np.array([policy.program.solve(d=np.array([v])).z[1] for v in u[:200]])
        noise = policy.unit.sample(np.random.default_rng(3), 200)[:, 0]
        given = np.asarray(policy.S @ policy.offset)[0]
        slope = np.asarray(policy.S @ policy.gain)[0, 0]
        level = np.asarray(policy.recourse.under(policy.S))[0, 0]
        off = given + slope * (u[:200] - 6.0) + level * noise - answers
        assert policy.worth.distance == pytest.approx(np.sqrt((off**2).mean()), rel=0.2)
        assert policy.worth.spread == pytest.approx(answers.std(), rel=0.1)
        assert policy.worth.noise[0] == pytest.approx(abs(level) * policy.unit.deviation)
    assert near.worth is not None
    assert near.worth.tells > 0.95
    assert "% of what varies" in " ".join(near.summary().split())
    assert far.worth is not None
    assert far.worth.tells == 0
    assert far.worth.drop == ("y",)
    assert "times nearer" in " ".join(far.summary().split())
    assert "times nearer" in far._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_a_design_at_the_named_epsilon_tells_about_half() -> None:
    """Scaling is an estimate: a design for that epsilon is at least as good as this rule."""
    little = _policy(0.38, floor=1.0, fidelity=100.0)
    assert little.worth is not None
    assert little.worth.tells < 0.5
    enough = little.worth.epsilon_for()
    assert enough is not None
    more = _policy(enough, floor=1.0, fidelity=100.0).worth
    assert more is not None
    assert 0.45 < more.tells < 0.9


def test_domains_narrower_than_alpha_are_named() -> None:
    program = po.ConvexProgram(
        linear=[1, 2, 1, 2], G=[[1, 1, 0, 0], [0, 0, 1, 1]], d=None, lower=0, upper=5,
        data_names=["wide", "tight"],
    )  # fmt: skip
    noise = po.Laplace(epsilon=1.0, alpha=0.5)
    domain = po.Box([1.0, 1.0], [3.0, 1.4])
    policy = po.design(program, po.Identity([0]), noise, po.ExactBox(eta=0.1), domain=domain)
    assert policy.worth is not None
    assert policy.worth.narrow == ("tight",)
    assert "narrower than alpha for tight:" in " ".join(policy.summary().split())
    fixed = po.Box([1.0, 1.4], [3.0, 1.4])  # it is public: there is nothing to hide
    other = po.design(program, po.Identity([0]), noise, po.ExactBox(eta=0.1), domain=fixed)
    assert other.worth is not None
    assert other.worth.narrow == ()


def test_narrow_is_what_can_vary_by_less_than_alpha() -> None:
    names, box = ("a", "b", "c"), (np.zeros(3), np.array([0.0, 0.2, 0.6]))
    assert narrow_entries(names, box, po.Laplace(epsilon=1.0, alpha=0.5).neighbours) == ("b",)
    each = po.Laplace(epsilon=1.0, alpha=[0.1, 0.1, 0.7]).neighbours
    assert narrow_entries(names, box, each) == ("c",)


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.923, "92%"), (0.99999, "99.9%"), (1.0, "100%"), (0.0004, "nothing"), (0.0, "nothing"),
        (0.0123, "1.2%"), (0.999, "99.9%"), (float("nan"), "nothing varies"),
    ],
)  # fmt: skip
def test_shares_are_never_rounded_up(share: float, words: str) -> None:
    assert tells_words(share) == words
    percent = told_percent(share)
    if percent:
        assert f"{percent:.3g}%" == words  # as tables print it, with three digits or more
        assert f"{percent:.8g}%" == words


def test_the_verdict_in_words() -> None:
    assert worth([0.28, 0.0], [1.0, 0.0]).verdict == "92% of what varies in the answers"
    far = worth([59.6], [1.0], noise=59.5)
    assert far.verdict.endswith("a constant, the mean answer, would be 59 times nearer")
    assert worth([1.0], [1.0]).verdict.endswith("would be as near")
    same = "nothing: the answer is the same over the whole domain"
    assert worth([1.0], [0.0]).verdict == same
    assert worth([1.0], [1.0], epsilon=0.0).verdict == "nothing: the release is a constant"
    assert "not known" in worth([np.nan], [1.0]).verdict
    assert "not known" in worth([1.0], [np.nan]).verdict


def test_rounding_beside_answers_that_never_vary_beats_no_constant() -> None:
    """A value that is always at its limit is decided to within a solver's tolerance."""
    assert worth([0.1, 1e-8], [0.3, 0.0]).drop == ()
    assert worth([0.1, 1e-3], [0.3, 0.0]).drop == ("b",)


def test_what_a_measurement_hides_falls_to_nothing_and_rises_to_all_that_it_could_tell() -> None:
    """Normal data u, y = u + noise: the posterior variance is v s^2 / (v + s^2)."""
    v, s = 4.0, 3.0
    left = v * s**2 / (v + s**2)
    found = Worth(
        ("a",), np.array([left**0.5]), np.array([v**0.5]), 2.0,
        np.array([left**0.5]), np.array([v**0.5]),
    )  # fmt: skip
    for share in (0.01, 0.3, 0.5, 0.9, 0.999):
        enough = found.epsilon_for(share)
        assert enough is not None
        scale = s * 2.0 / enough  # of the noise at that epsilon
        assert v / (v + scale**2) == pytest.approx(share, rel=1e-6)
    half = replace(found, errors=np.array([(left + 2.5) ** 0.5]))  # a bias of 2.5 in all
    assert half.epsilon_for(0.5) is None
    assert half.epsilon_for(0.3) is not None


def test_its_plain_data_are_finite_where_nothing_varies() -> None:
    data = worth([0.5, 0.2], [0.0, 0.0], noise=0.1).to_dict()
    assert data["tells"] is None
    assert data["told"] == [None, None]
    assert data["drop"] == ["a", "b"]
    unknown = worth([np.nan, 0.2], [1.0, 1.0]).to_dict()
    assert (unknown["tells"], unknown["distance"], unknown["errors"][0]) == (None, None, None)
    assert data["epsilon_for_half"] is None
    assert "Worth(2 values" in repr(worth([0.5, 0.2], [1.0, 1.0]))


@pytest.mark.parametrize(
    ("errors", "answers"),
    [(np.ones((3, 2)), np.ones((4, 2))), (np.ones((3, 1)), np.ones((3, 1))),
     (np.zeros((0, 2)), np.zeros((0, 2))), (np.full((3, 2), np.nan), np.ones((3, 2)))],
)  # fmt: skip
def test_draws_that_do_not_fit_are_refused(errors: Any, answers: Any) -> None:
    with pytest.raises(InputError):
        Worth.of(("a", "b"), errors, answers, 1.0)
