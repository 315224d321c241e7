"""Feasibility: how limits are kept, a reformulation a file.

They bound P(A z(xi) <= b) from below by 1 - eta.
"""

from privopt.feasibility.always import Always
from privopt.feasibility.analytic import Analytic
from privopt.feasibility.exact_box import ExactBox
from privopt.feasibility.joint import Joint
from privopt.feasibility.protocol import Feasibility, Settled
from privopt.feasibility.sampled_box import SampledBox
from privopt.feasibility.scenario import Scenario

__all__ = [
    "Always",
    "Analytic",
    "ExactBox",
    "Feasibility",
    "Joint",
    "SampledBox",
    "Scenario",
    "Settled",
]
