"""Noise from a file is made anew: another scale, grid or charge than its own is refused."""

from __future__ import annotations

import pytest

import privopt as po
from privopt.noise.calibration_file import calibration_from_dict, calibration_to_dict

NOISES = [
    po.Laplace(epsilon=0.7, alpha=0.1),
    po.Gaussian(epsilon=0.7, delta=1e-6, alpha=0.1),
    po.TruncatedLaplace(epsilon=0.7, delta=1e-5, alpha=0.1),
]


@pytest.mark.parametrize("noise", NOISES)
def test_what_was_written_is_made_again(noise: po.Laplace) -> None:
    made = noise.calibrate(3, 0.3, bound=10.0)
    held = calibration_to_dict(made)
    assert calibration_from_dict(noise, held, 3, 10.0) == made


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("name", ["scale", "epsilon", "delta", "sensitivity", "exponent", "size"])
def test_another_number_is_refused(noise: po.Laplace, name: str) -> None:
    held = calibration_to_dict(noise.calibrate(3, 0.3, bound=10.0))
    less = held[name] - 1 if isinstance(held[name], int) else held[name] * 0.999 - 1e-9
    with pytest.raises(ValueError):
        calibration_from_dict(noise, held | {name: less}, 3, 10.0)
