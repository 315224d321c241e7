"""Noise in a file: what makes the same noise again, and what it came to.

A file is not believed: its noise is made anew, and refused if scale, grid or charge are others.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from privopt.noise.calibration import Calibration, Privacy
from privopt.plain import integer, number

__all__ = ["as_made", "calibration_from_dict", "calibration_to_dict", "made_to_dict"]


def calibration_to_dict(calibration: Calibration) -> dict[str, Any]:
    """What makes the same noise again, and what it came to."""
    return {
        "size": calibration.size,
        "sensitivity": calibration.sensitivity,
        "scale": calibration.scale,
        "exponent": calibration.exponent,
        "epsilon": calibration.epsilon,
        "delta": calibration.delta,
    }


def calibration_from_dict(
    privacy: Privacy, data: dict[str, Any], size: int, bound: float | None
) -> Calibration:
    """Made again and compared: a file that claims another scale, grid or charge is refused."""
    integer(data["size"], size, size)
    found = as_made(privacy, data, bound)
    if calibration_to_dict(found) != data:
        raise ValueError
    return found


def as_made(privacy: Privacy, data: dict[str, Any], bound: float | None) -> Calibration:
    """The noise that some data describe; earlier versions charged up to the float epsilon."""
    size, Delta = int(data["size"]), number(data["sensitivity"])
    found = privacy.calibrate(size, Delta, bound=bound)
    if found.scale == number(data["scale"]):
        return found
    return privacy.calibrate(size, Delta, bound=bound, limit=Fraction(privacy.epsilon))


def made_to_dict(
    privacy: Privacy, noise: Calibration | None, bound: float | None
) -> dict[str, Any] | None:
    """The noise as it was made, before any new charge; None without noise."""
    if noise is not None and noise.made_for is not None:
        made = {"size": noise.size, "sensitivity": noise.made_for, "scale": noise.scale}
        noise = as_made(privacy, made, bound)
    return None if noise is None else calibration_to_dict(noise)
