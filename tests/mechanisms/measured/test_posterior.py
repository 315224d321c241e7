"""Draws after a measurement: against the density itself, by Kolmogorov and Smirnov.

Each test has a false-alarm rate of 1e-4 (its seeds are fixed: it does not alarm by chance twice).
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate as si
import scipy.stats as st

from privopt.mechanisms.measured.posterior import Evidence, posterior
from privopt.solving.robust.region import Region

COUNT = 3000
LEVEL = 1e-4
LAWS = {"laplace": lambda x: -np.abs(x), "gaussian": lambda x: -0.5 * np.square(x)}


def box(q: int) -> Region:
    """The unit box."""
    return Region.of(np.zeros(q), np.ones(q), np.zeros((0, q)), np.zeros(0), np.zeros(0))


def independent(W: np.ndarray, y: np.ndarray, law: str, scale: float) -> np.ndarray:
    """Draws from the same posterior by rejection from the prior, on the unit box."""
    rng = np.random.default_rng(99)
    kept: list[np.ndarray] = []
    while sum(map(len, kept)) < COUNT:
        u = rng.random((200_000, W.shape[1]))
        height = np.exp(LAWS[law]((y - u @ W.T) / scale).sum(axis=1))
        kept.append(u[rng.random(len(u)) < height])
    return np.concatenate(kept)[:COUNT]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("kind", ["total", "zones", "general"])
def test_draws_are_those_of_the_posterior(law: str, kind: str) -> None:
    q, scale = 5, 0.3
    rng = np.random.default_rng(1)
    W = {"total": np.ones((1, q)), "zones": np.array([[1.0, 2, 0, 0, 0], [0, 0, 1, -1, 1]]),
         "general": rng.normal(size=(2, q))}[kind]  # fmt: skip
    y = W @ np.full(q, 0.7) + 0.2
    evidence = [Evidence(W[[k]], y[[k]], scale, LAWS[law]) for k in range(len(W))]
    found = posterior(box(q), evidence, COUNT, np.random.default_rng(2))
    other = independent(W, y, law, scale)
    looks = [(found[:, j], other[:, j]) for j in range(q)]
    looks += [(found @ row, other @ row) for row in (*W, rng.normal(size=q))]
    least = min(st.ks_2samp(mine, theirs).pvalue for mine, theirs in looks)
    assert least > LEVEL / len(looks)


def test_a_single_entry_has_the_density_it_should() -> None:
    """One entry between 0 and 1, y = 1.2 measured with Laplace noise of scale 1/4."""
    evidence = Evidence(np.ones((1, 1)), np.array([1.2]), 0.25, LAWS["laplace"])
    found = posterior(box(1), [evidence], COUNT, np.random.default_rng(3))[:, 0]
    whole = si.quad(lambda u: np.exp(-abs(1.2 - u) / 0.25), 0, 1)[0]
    exact = lambda x: (np.exp(-(1.2 - x) / 0.25) - np.exp(-1.2 / 0.25)) * 0.25 / whole  # noqa: E731
    assert st.kstest(found, exact).pvalue > LEVEL


def test_draws_stay_within_a_region() -> None:
    q = 4
    W = np.ones((1, q))
    region = Region.of(np.zeros(q), np.ones(q), W, np.array([1.9]), np.array([2.1]))
    evidence = Evidence(W, np.array([2.0]), 0.5, LAWS["laplace"])
    found = posterior(region, [evidence], 500, np.random.default_rng(4))
    assert len(found) == 500
    assert region.holds(found).all()
    assert np.ptp(found[:, 0]) > 0.8
    rng, kept = np.random.default_rng(98), np.zeros((0, q))
    while len(kept) < 500:
        u = rng.random((100_000, q))
        height = np.exp(LAWS["laplace"]((2.0 - u @ W.T) / 0.5).sum(axis=1)) * region.holds(u)
        kept = np.vstack([kept, u[rng.random(len(u)) < height]])
    looks = [(found @ row, kept[:500] @ row) for row in (*np.eye(q), *W)]
    assert min(st.ks_2samp(mine, theirs).pvalue for mine, theirs in looks) > LEVEL / len(looks)


def test_parts_that_only_a_slab_connects_are_drawn_together() -> None:
    """Two entries are measured one by one; a slab knows their sum."""
    W = np.ones((1, 2))
    region = Region.of(np.zeros(2), np.ones(2), W, np.array([0.9]), np.array([1.1]))
    seen = Evidence(np.eye(2), np.array([0.2, 0.9]), 0.3, LAWS["laplace"])
    found = posterior(region, [seen], 500, np.random.default_rng(5))
    assert region.holds(found).all()
    rng, kept = np.random.default_rng(97), np.zeros((0, 2))
    while len(kept) < 500:
        u = rng.random((50_000, 2))
        height = np.exp(LAWS["laplace"]((seen.y - u) / 0.3).sum(axis=1)) * region.holds(u)
        kept = np.vstack([kept, u[rng.random(len(u)) < height]])
    looks = [(found @ row, kept[:500] @ row) for row in (*np.eye(2), *W)]
    assert min(st.ks_2samp(mine, theirs).pvalue for mine, theirs in looks) > LEVEL / len(looks)


def test_many_parts_are_drawn_one_by_one() -> None:
    """Each of twelve entries measured: jointly no prior draw is likely, one by one many are."""
    q, y = 12, np.linspace(-0.1, 1.1, 12)
    evidence = [Evidence(np.eye(q), y, 0.05, LAWS["laplace"])]
    found = posterior(box(q), evidence, 600, np.random.default_rng(10))
    other = independent(np.eye(1), y[[4]], "laplace", 0.05)[:600]
    assert st.ks_2samp(found[:, 4], other[:, 0]).pvalue > LEVEL
    together = np.abs(np.asarray(np.corrcoef(found.T)) - np.eye(q))
    assert together.max() < 0.2
    assert len(np.unique(found[:, 0])) == 600


def test_a_prior_of_draws_is_resampled() -> None:
    prior = np.array([[0.1], [0.5], [0.9]])
    evidence = Evidence(np.ones((1, 1)), np.array([0.9]), 0.2, LAWS["laplace"])
    found = posterior(box(1), [evidence], COUNT, np.random.default_rng(5), prior=prior)
    share = np.exp(-np.abs(prior[:, 0] - 0.9) / 0.2)
    counts = [int((found == value).sum()) for value in prior[:, 0]]
    assert st.chisquare(counts, COUNT * share / share.sum()).pvalue > LEVEL


@pytest.mark.parametrize("scale", [3e-3, 1e-4, 1e-9])
def test_precise_measurements_leave_draws_all_over_what_they_leave(scale: float) -> None:
    """No draw of the prior is likely any more: u_0 + 1.3 u_1 = 1 leaves u_0 uniform on [0, 1]."""
    W = np.array([[1.0, 1.3], [2.0, 2.6]])
    evidence = [Evidence(W, W @ [0.5, 0.5 / 1.3], scale, LAWS["laplace"])]
    found = posterior(box(2), evidence, 400, np.random.default_rng(6))
    off = np.abs(found @ W[0] - 1.0) / scale
    assert off.max() < 20
    assert st.kstest(found[:, 0], st.uniform(0, 1).cdf).pvalue > LEVEL
    # 3 |off| / scale has a Laplace law where no border is near.
    inner = (found > 20 * scale).all(axis=1) & (found < 1 - 20 * scale).all(axis=1)
    assert st.kstest(3 * off[inner], st.expon.cdf).pvalue > LEVEL


def test_precise_general_sums_are_mixed_like_independent_draws() -> None:
    """Two general sums of four entries: no pair of entries can be exchanged."""
    W = np.random.default_rng(1).normal(size=(2, 4))
    y = W @ np.full(4, 0.6)
    found = posterior(
        box(4), [Evidence(W, y, 0.02, LAWS["gaussian"])], 600, np.random.default_rng(7)
    )
    other = independent(W, y, "gaussian", 0.02)[:600]
    looks = [(found @ row, other @ row) for row in (*np.eye(4), *W)]
    assert min(st.ks_2samp(mine, theirs).pvalue for mine, theirs in looks) > LEVEL / len(looks)


def test_precise_general_sums_reach_all_that_they_leave() -> None:
    """Noise of 1e-6: of four entries two sums are known, and a polygon is left to fill."""
    W = np.random.default_rng(1).normal(size=(2, 4))
    u = np.full(4, 0.6)
    evidence = [Evidence(W, W @ u, 1e-6, LAWS["gaussian"])]
    found = posterior(box(4), evidence, 400, np.random.default_rng(7))
    assert np.abs(found @ W.T - W @ u).max() < 1e-5
    rng, basis = np.random.default_rng(96), np.linalg.svd(W)[2][2:]
    other = u + rng.uniform(-2, 2, (40_000, 2)) @ basis
    other = other[((other >= 0) & (other <= 1)).all(axis=1)][:400]
    assert min(st.ks_2samp(found[:, j], other[:, j]).pvalue for j in range(4)) > LEVEL / 4


def test_a_thin_slab_of_the_domain_is_filled() -> None:
    """Nothing measured: uniform on a domain that no draw of its box hits."""
    W = np.array([[1.0, 1.0]])
    region = Region.of(np.zeros(2), np.ones(2), W, np.array([0.6]), np.array([0.6 + 1e-7]))
    found = posterior(region, [], 400, np.random.default_rng(8))
    assert len(found) == 400
    assert region.holds(found).mean() > 0.99
    assert st.kstest(found[:, 0], st.uniform(0, 0.6).cdf).pvalue > LEVEL


def test_a_prior_none_of_whose_draws_is_possible_gives_none() -> None:
    region = Region.of(np.zeros(1), np.ones(1), np.eye(1), np.array([0.6]), np.array([0.9]))
    found = posterior(region, [], 5, np.random.default_rng(9), prior=np.array([[0.1], [0.2]]))
    assert found.shape == (0, 1)
