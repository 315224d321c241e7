"""What `po.design` claims, checked again from the saved file: privacy, release and feasibility.

Nothing of privopt is used to judge. Privacy is checked in exact fractions, without a tolerance.
Each check raises `BrokenError` with what is broken.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import numpy as np
from tests.certified import laws
from tests.certified.programs import Case
from tests.certified.stored import Noise, Real, Stored, exact_distance, power, read

import privopt as po

Pair: TypeAlias = tuple[Sequence[Real], Sequence[Real]]

ROUNDING = 1e-8  # of a row's size: what the library calls rounding


class BrokenError(AssertionError):
    """A claim that does not hold."""


def claim(holds: bool, text: str) -> None:
    """Raise unless it holds."""
    if not holds:
        raise BrokenError(text)


def check_privacy(path: Path, pairs: Iterable[Pair]) -> float:
    """Charge within the request, and neighbours within the charge; the largest ratio of these."""
    stored = read(path)
    if stored.noise is None:
        moves = any(value for row in stored.matrix for value in row)
        claim(not moves, "privacy: nothing is charged, but the release follows d")
        return 0.0
    check_charge(stored, stored.noise)
    worst = 0.0
    for first, second in pairs:
        check_neighbours(stored, first, second)
        moved = exact_distance(stored, first, second)
        charged = stored.noise.sensitivity
        ratio = moved.of(stored.order) / float(charged)
        claim(
            moved.within(charged, stored.order),
            f"privacy: neighbours are {ratio:.12g} times the charged sensitivity apart",
        )
        if stored.kind == "TruncatedLaplace":
            check_vanishing(stored, stored.noise, first, second)
        worst = max(worst, ratio)
    return worst


def check_neighbours(stored: Stored, first: Sequence[Real], second: Sequence[Real]) -> None:
    """The pair is one the claim speaks of: one entry differs, by at most alpha."""
    gaps = [abs(Fraction(a) - Fraction(b)) for a, b in zip(first, second, strict=True)]
    if sum(gap > 0 for gap in gaps) > 1 or max(gaps) > stored.alpha:
        raise ValueError("these are no neighbours")


def check_charge(stored: Stored, noise: Noise) -> None:
    """The stored charge is within the request and not below what the noise costs."""
    claim(noise.size == len(stored.offset), "privacy: the noise has another size than the release")
    claim(noise.epsilon <= stored.asked_epsilon, "privacy: the charge is above epsilon")
    claim(noise.delta <= stored.asked_delta, "privacy: the charge is above delta")
    if stored.kind != "Gaussian":
        # The largest ratio of two (truncated) Laplace laws on their grid is exp(Delta / scale).
        loss = noise.sensitivity / noise.scale
        claim(
            loss <= noise.epsilon, f"privacy: the noise costs {float(loss):.9g}, more than charged"
        )
    if stored.kind == "TruncatedLaplace":
        K = laws.truncation(noise, stored.asked_epsilon, stored.asked_delta)
        most = int(noise.sensitivity / power(noise.exponent))
        lost = laws.vanishing(noise, K, [most])
        claim(Fraction(lost) <= noise.delta, f"privacy: delta is {float(lost):.9g}")
    if stored.kind == "Gaussian":
        Delta, sigma = float(noise.sensitivity), float(noise.scale)
        found = laws.gaussian_delta(Delta, sigma, float(noise.epsilon))
        claim(found <= float(noise.delta), f"privacy: delta of the Gaussian is {found:.9g}")
        documented = laws.converted_epsilon(Delta, sigma, float(noise.delta))
        claim(
            float(noise.epsilon) >= documented * (1 - 1e-6),
            f"privacy: the noise is converted to {documented:.9g}, more than charged",
        )
        most_epsilon = laws.concentrated_epsilon(Delta, sigma, float(noise.delta))
        claim(float(noise.epsilon) <= most_epsilon * (1 + 1e-6), "privacy: charged beyond measure")


def check_vanishing(
    stored: Stored, noise: Noise, first: Sequence[Real], second: Sequence[Real]
) -> None:
    """The (epsilon, delta) of two truncated laws, exactly, at this pair."""
    cell = power(noise.exponent)
    pairs = zip(stored.values(first), stored.values(second), strict=True)
    shift = [int((a - b) / cell) for a, b in pairs]
    K = laws.truncation(noise, stored.asked_epsilon, stored.asked_delta)
    lost = laws.vanishing(noise, K, shift)
    claim(Fraction(lost) <= stored.asked_delta, f"privacy: delta at a pair is {float(lost):.9g}")


def check_release(policy: po.Policy, path: Path, points: Iterable[Sequence[Real]]) -> None:
    """With the noise taken out, a release is what the file says; its noise is the file's."""
    stored = read(path)
    found = policy.calibration
    claim((found is None) == (stored.noise is None), "release: the file has other noise")
    if found is not None and stored.noise is not None:
        same = (Fraction(found.scale), found.exponent) == (
            stored.noise.scale,
            stored.noise.exponent,
        )
        claim(same, "release: the file has noise of another scale")
        if stored.kind == "TruncatedLaplace":
            B = laws.cut(stored, stored.noise)
            most = found.law.bound * found.scale
            claim(B * (1 - 1e-12) <= most <= B * (1 + 1e-9), "release: the noise is cut elsewhere")
        still = dataclasses.replace(found, draw=lambda values: values)
        kernel = dataclasses.replace(policy.kernel, calibration=still)
        policy = dataclasses.replace(policy, kernel=kernel)
    for point in points:
        d = np.zeros(policy.program.G.shape[0])
        d[policy.program.private] = point
        seen = [Fraction(float(value)) for value in policy.release(d).values]
        known = stored.released(point)
        same = seen == known
        if stored.rule is not None:  # in floats, after the noise
            room = [10 * abs(y) + Fraction(stored.most) for y in known]
            gaps = zip(seen, known, room, strict=True)
            same = all(abs(a - b) <= power(-48) * size for a, b, size in gaps)
        claim(same, "release: the values before the noise are not those of the file")


