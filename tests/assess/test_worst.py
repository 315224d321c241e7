"""The worst neighbours: as far apart as any that brute force finds, and neighbours for sure."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.kernel.instruments import program

import privopt as po
from privopt.assess import worst_pair
from privopt.errors import InputError
from privopt.noise import secure

SURE = 1 - 1e-9  # the noise takes no seed: such a test fails once in 10^9 runs


def instrument(rng: np.random.Generator, size: int, sums: int, **asked: Any) -> po.Instrument:
    noise: Any = po.Gaussian if asked.pop("gaussian", False) else po.Laplace
    more = {"delta": 1e-5} if noise is po.Gaussian else {}
    lower = rng.uniform(-3, 3, size)
    upper = lower + rng.uniform(0.05, 3, size)  # some narrower than alpha
    return po.Instrument(
        rng.normal(size=(sums, size)),
        program=program(size + 1, list(range(1, size + 1))),
        privacy=noise(epsilon=1.0, **more, **asked),
        domain=po.Box(lower, upper),
    )


def farthest(made: po.Instrument) -> float:
    """Every change of every owner, to any end, tried out on the map itself."""
    kernel, (lower, upper) = made.kernel, made.kernel.map.box
    relation, size = kernel.privacy.neighbours, len(lower)
    steps = np.minimum(relation.alphas(size), upper - lower)
    best = 0.0
    for group in relation.groups(size):
        for signs in itertools.product((-1, 0, 1), repeat=len(group)):
            if relation.change == "total" and np.count_nonzero(signs) > 1:
                continue
            moved = np.zeros(size)
            moved[group] = np.array(signs) * steps[group]
            low, high = lower + np.maximum(-moved, 0), lower + np.maximum(moved, 0)
            apart = kernel.map.at(high) - kernel.map.at(low)
            apart = np.ldexp(apart.astype(float), -(kernel.map.fine + kernel.map.coarse))
            best = max(best, float(np.linalg.norm(apart, ord=kernel.privacy.order)))
    return best


@pytest.mark.long
@pytest.mark.parametrize("gaussian", [False, True], ids=["laplace", "gaussian"])
@pytest.mark.parametrize(
    "asked",
    [
        {"alpha": 0.3},
        {"alpha": [0.1, 0.2, 0.3, 0.4, 0.0]},
        {"alpha": 0.3, "owners": ["a", "b", "a", "b", "a"]},
        {"alpha": 0.3, "owners": ["a", "b", "a", "b", "a"], "change": "total"},
        {"alpha": [0.1, 0.2, 0.3, 0.4, 0.5], "change": "total"},
    ],
    ids=["plain", "by entry", "owners", "owners in total", "all in total"],
)
def test_no_neighbours_are_farther_apart(asked: dict[str, Any], gaussian: bool) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        made = instrument(rng, 5, int(rng.integers(1, 4)), gaussian=gaussian, **asked)
        pair = worst_pair(made)
        assert pair.exact
        assert pair.distance == pytest.approx(farthest(made), rel=1e-6)
        apart = np.abs(pair.d - pair.d_prime)
        assert made.privacy.neighbours.holds(apart[made.kernel.private])
        assert apart[0] == 0  # it is not private
        lower, upper = made.kernel.map.box
        for d in (pair.d, pair.d_prime):
            assert ((lower <= d[1:]) & (d[1:] <= upper)).all()
        ends = [made.kernel.map.at(d[1:]) for d in (pair.d, pair.d_prime)]
        unit = -(made.kernel.map.fine + made.kernel.map.coarse)
        moved = np.ldexp((ends[1] - ends[0]).astype(float), unit)
        distance = np.linalg.norm(moved, ord=made.privacy.order)
        assert distance == pytest.approx(pair.distance, rel=1e-6)
        names = tuple(made.kernel.data_names[i] for i in np.flatnonzero(apart))
        assert pair.entries == names


def test_what_the_noise_was_made_for_is_no_smaller() -> None:
    """With signs that no data have at once, the proven bound may be larger; never smaller."""
    for seed in range(10):
        made = instrument(np.random.default_rng(seed), 6, 2, alpha=0.2, owners=list("aabbab"))
        assert made.calibration is not None
        assert worst_pair(made).distance <= made.calibration.sensitivity


@pytest.mark.parametrize("gaussian", [False, True], ids=["laplace", "gaussian"])
def test_many_entries_of_one_owner(gaussian: bool) -> None:
    """Of the l1 norm the signs of the values are tried out; of the l2 norm a search is as good."""
    rng = np.random.default_rng(3)
    made = instrument(rng, 13, 2, gaussian=gaussian, alpha=0.01, owners=["a"] * 13)
    pair = worst_pair(made)
    assert pair.exact is not gaussian
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=13)))
    moves = made.kernel.map.gain * 0.01
    most = float(np.linalg.norm(signs @ moves.T, ord=made.privacy.order, axis=1).max())
    assert pair.distance == pytest.approx(most, rel=1e-9)
    assert ("that a search found" in pair.words) is gaussian


@pytest.mark.long
def test_an_audit_picks_them_by_itself() -> None:
    """The loss of Laplace noise at this pair is nearly all of epsilon; a faulty noise is found."""
    made = instrument(np.random.default_rng(1), 4, 1, alpha=0.2)
    found = po.audit(made, samples=4000, confidence=SURE)
    assert found.claimed == pytest.approx(1.0)
    assert 0.3 < found.epsilon <= 1.0  # about 0.56: ten deviations away
    assert po.audit(made.measure(np.zeros(5)), samples=500, confidence=SURE).epsilon <= 1.0

    noise = made.calibration
    assert noise is not None
    faulty = partial(secure.laplace, scale=noise.scale / 2, k=noise.exponent)
    kernel = replace(made.kernel, calibration=replace(noise, draw=faulty))
    made.kernel = kernel
    assert po.audit(made, samples=4000, confidence=SURE).refuted


def test_what_has_no_worst_neighbours_is_refused() -> None:
    for bad in (lambda d: d, 7, po.Instrument):
        with pytest.raises(InputError, match="worst neighbours are not known"):
            worst_pair(bad)  # pyright: ignore[reportArgumentType]
        with pytest.raises(InputError, match="worst neighbours are not known"):
            po.audit(bad)  # pyright: ignore[reportArgumentType]
    made = instrument(np.random.default_rng(1), 4, 1, alpha=0.2)
    with pytest.raises(InputError, match="one of d and d_prime is missing"):
        po.audit(made, np.zeros(5))
    nothing = po.Instrument(
        {}, program=program(2), privacy=po.Laplace(epsilon=1.0, alpha=0.1), domain=po.Box(0.0, 1.0)
    )
    with pytest.raises(InputError, match="measures nothing"):
        po.audit(nothing)
