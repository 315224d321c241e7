"""Noise: law, charge, draw and loss, a family a file.

`registry` lists them: a new family is its file and a line there.
"""

from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.gaussian import Gaussian
from privopt.noise.laplace import Laplace
from privopt.noise.law import Law
from privopt.noise.sensitivity import Assumed, Sampled, Sensitivity
from privopt.noise.truncated import TruncatedLaplace

__all__ = [
    "Assumed",
    "Calibration",
    "Gaussian",
    "Laplace",
    "Law",
    "Privacy",
    "Sampled",
    "Sensitivity",
    "TruncatedLaplace",
]