def check_public(make: Callable[[np.ndarray], Path], first: np.ndarray, second: np.ndarray) -> None:
    """A design leaves the same file whatever d is."""
    files = [make(d).read_bytes() for d in (first, second)]
    claim(files[0] == files[1], "public: the file depends on d")


def check_feasibility(path: Path, case: Case) -> float:
    """Equalities, and every row at its worst vertex with its margin; the largest relative excess.

    `case` holds the data as they were given, not as privopt read them.
    """
    stored = read(path)
    file = stored.whole
    z0, K = np.array(file["offset"]), np.array(file["gain"]).reshape(case.n, -1)
    Z = np.array(file["recourse"]).reshape(case.n, -1)
    _check_domain(stored, case)
    middle, half = 0.5 * (case.low + case.high), 0.5 * (case.high - case.low)
    moving, s = half > 0, float(file["sensitivity"])
    p = len(stored.offset)
    noise = stored.noise
    claim((noise is None) == (s == 0), "feasibility: the noise level is not that of the noise")
    size = np.abs(z0) + np.abs(K) @ half + (0.0 if noise is None else _reach(stored, noise, Z / s))
    size = np.maximum(size, 1e-6 * size.max())  # variables fixed at zero have rounding too
    # Equalities: private entries of d follow u, public ones stay; those that balance are free.
    held = np.setdiff1d(np.arange(len(case.G)), case.balance)
    target, F = case.d.copy(), np.zeros((len(case.G), len(half)))
    target[case.private] = middle
    F[case.private, np.arange(len(half))] = 1.0
    room = np.abs(case.G) @ size + np.abs(target)
    room = np.maximum(room, 1e-6 * room.max())
    _check_same(case.G[held] @ z0, target[held], room[held], "G z0 = d0")
    move = (case.G @ K - F)[:, moving] * half[moving]
    _check_same(move[held], 0.0, room[held, None], "G K = F")
    if noise is not None:
        unit = float(file["unit"]["scale"])
        _check_same(case.G @ Z * unit, 0.0, room[:, None], "G Z = 0")
        slope, size_of = (s * np.eye(p), s) if stored.rule is None else _slope(stored)
        _check_same(case.S @ Z, slope, size_of, "S Z = s I, or the slope of the rule")
        _check_same(s * unit, float(noise.scale), float(noise.scale), "the noise level")
    seen = np.abs(case.S) @ size
    known = np.array([float(y) for y in stored.exact(_middle(stored))])
    gain = np.array([[float(m * power(-stored.fine)) for m in row] for row in stored.matrix])
    if stored.rule is not None:
        slope = np.array(stored.rule["slope"])
        seen = seen + np.abs(stored.rule["offset"]) + np.abs(slope) @ np.abs(known)
        known, gain = stored.rule["offset"] + slope @ known, slope @ gain
    _check_same(case.S @ z0, known, seen, "S z0 is released")
    _check_same((case.S @ K - gain) * half, 0.0, seen[:, None], "S K is released")
    # Rows, each at the vertex that is worst for it.
    A, b = case.rows()
    slack = b - A @ z0 - np.abs(A @ K) @ half
    allowed = ROUNDING * (np.abs(b) + np.abs(A) @ size)
    excess = -slack
    if noise is not None:
        spread = A @ (Z / s)
        excess = _excess(stored, noise, case, spread, slack, allowed)
    worst = float((excess / allowed).max(initial=-np.inf))
    claim(worst <= 1, f"feasibility: a row is exceeded by {worst:.4g} times the rounding allowed")
    return worst


