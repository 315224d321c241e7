"""X = sum_j a_j xi_j with xi i.i.d. Laplace(1): tails, quantiles and a cutting-plane solve.

Independent of privopt: exact rationals, closed forms and numerical Fourier inversion.
"""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.optimize import brentq
from tests.reference.plain import Matrix, Vector, expected_cost, solve_tightly, square_root


def tail_exact(a: Sequence[float | Fraction], x: float | Fraction) -> float:
    """P(X > x) = 1/2 sum_j w_j exp(-x/|a_j|), w_j = prod_{k != j} a_j^2 / (a_j^2 - a_k^2).

    For x >= 0 and distinct |a_j|; zeros are dropped. The weights are exact rationals; the sum,
    which cancels, is taken with twice the digits until 30 correct ones are left.
    """
    scales = [abs(Fraction(value)) for value in a if value != 0]
    if not scales or len(set(scales)) < len(scales):
        raise ValueError("Partial fractions need distinct, not all zero, absolute coefficients.")
    if x < 0:
        raise ValueError(f"Got x = {x}; this tail is for x >= 0.")
    weights = [
        math.prod((s * s / (s * s - r * r) for r in scales if r != s), start=Fraction(1))
        for s in scales
    ]
    digits = 60
    while True:
        with localcontext() as context:
            context.prec = digits
            terms = [
                _decimal(w) * (-_decimal(Fraction(x) / s)).exp()
                for w, s in zip(weights, scales, strict=True)
            ]
            total = sum(terms, start=Decimal(0))
            if total > 0 and max(map(abs, terms)) < total * Decimal(10) ** (digits - 35):
                return float(total / 2)
        digits *= 2


