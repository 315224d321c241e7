"""Noise in a file: what makes the same noise again, and what it came to.

A file is not believed: its noise is made anew, and refused if scale, grid or charge are others.
"""

from __future__ import annotations

from typing import Any

from privopt.noise.calibration import Calibration, Privacy
from privopt.plain import integer, number

__all__ = ["calibration_from_dict", "calibration_to_dict"]


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
    found = privacy.calibrate(size, number(data["sensitivity"]), bound=bound)
    if calibration_to_dict(found) != data:
        raise ValueError
    return found