def _excess(
    stored: Stored,
    noise: Noise,
    case: Case,
    spread: np.ndarray,
    slack: np.ndarray,
    allowed: np.ndarray,
) -> np.ndarray:
    """Margin of the noise minus slack, for each row; `spread` is A_i Z a unit of the release."""
    kind = case.feasibility
    if isinstance(kind, po.Analytic):
        eta = np.broadcast_to(np.asarray(kind.eta, dtype=float), len(slack))
        if kind.margin == "unimodal":
            size = laws.deviation(stored, noise) * np.linalg.norm(spread, axis=1)
            return np.sqrt(2 / (9 * eta)) * size - slack
        over = np.empty(len(slack))
        for i, (a, x) in enumerate(zip(spread, slack + allowed, strict=True)):
            quiet = float(noise.scale) * np.abs(a).max() <= 1e-3 * allowed[i]
            broken = x < 0 or (not quiet and laws.tail(stored, noise, a, x) > eta[i])
            over[i] = np.inf if broken else -slack[i]
        return over
    if isinstance(kind, po.ExactBox):
        half = laws.box_half_width(stored, noise, kind.eta)
    else:  # Always: the support, and half a step for rounding to the grid
        half = laws.cut(stored, noise) + float(power(stored.grid)) / 2
    return half * np.abs(spread).sum(axis=1) - slack


def _reach(stored: Stored, noise: Noise, Z: np.ndarray) -> np.ndarray:
    """Deviation of each variable under the noise."""
    return laws.deviation(stored, noise) * np.linalg.norm(Z, axis=1)


def _slope(stored: Stored) -> tuple[np.ndarray, float]:
    slope = np.array((stored.rule or {})["slope"])
    return slope, float(np.abs(slope).max())


def _middle(stored: Stored) -> list[float]:
    return [float((a + b) / 2) for a, b in stored.box]


def _check_domain(stored: Stored, case: Case) -> None:
    """The box of the file is the domain, rounded inwards by less than a step (or a point)."""
    step = power(-stored.coarse)
    for (a, b), low, high in zip(stored.box, case.low.tolist(), case.high.tolist(), strict=True):
        near = abs(a - Fraction(low)) < step and abs(b - Fraction(high)) < step
        claim(near and a <= b <= Fraction(high), "feasibility: the file has another domain")


def _check_same(found: object, wanted: object, size: object, what: str) -> None:
    """Equal up to 1e-9 of a size."""
    off = np.abs(np.asarray(found, dtype=float) - np.asarray(wanted, dtype=float))
    claim(bool((off <= 1e-9 * np.asarray(size, dtype=float)).all()), f"feasibility: not {what}")