def _decimal(value: Fraction) -> Decimal:
    """Numerator / denominator, rounded once in the current decimal context."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def tail_equal(k: int, x: float) -> float:
    """P(X > x) = e^-x sum_{j<k} 2^-(k+j) C(k-1+j, j) sum_{i<k-j} x^i / i!, for x >= 0.

    X is the sum of k Laplace(1), the difference of two Gamma(k); every term is positive.
    """
    if k < 1 or x < 0:
        raise ValueError(f"Got k = {k}, x = {x}; need k >= 1 and x >= 0.")
    partial = 0.0  # sum_{i<k-j} x^i / i!, from j = k-1 downwards
    power = 1.0
    total = 0.0
    for j in reversed(range(k)):
        partial += power
        power *= x / (k - j)
        total += math.comb(k - 1 + j, j) * 0.5 ** (k + j) * partial
    return math.exp(-x) * total


def tail_quadrature(a: ArrayLike, x: float) -> float:
    """P(X > x) = 1/2 - 1/pi int_0^inf sin(t x) f(t)/t dt, f(t) = prod_j 1/(1 + a_j^2 t^2).

    Gil-Pelaez for x >= 0, with ||a|| scaled to 1. Subtracting the same formula for one Laplace(1)
    term, whose tail is e^-x/2, leaves int sin(t x) (1/(1+t^2) - f(t))/t dt: smooth at 0 and
    O(t^-3) at infinity. Absolute error about 1e-12; ArithmeticError if quad reports over 1e-9.
    """
    coefficients = np.asarray(a, dtype=np.float64)
    norm = float(np.linalg.norm(coefficients))
    if norm == 0.0 or x < 0:
        raise ValueError("The tail needs a nonzero coefficient and x >= 0.")
    squares: list[float] = ((coefficients / norm) ** 2).tolist()
    omega = x / norm
    if omega == 0.0:
        return 0.5

    def difference(t: float) -> float:
        if t == 0.0:
            return 0.0
        product = math.prod(1.0 + s * t * t for s in squares)
        return (1.0 / (1.0 + t * t) - 1.0 / product) / t

    breaks = [0.0, 10.0]  # when x is tiny, one range of length 1/x would miss what is at t ~ 1
    while breaks[-1] * omega < 1.0:
        breaks.append(30.0 * breaks[-1])
    integral, error = 0.0, 0.0
    for start, stop in pairwise([*breaks, math.inf]):
        output: Any = quad(
            difference,
            start,
            stop,
            weight="sin",
            wvar=omega,
            epsabs=1e-13,
            epsrel=1e-13,
            limit=200,
            limlst=200,
            full_output=1,
        )
        integral += float(output[0])
        error += float(output[1])
    if error > 1e-9:
        raise ArithmeticError(f"The Fourier integral is only good to {error:.1e}.")
    return 0.5 * math.exp(-omega) + integral / math.pi


def quantile(a: ArrayLike, eta: float) -> float:
    """q(a) with P(X > q) = eta, 0 < eta < 1/2; q(0) = 0.

    Chebyshev for a symmetric X gives the bracket: P(X > x) <= Var X / (2 x^2) = ||a||^2 / x^2.
    """
    if not 0.0 < eta < 0.5:
        raise ValueError(f"Got eta = {eta}; need 0 < eta < 1/2.")
    coefficients = np.asarray(a, dtype=np.float64)
    norm = float(np.linalg.norm(coefficients))
    if norm == 0.0:
        return 0.0
    unit = coefficients / norm

    def excess(x: float) -> float:
        return tail_quadrature(unit, x) - eta

    return norm * float(brentq(excess, 0.0, 1.0 / math.sqrt(eta), xtol=1e-14, rtol=1e-14))


def quantile_gradient(a: ArrayLike, eta: float) -> Vector:
    """dq/da_j = (8 [q(a+h e_j) - q(a-h e_j)] - [q(a+2h e_j) - q(a-2h e_j)]) / 12h, h = ||a||/600.

    The five-point central difference: error O(h^4), relative 1e-9 or so.
    """
    coefficients = np.asarray(a, dtype=np.float64)
    h = float(np.linalg.norm(coefficients)) / 600.0
    if h == 0.0:
        raise ValueError("The quantile has no gradient at a = 0.")
    steps = h * np.eye(len(coefficients))

    def spread(step: Vector) -> float:
        return quantile(coefficients + step, eta) - quantile(coefficients - step, eta)

    return np.array([8.0 * spread(e) - spread(2.0 * e) for e in steps]) / (12.0 * h)


def smallest_ratio(p: int, eta: float, directions: int = 20) -> float:
    """Return the least q(a)/(sqrt(2) ||a||) seen over axes, equal weights and random directions."""
    rng = np.random.default_rng(0)
    equal = [np.r_[np.ones(k), np.zeros(p - k)] for k in range(1, p + 1)]
    tried = [*equal, *rng.normal(size=(directions, p))]
    return min(quantile(a, eta) / (math.sqrt(2.0) * float(np.linalg.norm(a))) for a in tried)


def cutting_plane(
    c1: Vector,
    C2: Matrix,
    A: Matrix,
    b: Vector,
    G: Matrix,
    d: Vector,
    S: Matrix,
    *,
    scale: float,
    eta: float,
    tolerance: float = 1e-7,
    max_rounds: int = 200,
) -> tuple[float, Vector, Matrix, int]:
    """A_i z + scale q(A_i Z) <= b_i for every row i, q the (1 - eta) quantile norm, by cuts.

    Minimise c1'z + z'C2 z + 2 scale^2 tr(Z'C2 Z) with G z = d, G Z = 0, S Z = I and those rows.
    Returns cost, z, Z and the number of rounds.

    Kelley: q is a norm, so q(a) >= g'a for g its gradient anywhere; a row violated at the current
    point gets the cut A_i z + scale g'(A_i Z) <= b_i, g taken there.

    Start: A z <= b and A_i z + k sqrt(2) scale ||A_i Z||_2 <= b_i, k = 0.9 `smallest_ratio`. That k
    is a lower bound of q(a)/(sqrt(2) ||a||) by sampling only, so it is checked at the end: where
    q(a) > k sqrt(2) ||a||, a = A_i Z, the cone is slack, and a slack convex constraint does not
    move an optimum. Only for a row that ends with A_i Z = 0 does it rest on the sampling.
    """
    n, p = A.shape[1], S.shape[0]
    k = 0.9 * smallest_ratio(p, eta)
    z, Z = cp.Variable(n), cp.Variable((n, p))
    F = square_root(C2)
    cost = c1 @ z + cp.sum_squares(F @ z) + 2.0 * scale**2 * cp.sum_squares(F @ Z)
    constraints: list[Any] = [
        S @ Z - np.eye(p) == 0,
        A @ z <= b,
        A @ z + k * math.sqrt(2.0) * scale * cp.norm(A @ Z, 2, axis=1) <= b,
    ]
    if len(G):
        constraints += [G @ z == d, G @ Z == 0]

    cut_rows: list[int] = []
    gradients: list[Vector] = []
    for rounds in range(1, max_rounds + 1):
        cuts: list[Any] = []
        if cut_rows:
            g = np.array(gradients)
            margins = scale * cp.sum(cp.multiply(A[cut_rows] @ Z, g), axis=1)
            cuts = [A[cut_rows] @ z + margins <= b[cut_rows]]
        solve_tightly(cp.Problem(cp.Minimize(cost), constraints + cuts))
        z_now, Z_now = np.asarray(z.value), np.asarray(Z.value)
        a = A @ Z_now
        q = np.array([quantile(row, eta) for row in a])
        violation = A @ z_now + scale * q - b
        if violation.max() <= tolerance:
            noisy = np.linalg.norm(a, axis=1) > 1e-7
            if np.any((q <= 1.01 * k * math.sqrt(2.0) * np.linalg.norm(a, axis=1)) & noisy):
                raise RuntimeError("The starting cone may be active; lower its factor.")
            return expected_cost(c1, C2, z_now, Z_now, math.sqrt(2.0) * scale), z_now, Z_now, rounds
        for i in np.flatnonzero(violation > tolerance):
            cut_rows.append(int(i))
            gradients.append(quantile_gradient(a[i], eta))
    raise RuntimeError(f"The cutting planes did not converge in {max_rounds} rounds.")
