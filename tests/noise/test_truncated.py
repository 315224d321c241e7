"""Truncated Laplace: its law by quadrature, its privacy by summing the discrete law itself."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binom, kstest

import privopt as po
from privopt.noise import secure
from privopt.noise.calibration import Calibration
from privopt.noise.truncated import TruncatedLaw

steady = settings(deadline=None, max_examples=40, derandomize=True)
BOUNDS = [1e-6, 1e-3, 0.049, 0.051, 0.3, 1.0, 5.0, 40.0, 800.0]


def survival(x: float, B: float) -> float:
    """P(xi > x) of one entry."""
    if abs(x) >= B:
        return float(x < 0)
    inside = (math.exp(-abs(x)) - math.exp(-B)) / -math.expm1(-B) / 2
    return inside if x >= 0 else 1 - inside


@pytest.mark.parametrize("B", BOUNDS)
def test_the_variance_is_that_of_the_cut_law(B: float) -> None:
    """2 - B (B + 2) / (e^B - 1), in 60 digits: it cancels for small B."""
    with localcontext() as context:
        context.prec = 60
        b = Decimal(B)
        wanted = float(2 - b * (b + 2) / (b.exp() - 1))
    assert TruncatedLaw(B).variance == pytest.approx(wanted, rel=1e-9, abs=0)


def test_the_variance_is_an_integral() -> None:
    moment, mass = (
        quad(lambda x, k=k: x**k * math.exp(-x), 0, 1.7, epsabs=0, epsrel=1e-12)[0] for k in (2, 0)
    )
    assert TruncatedLaw(1.7).variance == pytest.approx(moment / mass, rel=1e-11)


@pytest.mark.parametrize("B", BOUNDS)
@pytest.mark.parametrize("mass", [1e-6, 0.3, 0.95, 1.0])
def test_half_width_holds_its_mass(B: float, mass: float) -> None:
    w = TruncatedLaw(B).half_width(1 - mass) if mass < 1 or B < 30 else B
    assert 0 < w <= B
    assert math.expm1(-w) / math.expm1(-B) == pytest.approx(mass, rel=1e-9)


@steady
@given(
    B=st.sampled_from([0.3, 1.0, 5.0, 40.0]),
    ends=st.lists(st.tuples(st.floats(-6, 6), st.floats(0, 12)), min_size=1, max_size=3),
)
def test_the_mass_of_a_box_is_the_product_of_its_sides(
    B: float, ends: list[tuple[float, float]]
) -> None:
    low = np.array([start for start, _ in ends])
    high = low + np.array([width for _, width in ends])
    sides = [survival(a, B) - survival(b, B) for a, b in zip(low, high, strict=True)]
    assert TruncatedLaw(B).mass(low, high) == pytest.approx(math.prod(sides), rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("B", [0.01, 1.0, 5.0, 40.0])
def test_draws_follow_the_law_and_stay_inside(B: float) -> None:
    law = TruncatedLaw(B)
    draws = law.sample(np.random.default_rng(2), (100, 100))
    assert np.abs(draws).max() <= B
    cdf = np.vectorize(lambda x: 1 - survival(x, B))
    assert kstest(draws.ravel(), cdf).pvalue > 1e-3
    assert draws.var() == pytest.approx(law.variance, rel=0.1)


@pytest.mark.parametrize("B", [0.7, 3.0, 12.0])
@pytest.mark.parametrize("eta", [0.001, 0.05, 0.4])
@pytest.mark.parametrize("weights", [[1.0], [1.0, 1.0], [1.0, -0.3]])
def test_the_quantile_is_safe(B: float, eta: float, weights: list[float]) -> None:
    law = TruncatedLaw(B)
    q = float(law.quantile(np.array([weights]), np.array([eta]))[0][0])
    assert exceedance(weights, q, B) <= eta * (1 + 1e-7)


@pytest.mark.parametrize("eta", [0.001, 0.05, 0.4])
def test_the_quantile_is_tight_for_a_wide_cut(eta: float) -> None:
    q = float(TruncatedLaw(12.0).quantile(np.array([[1.0, 0.5]]), np.array([eta]))[0][0])
    assert exceedance([1.0, 0.5], q, 12.0) == pytest.approx(eta, rel=1e-2)


def exceedance(weights: list[float], q: float, B: float) -> float:
    """P(a'xi > q) for one or two weights, by quadrature over the first entry."""
    if len(weights) == 1:
        return survival(q / abs(weights[0]), B)
    first, second = abs(weights[0]), abs(weights[1])

    def integrand(x: float) -> float:
        density = math.exp(-abs(x)) / (-2 * math.expm1(-B))
        return density * survival((q - first * x) / second, B)

    breaks = [0.0, q / first, (q - second * B) / first, (q + second * B) / first]
    points = sorted({-B, B, *(x for x in breaks if -B < x < B)})
    return sum(
        quad(integrand, low, high, epsabs=1e-13, epsrel=1e-11)[0]
        for low, high in itertools.pairwise(points)
    )


@pytest.mark.parametrize("B", [0.7, 3.0, 12.0])
@pytest.mark.parametrize("eta", [0.01, 0.1, 0.4])
def test_the_cone_lies_below_the_margin(B: float, eta: float) -> None:
    law, p = TruncatedLaw(B), 4
    rng = np.random.default_rng(0)
    a = np.vstack([np.tril(np.ones((p, p))), rng.normal(size=(30, p))])
    q = law.quantile(a, np.full(len(a), eta))[0]
    factor = law.cone(np.array([eta]), p)[0] * math.sqrt(law.variance)
    assert (factor * np.linalg.norm(a, axis=1) <= q).all()


def coarse(
    epsilon: float, delta: float, size: int, *, steps: int, tries: int = 1
) -> tuple[Calibration, int]:
    """Noise on a grid of about scale / steps, and K of its support.

    The library's own grid is 2^24 times finer or more: too many points to sum, and too fine for its
    share of the shift, p steps, to be seen.
    """
    k = math.floor(math.log2(tries / epsilon)) - int(math.log2(steps))
    noise = po.TruncatedLaplace(epsilon=epsilon, delta=delta, alpha=1.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secure, "grid_exponent", lambda *_: k)
        found = noise.calibrate(size, 1.0, tries=tries)
    assert found.exponent == k
    K = Fraction(found.law.bound) * Fraction(found.scale) / Fraction(2) ** k
    assert abs(K - round(K)) < Fraction(1, 10**6)
    return found, round(K)


def excess(found: Calibration, K: int, shift: tuple[int, ...], epsilon: Fraction) -> float:
    """sum over the grid of max(0, P - e^epsilon Q), Q the same law moved by the shift.

    P(m) = r^|m| / N on |m| <= K, r = exp(-step / scale). Where Q > 0 the ratio P / Q is exp(t step
    / scale) with t the integer |m - shift|_1 - |m|_1: which points count is decided exactly.
    """
    step = Fraction(2) ** found.exponent / Fraction(found.scale)
    m = np.arange(-K, K + 1)
    mass = np.exp(-float(step) * np.abs(m))
    mass /= math.fsum(mass)
    p = len(shift)
    P, kept, t = np.ones([1] * p), np.ones([1] * p, dtype=bool), np.zeros([1] * p, dtype=int)
    for axis, moved in enumerate(shift):
        along = [-1 if j == axis else 1 for j in range(p)]
        P = P * mass.reshape(along)
        kept = kept & (np.abs(m - moved) <= K).reshape(along)
        t = t + (np.abs(m - moved) - np.abs(m)).reshape(along)
    above = t > math.floor(epsilon / step)
    inside = P * -np.expm1(float(epsilon) - float(step) * t)
    return math.fsum(P[~kept].ravel()) + math.fsum(inside[kept & above].ravel())


def largest_excess(found: Calibration, K: int, epsilon: Fraction) -> float:
    """Over every shift that values of sensitivity 1, each rounded to the grid, can make."""
    reach = math.floor(Fraction(1) / Fraction(2) ** found.exponent) + found.size
    shifts = (
        shift
        for shift in itertools.product(range(reach + 1), repeat=found.size)
        if sum(shift) <= reach and list(shift) == sorted(shift)
    )
    return max(excess(found, K, shift, epsilon) for shift in shifts)


@steady
@given(
    epsilon=st.floats(0.05, 4.0),
    delta=st.sampled_from([0.5, 0.2, 1e-2, 1e-5, 1e-9]),
    steps=st.sampled_from([1, 2, 8, 32]),
    tries=st.sampled_from([1, 3]),
)
def test_one_value_is_private_by_exact_summation(
    epsilon: float, delta: float, steps: int, tries: int
) -> None:
    found, K = coarse(epsilon, delta, 1, steps=steps, tries=tries)
    assert largest_excess(found, K, Fraction(epsilon) / tries) <= delta / tries * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [0.4, 1.0, 2.5])
