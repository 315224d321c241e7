"""What an instrument claims, checked again from its saved file: its charge and what it measures.

Nothing of privopt is used to judge. Privacy is checked in exact fractions, without a tolerance.
Each check raises `BrokenError` with what is broken.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import numpy as np
from tests.certified import laws
from tests.certified.stored import Noise, Real, Stored, exact_distance, power, read

from privopt.kernel.instrument import Instrument

Pair: TypeAlias = tuple[Sequence[Real], Sequence[Real]]


class BrokenError(AssertionError):
    """A claim that does not hold."""


def claim(holds: bool, text: str) -> None:
    """Raise unless it holds."""
    if not holds:
        raise BrokenError(text)


def check_privacy(path: Path, pairs: Iterable[Pair]) -> float:
    """Charge within the request, and neighbours within the charge; the largest ratio of these."""
    stored, worst = read(path), 0.0
    check_charge(stored, stored.noise)
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
    """The pair is one the claim speaks of: entries of one owner differ, by no more than alpha."""
    gaps = [abs(Fraction(a) - Fraction(b)) for a, b in zip(first, second, strict=True)]
    moved = {j for j, gap in enumerate(gaps) if gap}
    shares = [gaps[j] / stored.alphas[j] for j in moved]
    most = sum(shares) if stored.total else max(shares, default=0)
    if most > 1 or not any(moved <= set(entries) for entries in stored.owners):
        raise ValueError("these are no neighbours")


def check_charge(stored: Stored, noise: Noise) -> None:
    """The stored charge is within the request and not below what the noise costs."""
    claim(noise.size == len(stored.offset), "privacy: the noise has another size than the sums")
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


def check_measurement(instrument: Instrument, path: Path, points: Iterable[Sequence[Real]]) -> None:
    """With the noise taken out, a measurement is what the file says; its noise is the file's."""
    stored, found, kernel = read(path), instrument.calibration, instrument.kernel
    noise = stored.noise
    claim(found is not None, "measurement: the file has other noise")
    assert found is not None
    same = (Fraction(found.scale), found.exponent) == (noise.scale, noise.exponent)
    claim(same, "measurement: the file has noise of another scale")
    if stored.kind == "TruncatedLaplace":
        B = laws.cut(stored, noise)
        most = found.law.bound * found.scale
        claim(B * (1 - 1e-12) <= most <= B * (1 + 1e-9), "measurement: the noise is cut elsewhere")
    still = copy.copy(instrument)
    silent = dataclasses.replace(found, draw=lambda values: values)
    still.kernel = dataclasses.replace(kernel, calibration=silent)
    for point in points:
        d = np.zeros(len(kernel.data_names))
        d[kernel.private] = [float(value) for value in point]
        seen = [Fraction(float(value)) for value in still.measure(d).values]
        claim(
            seen == stored.values(point),
            "measurement: the values before the noise are not those of the file",
        )