@pytest.mark.parametrize("delta", [0.5, 1e-2, 1e-4])
@pytest.mark.parametrize("steps", [1, 4, 8])
def test_two_values_are_private_by_exact_summation(
    epsilon: float, delta: float, steps: int
) -> None:
    found, K = coarse(epsilon, delta, 2, steps=steps)
    assert largest_excess(found, K, Fraction(epsilon)) <= delta * (1 + 1e-12)


def test_three_values_are_private_by_exact_summation() -> None:
    found, K = coarse(1.0, 0.05, 3, steps=4)
    assert largest_excess(found, K, Fraction(1)) <= 0.05 * (1 + 1e-12)


def test_the_summation_catches_a_cut_that_is_too_narrow() -> None:
    """Nor is the cut wasteful: one scale less and delta is exceeded."""
    found, K = coarse(1.0, 1e-3, 1, steps=32)
    narrow = K - round(found.scale / 2.0**found.exponent)
    assert largest_excess(found, narrow, Fraction(1)) > 1e-3
    assert largest_excess(found, K, Fraction(1)) >= 0.9e-3


def test_scale_and_cut_are_those_of_the_formula() -> None:
    noise = po.TruncatedLaplace(epsilon=0.8, delta=1e-5, alpha=1.0)
    found = noise.calibrate(3, 2.0)
    assert found.scale == pytest.approx(2.0 / 0.8, rel=1e-9)
    assert found.law.bound == pytest.approx(math.log1p(math.expm1(0.8) / 2e-5), rel=1e-9)
    assert found.deviation == pytest.approx(found.scale * math.sqrt(found.law.variance))
    assert found.delta == 1e-5


@pytest.mark.parametrize("size", [1, 5])
def test_a_draw_never_leaves_the_support(size: int) -> None:
    found = po.TruncatedLaplace(epsilon=1.0, delta=0.4, alpha=1.0).calibrate(size, 1.0, bound=64.0)
    cut = found.law.bound * found.scale
    values = np.linspace(-60.0, 60.0, size)
    for _ in range(100):
        assert np.abs(found.draw(values) - values).max() <= cut + 2.0**found.exponent


def test_a_large_epsilon_is_calibrated_or_refused_by_name() -> None:
    """e^epsilon is beyond a double from 710 on."""
    noise = po.TruncatedLaplace(epsilon=1000.0, delta=1e-5, alpha=1.0)
    try:
        found = noise.calibrate(1, 1.0)
    except po.errors.InputError:
        return
    assert found.law.bound == pytest.approx(1000.0 - math.log(2e-5), rel=1e-9)


def law_of(scale: float, K: int) -> dict[int, float]:
    """P(m) = exp(-|m| / scale) / N on |m| <= K."""
    weight = {m: math.exp(-abs(m) / scale) for m in range(-K, K + 1)}
    return {m: one / math.fsum(weight.values()) for m, one in weight.items()}


@pytest.mark.parametrize(("scale", "K"), [(8.0, 5), (1.5, 1), (1e6, 3), (5.0, 5)])
def test_draws_within_the_scale_have_the_truncated_law(scale: float, K: int) -> None:
    """Each cell between exact binomial tails; a false alarm in 10^-7 runs of each."""
    draws, share = 20_000, 1e-7 / (2 * (2 * K + 1))
    noise = secure.truncated_laplace(np.zeros(draws), scale, 0, float(K))
    for m, probability in law_of(scale, K).items():
        count = int((noise == m).sum())
        assert binom.ppf(share, draws, probability) <= count
        assert count <= binom.isf(share, draws, probability)
    assert np.abs(noise).max() <= K


def test_an_event_of_probability_exp_is_made_of_exact_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The k-th has probability x/k, in integers; the parity of the first that fails decides."""
    x = Fraction(3, 7)
    for fails in range(1, 6):
        asked: list[int] = []

        def below(most: int, fails: int = fails, asked: list[int] = asked) -> int:
            asked.append(most)
            return 3 if len(asked) == fails else 2  # 2 < 3 happens, 3 does not

        monkeypatch.setattr(secure.secrets, "randbelow", below)
        assert secure.happens_exp(x) == (fails % 2 == 1)
        assert asked == [7 * k for k in range(1, fails + 1)]


@pytest.mark.parametrize(("epsilon", "delta"), [(1e-9, 0.5), (1e-9, 1e-5), (1e-4, 0.1)])
def test_epsilon_far_below_delta_draws_no_laplace_noise(
    epsilon: float, delta: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of Laplace noise a share of about epsilon / (2 delta) would be kept."""
    found = po.TruncatedLaplace(epsilon=epsilon, delta=delta, alpha=1.0).calibrate(3, 1.0)
    assert found.law.bound < 1e-3

    def laplace(*_: object) -> None:
        pytest.fail("Laplace noise was drawn")

    monkeypatch.setattr(secure, "laplace", laplace)
    cut = found.law.bound * found.scale
    values = np.array([0.0, 1.0, -2.0])
    noise = np.array([found.draw(values) for _ in range(300)]) - secure.on_grid(
        values, found.exponent
    )
    assert np.abs(noise).max() <= cut * (1 + 1e-9)
    assert noise.std() == pytest.approx(found.deviation, rel=0.2)


def test_noise_far_below_delta_is_drawn() -> None:
    """Of an epsilon far below delta nearly all is cut off: the law is all but flat."""
    program = po.ConvexProgram(quadratic=[1.0, 1.0], G=[[1, 1]], lower=-50, upper=50)
    noise = po.TruncatedLaplace(epsilon=1e-7, delta=0.01, alpha=0.1)
    one = po.Instrument([[1.0]], program=program, privacy=noise, domain=po.Box(0.0, 1.0))
    measured = one.measure([0.5])
    assert measured.delta == 0.01
    assert np.abs(measured.values).max() <= 50
